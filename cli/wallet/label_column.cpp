#include "cli/wallet/label_column.h"

#include <algorithm>

namespace spv::cli {

Table with_labels(const Table& table, const std::vector<std::string>& labels) {
  const bool any = std::ranges::any_of(labels, [](const auto& label) { return !label.empty(); });
  return any ? table.with({"label", false, Narrow::ShortenFirst}, labels) : table;
}

}  // namespace spv::cli
