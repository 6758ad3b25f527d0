// `spv filter measure`
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/commands/filter/measurement.h"
#include "cli/commands/filter/plot.h"
#include "cli/output/report.h"

namespace spv::cli {
namespace {

/// A point of the curve need not be as exact as the measurement itself.
constexpr std::uint64_t kMaxCurveProbes = 1'000'000;

boost::json::array to_json(const std::vector<CurvePoint>& curve) {
  boost::json::array points;
  for (const auto& point : curve) {
    points.push_back({{"elements", point.elements},
                      {"fill_ratio", point.fill},
                      {"fp_expected", point.fp_expected},
                      {"fp_measured", point.fp_measured}});
  }
  return points;
}

void print_text(const Measurement& result) {
  print_line(fmt::format("predicted   {:.4g} from the formula, {:.4g} from the bits set", result.fp_expected,
                         result.fp_from_bits));
  print_line(fmt::format("measured    {:.4g} ({} false positives in {} probes)", result.fp_measured(),
                         result.false_positives, result.probes));
  print_line(fmt::format("difference  {:+.2f} sigma from the prediction of the bits set", result.deviation()));
}

}  // namespace

ExitCode run(const CommonOptions& common, const FilterMeasureOptions& options) {
  const auto shape = bip37::design_filter(options.elements, options.fp_rate);
  const Measurement result = measure_filter(shape, options.elements, options.probes, options.seed);
  std::vector<CurvePoint> curve;
  if (options.plot || options.svg) {
    curve = measure_curve(shape, options.elements, std::min(options.probes, kMaxCurveProbes), options.seed);
  }
  if (options.svg) write_picture(*options.svg, svg_plot(shape.hash_funcs, curve));
  if (common.json) {
    boost::json::object document{{"false_positives", result.false_positives},
                                 {"probes", result.probes},
                                 {"fp_measured", result.fp_measured()},
                                 {"fp_expected", result.fp_expected},
                                 {"fp_from_bits", result.fp_from_bits},
                                 {"deviation_sigma", result.deviation()},
                                 {"seed", options.seed}};
    if (options.plot) document.emplace("curve", to_json(curve));
    print_json(document);
    return ExitCode::Done;
  }
  print_text(result);
  if (options.plot) print_line("\n" + terminal_plot(shape.hash_funcs, curve));
  return ExitCode::Done;
}

}  // namespace spv::cli
