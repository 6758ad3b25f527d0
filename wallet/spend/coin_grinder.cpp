// CoinGrinder: the lightest inputs that pay the target and leave the change that is aimed for. Like branch and bound,
// with a bound on the weight that the rest needs at least.
#include <limits>

#include "wallet/spend/coin_selection.h"
#include "wallet/spend/selection_bounds.h"

namespace spv::wallet::spend {
namespace {

class LightestSearch {
 public:
  LightestSearch(const CoinPool& pool, const SelectionTask& task)
      : pool_(pool),
        goal_(target_with_change(task, task.change_target)),
        remaining_(remaining_values(pool)),
        lightest_(pool.groups.size() + 1, std::numeric_limits<std::int64_t>::max()),
        best_weight_(task.max_weight) {
    for (std::size_t i = pool.groups.size(); i > 0; --i) {
      lightest_[i - 1] = std::min(lightest_[i], pool.groups[i - 1].weight);
    }
  }

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
    if (value_ + remaining_[next_] < goal_ || weight_ > best_weight_) return true;
    if (value_ >= goal_) {
      keep_if_best();
      return true;
    }
    // No group that is left brings more than the next one, nor weighs less than the lightest.
    const chain::Amount brings = pool_.groups[next_].effective;
    const std::int64_t needed = (goal_ - value_ + brings - 1) / brings;
    return needed > (best_weight_ - weight_) / lightest_[next_];
  }

  /// At the same weight the least value: the other coins stay whole.
  void keep_if_best() {
    if (!best_.empty() && weight_ == best_weight_ && value_ >= best_value_) return;
    best_weight_ = weight_;
    best_value_ = value_;
    best_ = chosen_;
  }

  /// Takes the next group, unless one that brings as much and is not heavier was left out.
  void step() {
    const std::size_t place = next_++;
    const CoinGroup& group = pool_.groups[place];
    if (place > 0 && (chosen_.empty() || chosen_.back() != place - 1)) {
      const CoinGroup& left_out = pool_.groups[place - 1];
      if (left_out.effective == group.effective && left_out.weight <= group.weight) return;
    }
    chosen_.push_back(place);
    value_ += group.effective;
    weight_ += group.weight;
  }

  bool go_back() {
    if (chosen_.empty()) return false;
    const std::size_t place = chosen_.back();
    chosen_.pop_back();
    value_ -= pool_.groups[place].effective;
    weight_ -= pool_.groups[place].weight;
    next_ = place + 1;
    return true;
  }

  const CoinPool& pool_;
  chain::Amount goal_;
  std::vector<chain::Amount> remaining_;
  std::vector<std::int64_t> lightest_;
  std::size_t next_ = 0;
  std::vector<std::size_t> chosen_;
  chain::Amount value_ = 0;
  std::int64_t weight_ = 0;
  std::vector<std::size_t> best_;
  std::int64_t best_weight_;
  chain::Amount best_value_ = 0;
};

}  // namespace

std::optional<std::vector<std::size_t>> coin_grinder(const CoinPool& pool, const SelectionTask& task) {
  return LightestSearch(pool, task).run();
}

}  // namespace spv::wallet::spend
