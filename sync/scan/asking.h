// Asking: whom to ask for which kind of block, and for how many at once. Rules alone: BlockScan does the asking.
#pragma once

#include <optional>

#include "chain/header_chain.h"
#include "sync/scan/contention.h"
#include "sync/scan/lanes.h"
#include "sync/scan/scan_board.h"
#include "sync/scan/scan_window.h"
#include "sync/scan/sliced_scan.h"

namespace spv::sync {

class Asking {
 public:
  /// Blocks in one getdata.
  static constexpr std::size_t kBatchBlocks = 500;

  /// What it looks at outlives it.
  Asking(const Lanes& lanes, const ScanBoard& board, const SlicedScan& slices, SourceOptions source)
      : lanes_(lanes), board_(board), slices_(slices), source_(source) {}

  // --- what happened --------------------------------------------------------------------------------------------
  /// More peers than those with a lane may soon have one: no single one should be asked for everything meanwhile.
  void expect_company(bool expected) { company_ = expected; }
  /// Whole blocks from beyond the local network are counted.
  void on_whole_block(std::size_t bytes, const LaneUse& use) { downloaded_ += use.local ? 0 : bytes; }
  [[nodiscard]] ScanWindow& pace() { return window_; }
  [[nodiscard]] const ScanWindow& pace() const { return window_; }
  [[nodiscard]] Contention& contention() { return contention_; }
  [[nodiscard]] const SourceOptions& source() const { return source_; }

  // --- whom -----------------------------------------------------------------------------------------------------
  /// Where peers get into each other's way, one goes on alone: it has every coin that it has served itself.
  [[nodiscard]] bool may_ask(const Lane& lane) const;
  /// Slices are looked for by filters alone. Who may be asked for no more whole blocks for now still serves.
  [[nodiscard]] bool can_serve(const Lane& lane) const { return lane.use.filtered || !slices_.active(); }
  /// Has the next block, and may serve it.
  [[nodiscard]] bool has_next(const Lane& lane) const { return lane.reach >= board_.next() && can_serve(lane); }
  /// It may be asked for the next block now, in the form in which that is wanted.
  [[nodiscard]] bool may_bring_next(const Lane& lane) const;
  /// An answer is late, or was and not all that the peer owed came since: by then it is known how quick it is.
  [[nodiscard]] bool lags(Lane& lane, util::Now now) const;
  /// So long that it is replaced, where others are known.
  [[nodiscard]] bool lags_too_long(const Lane& lane, util::Now now) const;
  /// Filtered blocks are not asked for before what is under way has come: a coin in it would not be in the next filter.
  [[nodiscard]] bool must_drain(const Lane& lane) const;
  /// It is asked for compact filters: it is near by, or nobody filters for us, or we want nothing else; and blocks that
  /// match may be fetched.
  [[nodiscard]] bool scans_compact(const Lane& lane) const { return prefers_compact(lane) && !slices_.active(); }
  /// Compact filters of this peer are compared with what others have served by theirs.
  [[nodiscard]] bool checks_compact(const Lane& lane) const {
    return lane.use.compact && !lane.use.filtered && !prefers_compact(lane) && !slices_.active();
  }
  /// Its compact filters serve for one or the other.
  [[nodiscard]] bool uses_compact(const Lane& lane) const {
    return lane.use.compact && (!lane.use.filtered || prefers_compact(lane));
  }
  /// It offers no filters, and whole blocks may not be asked of it, nor later.
  [[nodiscard]] bool is_useless(const Lane& lane) const;

  // --- for what, and how much -----------------------------------------------------------------------------------
  /// What to ask for next; nothing: this peer can be asked for nothing now.
  [[nodiscard]] std::optional<SourceChoice::Pick> choose(Lane& lane) const;
  /// Blocks that may be under way at this peer.
  [[nodiscard]] std::size_t window(const Lane& lane, BlockKind kind) const;
  /// Of those, how many to ask for at once.
  [[nodiscard]] static std::size_t batch_of(std::size_t window);
  /// This peer is not asked for what lies above.
  [[nodiscard]] chain::Height farthest(const Lane& lane) const;
  /// How many blocks that compact filters match may be asked of this peer.
  [[nodiscard]] std::size_t matched_allowance(const Lane& lane) const;
  /// Nobody may be asked for a whole block any more: those that compact filters match come by bloom filters.
  [[nodiscard]] bool leaves_matched() const;
  /// Looks at the lane's filter: how much may be under way under it, and whether it should be renewed.
  void measure_room(Lane& lane) const;
  /// True if no whole blocks may be taken, and more is watched than one filter holds.
  [[nodiscard]] bool may_slice() const;

 private:
  [[nodiscard]] bool prefers_compact(const Lane& lane) const {
    return lane.use.compact && (lane.use.local || !lanes_.filters()) && may_fetch(lane);
  }
  /// Blocks that compact filters match may be asked of this peer, now or later.
  [[nodiscard]] bool may_fetch(const Lane& lane) const { return !limits_matched() || lane.use.local || takes_more(); }
  /// Blocks that match are few: without a limit of the user's they are fetched from strangers too.
  [[nodiscard]] bool limits_matched() const { return source_.mode == SourceMode::Auto && source_.max_download > 0; }
  [[nodiscard]] std::size_t whole_allowance(const Lane& lane) const;
  /// It may be asked for blocks now. Otherwise it only checks what others serve, or waits.
  [[nodiscard]] bool may_scan(const Lane& lane) const;
  /// Another whole block from beyond the local network cannot pass the limit.
  [[nodiscard]] bool takes_more() const { return downloaded_ + p2p::kMaxPayloadBytes <= source_.max_download; }
  [[nodiscard]] static bool is_between_filters(const Lane& lane);

  const Lanes& lanes_;
  const ScanBoard& board_;
  const SlicedScan& slices_;
  SourceOptions source_;
  bool company_ = false;
  std::uint64_t downloaded_ = 0;  // bytes of whole blocks from beyond the local network
  ScanWindow window_;
  Contention contention_;
};

}  // namespace spv::sync
