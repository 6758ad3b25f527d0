// Single random draw: coins in random order until the target is reached.
#include <numeric>
#include <queue>

#include "wallet/spend/coin_selection.h"

namespace spv::wallet::spend {

std::optional<std::vector<std::size_t>> random_draw(const CoinPool& pool, chain::Amount target, std::int64_t max_weight,
                                                    util::Rng& rng) {
  std::vector<std::size_t> order(pool.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The pool is sorted: the higher the place, the less a group brings.
  std::priority_queue<std::size_t> drawn;
  chain::Amount value = 0;
  std::int64_t weight = 0;
  for (std::size_t i = 0; i < order.size() && value < target; ++i) {
    std::swap(order[i], order[i + rng.below(order.size() - i)]);
    drawn.push(order[i]);
    value += pool.groups[order[i]].effective;
    weight += pool.groups[order[i]].weight;
    while (weight > max_weight) {
      value -= pool.groups[drawn.top()].effective;
      weight -= pool.groups[drawn.top()].weight;
      drawn.pop();
    }
  }
  if (drawn.empty() || value < target) return std::nullopt;
  std::vector<std::size_t> places;
  for (; !drawn.empty(); drawn.pop()) places.push_back(drawn.top());
  return places;
}

}  // namespace spv::wallet::spend
