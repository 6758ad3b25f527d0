// SlicedScan: where more is watched than one filter holds at its rate, when a stretch of blocks is scanned in passes
// (FilterSlices), how long a stretch is, and when one full filter does all the same.
#pragma once

#include <algorithm>
#include <vector>

#include "bip37/filter_plan.h"
#include "sync/scan/filter_slices.h"

namespace spv::sync {

class SlicedScan {
 public:
  /// `capacity`: elements that one filter holds at its rate. `most`: those that it may hold.
  SlicedScan(std::size_t capacity, std::size_t most) : capacity_(std::min(capacity, most)), most_(most) {}

  [[nodiscard]] const FilterSlices& passes() const { return passes_; }
  [[nodiscard]] FilterSlices& passes() { return passes_; }
  [[nodiscard]] bool active() const { return passes_.active(); }
  /// Answers wait for a later pass.
  [[nodiscard]] bool holds() const { return passes_.holds(); }

  /// A filter was planned of all that is watched, or of the present slice.
  void on_planned(const bip37::FilterPlan& plan);
  /// True if the blocks from `next` to `last` are worth several passes.
  [[nodiscard]] bool is_due(chain::Height next, chain::Height last) const;
  /// A stretch begins at this block; it may turn out that one filter does.
  void begin(chain::Height first, chain::Height last, std::vector<util::Bytes> elements);
  /// The last block of the stretch was scanned in this pass. Gives where the next pass begins, or what lies behind it.
  chain::Height end_pass();
  void clear() { passes_.clear(); }
  /// The next block of which the wallets hear, if `next` is the next to be delivered.
  [[nodiscard]] chain::Height position(chain::Height next) const { return holds() ? passes_.first() : next; }
  /// True if this pass goes on: `next` is not behind its last block.
  [[nodiscard]] bool goes_on(chain::Height next) const { return !active() || next <= passes_.last(); }

 private:
  FilterSlices passes_;
  std::size_t capacity_;
  std::size_t most_;
  chain::Height count_ = 1;                         // filters that what is watched needs
  chain::Height stretch_ = FilterSlices::kStretch;  // blocks in the next one, at most
};

}  // namespace spv::sync
