// ScanBoard: which blocks are asked for where, which answers wait for their turn, and which must be asked for again.
// Blocks are handed out in ascending order to whoever has room, and delivered strictly in order.
//
// A node learns of a coin that we own only by what it serves under its present filter, so a filtered block counts only
// if the peer that served it knew every coin below: revoke() puts back what was asked for without a coin that was just
// found. A whole block is matched here when it comes, by all that is known then; if it came before a coin below it was
// found, it is asked for again only if it spends that coin. A compact filter holds the scripts of what a block spends,
// so an answer by one stands whatever coin is found below it; where it matched, the block is asked for whole.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "sync/scan/scanned_block.h"

namespace spv::sync {

class ScanBoard {
 public:
  /// Answers may run ahead of the lowest block that is missing by so many blocks and bytes.
  static constexpr chain::Height kMaxAhead = 4'000;
  static constexpr std::size_t kMaxAheadBytes = 8'000'000;
  /// Peers that may be asked for one block, each after the one before was overdue.
  static constexpr std::size_t kMaxAsks = 4;

  /// Forgets everything; `first` is the next block to be delivered.
  void restart(chain::Height first);
  /// The next block to be delivered.
  [[nodiscard]] chain::Height next() const { return first_; }
  /// Nobody was ever asked for this one, or what lies above it.
  [[nodiscard]] chain::Height end() const { return first_ + static_cast<chain::Height>(entries_.size()); }
  /// How many blocks up to `last` nobody was asked for.
  [[nodiscard]] std::size_t unasked(chain::Height last) const;

  /// Up to `count` blocks for a peer that has all up to `last`, ascending: first what must be asked for again, then
  /// what another peer owes for too long, then new ones.
  [[nodiscard]] std::vector<chain::Height> pick(PeerId peer, std::size_t count, chain::Height last,
                                                util::Now now) const;
  /// The same for blocks whose compact filter matched: they must be asked for whole.
  [[nodiscard]] std::vector<chain::Height> pick_matched(PeerId peer, std::size_t count, chain::Height last,
                                                        util::Now now) const;
  /// The same as pick(), but one range without a gap, as compact filters are asked for.
  [[nodiscard]] std::vector<chain::Height> pick_range(PeerId peer, std::size_t count, chain::Height last,
                                                      util::Now now) const;
  /// The blocks went out: the first as `request`, the others counted on from it. After `due` they may be asked for
  /// elsewhere too.
  void asked(const std::vector<chain::Height>& blocks, RequestId request, util::TimePoint due);
  /// An answer came. One that nobody waits for is dropped.
  void answered(ScannedBlock block);
  /// The next block, if it is there.
  [[nodiscard]] std::optional<ScannedBlock> take();

  /// Whether a whole block that waits has missed a coin that lies below it.
  using Missed = std::function<bool(const ScannedBlock&)>;
  /// In `found`, which was just taken, lies a coin; only filters from `held_from` on hold it, or all if that is
  /// nothing. Filtered blocks that were asked for under an older one, and not after `found` under the same, must be
  /// asked for again; and in any case whole ones that have missed it. Gives the number of such blocks.
  std::size_t revoke(const ScannedBlock& found, std::optional<FilterEpoch> held_from, const Missed& missed);
  /// True if a filtered block was asked for, or waits for its turn, under a filter older than this one.
  [[nodiscard]] bool has_older_than(FilterEpoch epoch) const;
  /// No compact filter tells whether there is something of ours in this block: one that waits does not count.
  void doubt(chain::Height height);
  /// The next block has matched a compact filter: it comes whole only.
  [[nodiscard]] bool is_next_matched() const { return !entries_.empty() && entries_.front().matched; }
  /// What compact filters have matched need not come whole.
  void forget_matches();
  /// What this peer still owes must be asked for elsewhere; its answers so far stay.
  void lost(PeerId peer);
  /// When the lowest block that is due becomes overdue; nothing if none is due, or enough peers are asked already.
  [[nodiscard]] std::optional<util::TimePoint> overdue_at() const;

 private:
  struct Ask {
    RequestId request;
    util::TimePoint due{};
  };
  struct Entry {
    std::vector<Ask> asks;  // at most kMaxAsks
    std::optional<ScannedBlock> answer;
    bool matched = false;  // its compact filter matched: only the whole block counts
    /// When all that were asked are overdue; nothing if none was, or no more may be.
    [[nodiscard]] std::optional<util::TimePoint> overdue_at() const;
  };
  void want_whole(chain::Height height);
  [[nodiscard]] bool follows(const ScannedBlock& found) const;
  Entry& at(chain::Height height) { return entries_[static_cast<std::size_t>(height - first_)]; }
  [[nodiscard]] const Entry& at(chain::Height height) const {
    return entries_[static_cast<std::size_t>(height - first_)];
  }
  [[nodiscard]] chain::Height limit(chain::Height last) const;
  void pick_overdue(PeerId peer, std::size_t count, chain::Height last, util::Now now, bool matched,
                    std::vector<chain::Height>& out) const;

  chain::Height first_ = 0;
  std::deque<Entry> entries_;        // from first_ on
  std::set<chain::Height> unasked_;  // of those
  std::size_t matched_ = 0;          // of those, the ones whose compact filter matched
  std::size_t held_bytes_ = 0;       // of answers that wait
  // From here on all blocks were asked for once, filtered, in ascending order, under filters of ascending epoch.
  chain::Height ascending_from_ = 0;
  FilterEpoch last_epoch_ = 0;  // of the last request
};

}  // namespace spv::sync
