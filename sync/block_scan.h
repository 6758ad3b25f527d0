// BlockScan: brings the wallet from its scanned height to the tip, block by block, in order.
//
// The scan invariant: a block counts as scanned only if it was asked for under a filter that already held every
// script and every own outpoint known below it. It holds because
//   - a filter is made from all that the wallet watches, and is replaced only when nothing that counts is under way;
//   - while it stands, the node inserts the outpoint of every output it matches (UPDATE_ALL), in block order, so
//     spends of coins found on the way are matched too;
//   - when a block uses a script so far ahead that the gap limit reaches beyond what was watched (`widened`), that
//     block, all that were asked for behind it, and all below (for the new scripts) are asked for again: `backfill`.
// `scanned_to` never goes back by this; `backfill` says which blocks at or below it are owed a second look.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "bip37/filter_plan.h"
#include "chain/header_chain.h"
#include "sync/scan_lane.h"
#include "sync/scan_window.h"
#include "sync/watcher.h"
#include "util/rng.h"

namespace spv::sync {

/// What a scan has done so far; shown at its end.
struct ScanCounters {
  chain::Height scanned_from = -1;  // lowest height asked for; -1: none
  std::uint64_t merkleblocks = 0;
  std::uint64_t transactions = 0;  // in all blocks scanned
  std::uint64_t matched = 0;
  std::uint64_t relevant = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t rescans = 0;
};

class BlockScan {
 public:
  /// Blocks in one getdata.
  static constexpr std::size_t kBatchBlocks = 500;
  /// Scanned blocks are committed at least this often.
  static constexpr util::Duration kCommitInterval = std::chrono::seconds(1);

  BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate);

  // --- the peer that serves -------------------------------------------------------------------------------------
  [[nodiscard]] std::optional<PeerId> peer() const;
  /// Begins on a peer, or goes on there: loads a filter that holds all that is known now.
  void start(PeerId peer, bool strict, Outbox& out);
  /// The peer is gone; what it had under way is asked for elsewhere.
  void stop();

  // --- what happens ---------------------------------------------------------------------------------------------
  std::optional<DisconnectReason> on(const p2p::MerkleBlock& message, util::Now now, Outbox& out);
  std::optional<DisconnectReason> on(const p2p::Pong& message, const ScanLane::KnownTransactions& known, util::Now now,
                                     Outbox& out);
  std::optional<DisconnectReason> on(const chain::Transaction& tx, const chain::Txid& txid, util::Now now, bool& taken,
                                     Outbox& out);
  /// See ScanLane::excuses.
  bool excuses(const chain::Transaction& tx, const chain::Txid& txid) { return lane_ && lane_->excuses(tx, txid); }
  /// A transaction outside a block changed the wallet: commits that, and looks again at all blocks where more scripts
  /// are watched now than when they were asked for.
  void on_unconfirmed(wallet::Changes changes, util::Now now, Outbox& out);
  /// The best chain left the old one at `fork`.
  void on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out);
  /// Compares what was scanned with the best chain, and goes back where they differ: a reorganisation that happened
  /// while we were away. Call once the headers are up to date.
  void align(util::Now now, Outbox& out);
  /// More is watched than the filter holds (a pending transaction's inputs): renew it as soon as nothing is under way.
  void want_reload() { reload_wanted_ = true; }

  // --- driving --------------------------------------------------------------------------------------------------
  /// Asks for as much as may be under way, up to the tip, or to `peer_has` if the peer has not got further yet.
  void pump(chain::Height peer_has, util::Rng& rng, util::Now now, Outbox& out);
  /// Commits what is not committed yet, and then tells of it.
  void flush(util::Now now, Outbox& out);

  [[nodiscard]] bool done() const;
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;
  [[nodiscard]] const ScanCounters& counters() const { return counters_; }
  /// Blocks applied so far, second looks included: it grows when a peer has brought us forward.
  [[nodiscard]] std::uint64_t blocks_applied() const { return blocks_applied_; }
  /// Grows whenever a change of transactions is committed.
  [[nodiscard]] std::uint64_t wallet_version() const { return wallet_version_; }
  /// The filter as it was last loaded; nothing before the first.
  [[nodiscard]] const std::optional<bip37::FilterPlan>& filter() const { return filter_; }
  /// What the peer's filter holds now; null without a peer.
  [[nodiscard]] const bip37::FilterMirror* mirror() const { return lane_ ? &lane_->mirror() : nullptr; }
  /// The next height to be applied, and the number of blocks from there to the tip.
  [[nodiscard]] chain::Height position() const { return next_apply_; }

 private:
  void settle_birthday();
  void take_position();
  void load_filter(Outbox& out);
  std::optional<DisconnectReason> drain(util::Now now, Outbox& out);
  void apply(const ScannedBlock& block, util::Now now, Outbox& out);
  bool apply_transactions(const ScannedBlock& block, util::Now now);
  void take_changes(wallet::Changes changes);
  void count(const ScannedBlock& block);
  void request_up_to(chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  void advance(const chain::BlockRef& block);
  void rescan_below(chain::Height height, Outbox& out);
  void go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out);
  [[nodiscard]] chain::BlockRef highest_anchor_on_chain() const;
  void store_position();

  const chain::HeaderChain& chain_;
  Watcher& watcher_;
  double fp_rate_;
  std::optional<ScanLane> lane_;
  bool reload_wanted_ = false;

  // The wallet's scan position; written back to it before every commit.
  chain::BlockRef scanned_to_;
  std::optional<wallet::HeightRange> backfill_;
  chain::Height next_apply_ = 0;
  chain::Height next_request_ = 0;

  wallet::Changes pending_;
  std::vector<Event> untold_;  // what the user hears once `pending_` is committed
  bool position_dirty_ = false;
  std::optional<util::TimePoint> last_commit_;
  ScanCounters counters_;
  std::uint64_t blocks_applied_ = 0;
  std::uint64_t wallet_version_ = 0;
  ScanWindow window_;
  chain::Height counted_to_ = -1;             // blocks up to here are in the counters: a second look is not
  std::unordered_set<chain::Txid> relevant_;  // counted as relevant
  std::optional<bip37::FilterPlan> filter_;
};

}  // namespace spv::sync
