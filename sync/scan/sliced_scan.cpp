#include "sync/scan/sliced_scan.h"

#include <utility>

namespace spv::sync {
namespace {

// Fewer blocks than this for each slice, as at the tip, are scanned under one filter, whatever it lets pass: loading
// others costs more, and what is announced outside of blocks must be matched by all of it.
constexpr chain::Height kLeastBlocks = 4;

}  // namespace

void SlicedScan::on_planned(const bip37::FilterPlan& plan) {
  if (active()) return passes_.on_planned(plan.filter);
  const bool fits = !plan.capped && plan.elements <= most_;
  count_ = fits ? 1 : static_cast<chain::Height>(plan.elements / capacity_ + 1);
}

bool SlicedScan::is_due(chain::Height next, chain::Height last) const {
  return count_ >= 2 && last - next + 1 >= kLeastBlocks * count_;
}

void SlicedScan::begin(chain::Height first, chain::Height last, std::vector<util::Bytes> elements) {
  passes_.begin(first, std::min(last, first + stretch_ - 1), std::move(elements), capacity_);
  count_ = static_cast<chain::Height>(passes_.count());
  if (count_ < 2) passes_.clear();
}

chain::Height SlicedScan::end_pass() {
  const chain::Height first = passes_.first();
  const chain::Height behind = passes_.last() + 1;
  // What was asked for above a cut was asked for in vain.
  const chain::Height length = behind - first;
  stretch_ = passes_.was_cut() ? length : std::min(std::max(2 * length, stretch_), FilterSlices::kStretch);
  return passes_.next() ? first : behind;
}

}  // namespace spv::sync
