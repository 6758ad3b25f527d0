// FilterKeeper: which filter holds what. A filter is planned from all that is watched; every coin found since is in the
// filters that are loaded from then on. Each load, at whatever peer, is an epoch, so that of every block it can be said
// whether it was asked for under a filter that held a coin.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "bip37/filter_mirror.h"
#include "bip37/filter_plan.h"
#include "sync/scan/scan_board.h"
#include "sync/scan/scan_window.h"
#include "wallet/records.h"

namespace spv::sync {

class FilterKeeper {
 public:
  explicit FilterKeeper(double fp_rate) : fp_rate_(fp_rate) {}

  /// Something else is watched than the plan was made of.
  void plan_again() { known_.reset(); }
  [[nodiscard]] bool needs_plan(const ScanWindow& window) const { return !known_ || window.is_worn(*known_); }
  /// Plans a filter of these elements; what is loaded holds the coins too.
  void plan(const std::vector<util::Bytes>& elements, const wallet::FilterIdentity& identity,
            const std::set<chain::OutPoint>& coins);
  /// The last plan; nothing before the first.
  [[nodiscard]] const std::optional<bip37::FilterPlan>& planned() const { return plan_; }
  /// What a filter that is loaded now holds.
  [[nodiscard]] const bip37::BloomFilter& filter() const { return known_->filter(); }
  /// It is being loaded somewhere.
  FilterEpoch begin_epoch() { return ++last_epoch_; }
  /// Only filters from here on hold what was learnt last.
  [[nodiscard]] FilterEpoch next_epoch() const { return last_epoch_ + 1; }

  /// A block brought this transaction: from which filter on its coins are held; nothing if by all.
  std::optional<FilterEpoch> learn(const ProvenTransaction& proven, const ScanBoard& board);
  /// The same before it is the block's turn; true if the filters that were loaded so far do not hold its coins.
  bool learn_ahead(const ProvenTransaction& proven);

 private:
  bool replay(const ProvenTransaction& proven);

  double fp_rate_;
  FilterEpoch last_epoch_ = 0;
  /// What every filter should hold now: the plan, and the coins found since it was made. Nothing: to be planned.
  std::optional<bip37::FilterMirror> known_;
  FilterEpoch planned_at_ = 0;  // the first filter of that plan
  /// Transactions with coins that were seen before it was their block's turn: filters of that plan hold them from this
  /// one on.
  std::unordered_map<chain::Txid, FilterEpoch> seen_ahead_;
  std::optional<bip37::FilterPlan> plan_;
};

}  // namespace spv::sync
