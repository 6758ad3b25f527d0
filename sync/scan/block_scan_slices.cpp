// BlockScan where one filter cannot hold all that is watched: when a stretch of blocks is scanned slice by slice, and
// when under one full filter all the same.
#include <algorithm>

#include "sync/scan/block_scan.h"

namespace spv::sync {
namespace {

// Fewer blocks than this for each slice, as at the tip, are scanned under one filter, whatever it lets pass: loading
// others costs more, and what is announced outside of blocks must be matched by all of it.
constexpr chain::Height kLeastBlocks = 4;

}  // namespace

// Whole blocks are matched by any number of scripts: as long as they may be taken there is no need.
bool BlockScan::may_slice() const {
  if (source_.mode != SourceMode::Auto) return source_.mode == SourceMode::Filter;
  const bool takes_more = downloaded_ + p2p::kMaxPayloadBytes <= source_.max_download;
  return !takes_more && std::ranges::none_of(lanes_, [](const auto& item) { return item.second.use.local; });
}

// A pass that is through waits for the checks of what it found.
bool BlockScan::may_go_on() const { return !slices_.active() || board_.next() <= slices_.last(); }

// False: what is under way must come before anything new is asked for.
bool BlockScan::turn_slices(chain::Height last) {
  // Who is left serves whole blocks alone, and may.
  if (slices_.active() && !lanes_.empty() && !filters() && !may_slice()) start_over(position());
  if (slices_.active()) {
    if (board_.next() <= slices_.last() || !is_checked()) return true;
    end_pass();
    if (slices_.active()) return true;
  }
  const chain::Height blocks = last - board_.next() + 1;
  if (slice_count_ < 2 || !may_slice() || blocks < kLeastBlocks * slice_count_) return true;
  if (board_.next() != board_.end() || !is_checked()) return false;
  begin_stretch(last);
  return true;
}

void BlockScan::begin_stretch(chain::Height last) {
  store_position();  // which spent outpoints are still watched depends on it
  start_over(board_.next());
  check_.clear();  // what another was asked for under other filters cannot be compared
  const chain::Height first = board_.next();
  slices_.begin(first, std::min(last, first + stretch_ - 1), watcher_.filter_elements(), slice_capacity_);
  slice_count_ = static_cast<chain::Height>(slices_.count());
  if (slice_count_ < 2) slices_.clear();
}

void BlockScan::end_pass() {
  FilterSlices slices = std::move(slices_);
  const chain::Height behind = slices.last() + 1;
  // What was asked for above a cut was asked for in vain.
  const chain::Height length = behind - slices.first();
  stretch_ = slices.was_cut() ? length : std::min(std::max(2 * length, stretch_), FilterSlices::kStretch);
  const bool more = slices.next();
  start_over(more ? slices.first() : behind);
  check_.clear();
  if (more) slices_ = std::move(slices);
}

}  // namespace spv::sync
