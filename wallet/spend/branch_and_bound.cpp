// Branch and bound: each group is first taken, then left out, the largest first, and what cannot lead to a better
// solution is not followed.
#include <limits>

#include "wallet/spend/coin_selection.h"
#include "wallet/spend/selection_bounds.h"

namespace spv::wallet::spend {
namespace {

class ChangelessSearch {
 public:
  ChangelessSearch(const CoinPool& pool, const SelectionTask& task)
      : pool_(pool), task_(task), remaining_(remaining_values(pool)), dear_(task.rate > kLongTermRate) {}

  std::optional<std::vector<std::size_t>> run() {
    for (std::size_t tries = 0; tries < kMaxTries; ++tries) {
      if (!is_dead_end()) {
        step();
      } else if (!go_back()) {
        break;
      }
    }
    if (best_.empty()) return std::nullopt;
    return best_;
  }

 private:
  [[nodiscard]] bool is_dead_end() {
    if (value_ + remaining_[next_] < task_.target) return true;
    if (value_ > task_.target + max_excess(task_) || weight_ > task_.max_weight) return true;
    // Only where every further input adds to the waste.
    if (dear_ && waste_ > best_waste_) return true;
    if (value_ < task_.target) return false;
    // More inputs would only be burnt for the fee.
    keep_if_best();
    return true;
  }

  void keep_if_best() {
    const chain::Amount waste = waste_ + value_ - task_.target;
    if (waste > best_waste_) return;
    if (waste == best_waste_ && coins_ <= best_coins_) return;
    best_waste_ = waste;
    best_coins_ = coins_;
    best_ = chosen_;
  }

  /// Takes the next group, unless one just like it was left out: that was tried.
  void step() {
    const std::size_t place = next_++;
    const CoinGroup& group = pool_.groups[place];
    const bool left_out = place > 0 && (chosen_.empty() || chosen_.back() != place - 1);
    if (left_out && is_twin(pool_.groups[place - 1], group)) return;
    chosen_.push_back(place);
    add(group, 1);
  }

  static bool is_twin(const CoinGroup& a, const CoinGroup& b) {
    return a.effective == b.effective && a.weight == b.weight && a.fee == b.fee && a.count == b.count;
  }

  /// Leaves out the group that was taken last; false if there is none.
  bool go_back() {
    if (chosen_.empty()) return false;
    const std::size_t place = chosen_.back();
    chosen_.pop_back();
    add(pool_.groups[place], -1);
    next_ = place + 1;
    return true;
  }

  void add(const CoinGroup& group, std::int64_t sign) {
    value_ += sign * group.effective;
    weight_ += sign * group.weight;
    waste_ += sign * (group.fee - group.long_term_fee);
    coins_ += sign * static_cast<std::int64_t>(group.count);
  }

  const CoinPool& pool_;
  const SelectionTask& task_;
  std::vector<chain::Amount> remaining_;
  bool dear_;
  std::size_t next_ = 0;
  std::vector<std::size_t> chosen_;
  chain::Amount value_ = 0;
  std::int64_t weight_ = 0;
  chain::Amount waste_ = 0;
  std::int64_t coins_ = 0;
  std::vector<std::size_t> best_;
  chain::Amount best_waste_ = std::numeric_limits<chain::Amount>::max();
  std::int64_t best_coins_ = 0;
};

}  // namespace

std::optional<std::vector<std::size_t>> branch_and_bound(const CoinPool& pool, const SelectionTask& task) {
  return ChangelessSearch(pool, task).run();
}

}  // namespace spv::wallet::spend
