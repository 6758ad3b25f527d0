// `spv filter intersect`
#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/combine.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"
#include "report/values.h"

namespace spv::cli {
namespace {

/// How many elements both filters contain, by the counts that the fills of both and of their union suggest. Bits that
/// are set in both by chance make the fill of the intersection itself suggest too many.
std::optional<double> estimated_common(const TwoFilters& pair) {
  const auto both = bip37::BloomFilter::union_of(pair.first, pair.second).value();
  const double count = pair.first.estimated_elements() + pair.second.estimated_elements() - both.estimated_elements();
  return std::isfinite(count) ? std::optional(std::max(count, 0.0)) : std::nullopt;
}

}  // namespace

ExitCode run(const CommonOptions& common, const FilterIntersectOptions& options) {
  const auto pair = read_pair(options);
  const auto shared = bip37::BloomFilter::intersection_of(pair.first, pair.second).value();
  const auto count = estimated_common(pair);
  create_filter_file(options.out, shared);
  if (common.json) {
    auto document = combined_json(options, "intersection", shared);
    document.emplace("estimated_common", report::or_null(count));
    print_json(document);
    return ExitCode::Done;
  }
  print_line(combined_text(options, "intersection", shared));
  print_line(fmt::format("it contains the elements that are in both filters{}",
                         count ? fmt::format(", about {:.0f}", *count) : std::string()));
  print_line(
      fmt::format("an element of one filter only matches with the false positive rate of the other ({:.4g} or {:.4g})",
                  pair.second.fp_rate(), pair.first.fp_rate()));
  return ExitCode::Done;
}

}  // namespace spv::cli
