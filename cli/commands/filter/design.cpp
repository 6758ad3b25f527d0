// `spv filter design`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/commands/filter/overfill_plot.h"
#include "cli/commands/filter/shape_text.h"
#include "cli/output/report.h"

namespace spv::cli {
namespace {

std::string one_in(double rate) { return fmt::format("{:.4g} (1 in {:.0f})", rate, 1 / rate); }

}  // namespace

ExitCode run(const CommonOptions& common, const FilterDesignOptions& options) {
  const auto shape = bip37::design_filter(options.elements, options.fp_rate);
  const auto rate_at = [&](std::size_t load) { return bip37::expected_fp_rate(shape, load * options.elements); };
  if (options.plot) write_picture(*options.plot, overfill_plot(shape, options.elements));
  if (common.json) {
    print_json({{"elements", options.elements},
                {"fp_target", options.fp_rate},
                {"bytes", shape.bytes},
                {"bits", shape.bytes * 8},
                {"hash_funcs", shape.hash_funcs},
                {"fp_expected", rate_at(1)},
                {"fp_at_2x", rate_at(2)},
                {"fp_at_4x", rate_at(4)},
                {"capped", shape.capped}});
    return ExitCode::Done;
  }
  print_line("size              " + shape_text(shape));
  print_line("false positives   " + one_in(rate_at(1)));
  print_line("with 2x elements  " + one_in(rate_at(2)));
  print_line("with 4x elements  " + one_in(rate_at(4)));
  print_capped(shape, options.fp_rate, rate_at(1));
  return ExitCode::Done;
}

}  // namespace spv::cli
