// What the searches for coins share: sums over what is left of a pool.
#pragma once

#include <vector>

#include "wallet/spend/coin_selection.h"

namespace spv::wallet::spend {

/// At place i what all groups from i on bring together; one place more than the pool has.
inline std::vector<chain::Amount> remaining_values(const CoinPool& pool) {
  std::vector<chain::Amount> remaining(pool.groups.size() + 1, 0);
  for (std::size_t i = pool.groups.size(); i > 0; --i) remaining[i - 1] = remaining[i] + pool.groups[i - 1].effective;
  return remaining;
}

/// The most that a choice may bring over the target if there is to be no change.
inline chain::Amount max_excess(const SelectionTask& task) {
  return task.subtract_fee ? task.change.min_viable - 1 : task.change.total();
}

/// The target with the change to aim for.
inline chain::Amount target_with_change(const SelectionTask& task, chain::Amount change) {
  return task.target + change + (task.subtract_fee ? 0 : task.change.output_fee);
}

}  // namespace spv::wallet::spend
