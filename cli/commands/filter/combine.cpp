#include "cli/commands/filter/combine.h"

#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/filter/filter_file.h"
#include "cli/commands/filter/shape_text.h"
#include "cli/error.h"
#include "cli/options/filter_options.h"

namespace spv::cli {
namespace {

/// Why two filters cannot be combined; empty if they can. The flags are among the reasons: a node would add outpoints
/// to one of the two and not to the other, and no flag of the result could stand for both.
std::string difference(const bip37::BloomFilter& a, const bip37::BloomFilter& b) {
  if (a.bits().size() != b.bits().size()) {
    return fmt::format("their sizes differ ({} and {} bytes)", a.bits().size(), b.bits().size());
  }
  if (a.hash_funcs() != b.hash_funcs()) {
    return fmt::format("their hash functions differ ({} and {})", a.hash_funcs(), b.hash_funcs());
  }
  if (a.tweak() != b.tweak()) return fmt::format("their tweaks differ ({} and {})", a.tweak(), b.tweak());
  if (a.flags() != b.flags()) {
    return fmt::format("their flags differ ({} and {})", flags_name(a.flags()), flags_name(b.flags()));
  }
  return {};
}

}  // namespace

TwoFilters read_pair(const FilterPair& options) {
  TwoFilters pair{read_filter(options.first), read_filter(options.second)};
  if (const auto why = difference(pair.first, pair.second); !why.empty()) {
    throw CommandError(ExitCode::Failed, "filter-mismatch",
                       fmt::format("cannot combine '{}' and '{}': {}; create both with the same --elements, --fp-rate, "
                                   "--tweak and --flags",
                                   options.first, options.second, why));
  }
  return pair;
}

boost::json::object combined_json(const FilterPair& options, const char* operation, const bip37::BloomFilter& filter) {
  const double inside = filter.estimated_elements();
  return {{"file", options.out},
          {"operation", operation},
          {"bytes", filter.bits().size()},
          {"bits", filter.bits().size() * 8},
          {"hash_funcs", filter.hash_funcs()},
          {"tweak", filter.tweak()},
          {"flags", static_cast<int>(filter.flags())},
          {"fill_ratio", filter.fill_ratio()},
          {"estimated_elements", std::isfinite(inside) ? boost::json::value(inside) : boost::json::value(nullptr)},
          {"fp_now", filter.fp_rate()}};
}

std::string combined_text(const FilterPair& options, const char* operation, const bip37::BloomFilter& filter) {
  return fmt::format("{}: {} of {} and {}; {:.1f}% of the bits set, false positive rate {:.4g}", options.out, operation,
                     options.first, options.second, 100 * filter.fill_ratio(), filter.fp_rate());
}

}  // namespace spv::cli
