// BlockScan: brings the wallet from its scanned height to the tip, block by block, in order, from one peer or several.
//
// The scan invariant: a block counts as scanned only if it was matched by all that is known below it: served under a
// filter (or several, each with a part of it) that already held every script and every own outpoint, or whole and
// looked through here for all of them. It holds because
//   - a filter is made from all that the wallet watches;
//   - while it stands, the node inserts the outpoint of every output it matches (UPDATE_ALL), so spends of coins that
//     it has served are matched too;
//   - whole blocks are matched when they come, by the coins of all that came before; one that waits for its turn is
//     asked for again if it spends a coin that comes to light below it;
//   - when a block brings a coin, all that was not asked for after it under the same filter (at another peer, or under
//     a filter that was loaded meanwhile) is asked for again, under one that holds the coin: ScanBoard::revoke;
//   - when a block uses a script so far ahead that the gap limit reaches beyond what was watched (`widened`), that
//     block, all that were asked for behind it, and all below (for the new scripts) are asked for again: `backfill`;
//   - where more is watched than one filter holds at its rate, a block is served under several, one after the other,
//     before it is applied: FilterSlices.
// `scanned_to` never goes back by this; `backfill` says which blocks at or below it are owed a second look.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bip37/filter_plan.h"
#include "chain/header_chain.h"
#include "sync/scan/block_matcher.h"
#include "sync/scan/contention.h"
#include "sync/scan/cross_check.h"
#include "sync/scan/filter_slices.h"
#include "sync/scan/scan_board.h"
#include "sync/scan/scan_lane.h"
#include "sync/scan/scan_window.h"
#include "sync/scan/source_choice.h"
#include "sync/watch/watcher.h"
#include "util/rng.h"

namespace spv::sync {

/// What a scan has done so far; shown at its end.
struct ScanCounters {
  chain::Height scanned_from = -1;  // lowest height asked for; -1: none
  std::uint64_t merkleblocks = 0;
  std::uint64_t blocks = 0;        // whole ones
  std::uint64_t transactions = 0;  // in all blocks scanned
  std::uint64_t matched = 0;
  std::uint64_t relevant = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t rescans = 0;
  std::uint64_t asked_again = 0;  // blocks whose first answer was made without a coin that was found below them
};

/// A peer that a cross-check has found out or that can serve no more, and why it must go.
struct Conviction {
  PeerId peer = 0;
  DisconnectReason reason{};
};

/// What a message from a peer came to.
struct ScanStep {
  std::optional<DisconnectReason> fault;  // why the connection must end, if it must
  bool taken = false;                     // the scan had asked for it, or a proof had promised it
  bool found = false;                     // a transaction of ours that was not known as such before
  bool applied = false;                   // blocks were scanned
  std::vector<Conviction> convicted;      // others, or the same peer, that must go too
};

class BlockScan {
 public:
  /// Blocks in one getdata.
  static constexpr std::size_t kBatchBlocks = 500;
  /// Scanned blocks are committed at least this often.
  static constexpr util::Duration kCommitInterval = std::chrono::seconds(1);

  BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate, CrossCheck check, SourceOptions source,
            util::Rng rng);

  // --- the peers that serve -------------------------------------------------------------------------------------
  [[nodiscard]] bool has_lane(PeerId peer) const { return lanes_.contains(peer); }
  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  /// Takes a peer on: where it filters for us, loads a filter that holds all that is known now.
  void add_lane(PeerId peer, bool strict, LaneUse use, Outbox& out);
  /// The peer is gone; what it had under way is asked for elsewhere.
  void remove_lane(PeerId peer);
  /// The peer has the blocks of the best chain up to here.
  void set_reach(PeerId peer, chain::Height height);
  /// More peers than those with a lane may soon have one: no single one should be asked for everything meanwhile.
  void expect_company(bool expected) { company_ = expected; }
  /// Others can be found: a peer that lags for long is convicted as Stalled.
  void replace_slow(bool replace) { replace_slow_ = replace; }
  /// True if some peer has the next block, or there is none.
  [[nodiscard]] bool can_go_on() const;

  // --- what happens ---------------------------------------------------------------------------------------------
  // The peer has a lane.
  ScanStep on(PeerId peer, const p2p::MerkleBlock& message, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, const p2p::Block& message, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, const p2p::Pong& message, const ScanLane::KnownTransactions& known, util::Now now,
              Outbox& out);
  ScanStep on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out);
  /// See ScanLane::excuses.
  bool excuses(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid);
  /// A transaction outside a block changed the wallet: commits that, and looks again at all blocks where more scripts
  /// are watched now than when they were asked for.
  void on_unconfirmed(WatchEffect effect, util::Now now, Outbox& out);
  /// The best chain left the old one at `fork`.
  void on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out);
  /// Compares what was scanned with the best chain, and goes back where they differ: a reorganisation that happened
  /// while we were away. Call once the headers are up to date, and when other wallets are watched.
  void align(util::Now now, Outbox& out);
  /// More is watched than the filters hold (a pending transaction's inputs): renews them.
  void want_reload() { plan_again(); }

  // --- driving --------------------------------------------------------------------------------------------------
  /// Asks every peer for as much as may be under way, up to `last` at most. Gives those that must go.
  [[nodiscard]] std::vector<Conviction> pump(chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  /// Commits what is not committed yet, and then tells of it.
  void flush(util::Now now, Outbox& out);

  [[nodiscard]] bool done() const;
  /// When a peer's silence becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline(PeerId peer) const;
  /// When to look again, of all.
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;
  [[nodiscard]] const ScanCounters& counters() const { return counters_; }
  /// Blocks that two peers gave alike.
  [[nodiscard]] std::uint64_t cross_checked() const { return cross_checked_; }
  /// Grows whenever a change of transactions is committed.
  [[nodiscard]] std::uint64_t wallet_version() const { return wallet_version_; }
  /// The filter as it was last loaded; nothing before the first.
  [[nodiscard]] const std::optional<bip37::FilterPlan>& filter() const { return filter_; }
  /// What the filter of the first peer that has one holds now; null without.
  [[nodiscard]] const bip37::FilterMirror* mirror() const;
  /// The next height to be applied.
  [[nodiscard]] chain::Height position() const { return slices_.holds() ? slices_.first() : board_.next(); }
  /// The filters hold only a part of what is watched: loose transactions that concern the rest are not told of.
  [[nodiscard]] bool is_sliced() const { return slices_.active(); }

 private:
  struct Lane {
    ScanLane pipe;
    LaneUse use;
    SourceChoice choice;
    chain::Height reach = -1;
    std::size_t room = 0;  // blocks that may be under way under its filter
    bool worn = false;     // its filter should be renewed
    std::optional<util::TimePoint> lags_since =
        std::nullopt;      // an answer came late, and not all that it owed came since
    bool lacking = false;  // its filter lacks a coin: nothing that it serves under it counts

    /// A filter must be loaded before the next filtered block is asked for.
    [[nodiscard]] bool renews() const { return use.filtered && (worn || lacking); }
  };
  /// What a block's transactions changed.
  struct Effect {
    std::optional<chain::Height> widened_from;  // more scripts are watched, for blocks from here on
    /// There is a coin that filters hold only from this one on; of several the latest.
    std::optional<FilterEpoch> held_from;
    std::vector<chain::OutPoint> coins;
    std::vector<chain::Txid> ours;
    bool found_before = false;  // an earlier pass has found something of ours in the block
    util::Bytes proof;          // of the block, once it is needed
  };

  void settle_birthday();
  void take_position();
  void plan_again();
  void load_filter(Lane& lane, Outbox& out);
  void start_over(chain::Height first);
  ScanStep drain(Lane& lane, util::Now now, Outbox& out);
  std::optional<DisconnectReason> deliver(Lane& lane, util::Now now, Outbox& out);
  void apply(const ScannedBlock& block, util::Now now, Outbox& out);
  Effect apply_transactions(const ScannedBlock& block, util::Now now);
  bool confirm(const ProvenTransaction& proven, const ScannedBlock& block, util::Now now, Effect& effect);
  [[nodiscard]] std::optional<ScannedBlock> next_block();
  void hold(ScannedBlock block);
  void note_server(const ScannedBlock& block, const Effect& effect);
  [[nodiscard]] bool has_gap(const std::vector<FilterSlices::Part>& parts) const;
  [[nodiscard]] bool may_go_on() const;
  [[nodiscard]] bool can_serve(const Lane& lane) const;
  bool turn_slices(chain::Height last);
  void end_pass();
  void begin_stretch(chain::Height last);
  [[nodiscard]] bool may_slice() const;
  [[nodiscard]] bool is_checked() const;
  void learn_ahead(const ScannedBlock& block);
  void learn(const ProvenTransaction& proven, Effect& effect);
  bool replay(const ProvenTransaction& proven);
  void renew_others(FilterEpoch found);
  void on_coin(const ScannedBlock& block, const Effect& effect);
  void refresh_watched();
  [[nodiscard]] bool is_ours(const ProvenTransaction& proven) const;
  void on_checked(const ScannedBlock& second);
  void distrust(PeerId peer, DisconnectReason reason);
  void take_news(WatchEffect effect);
  void count(const ScannedBlock& block);
  [[nodiscard]] bool may_ask(const Lane& lane) const;
  [[nodiscard]] bool must_drain(const Lane& lane) const;
  [[nodiscard]] bool filters() const;
  [[nodiscard]] bool is_between_filters(const Lane& lane) const;
  [[nodiscard]] std::size_t window(const Lane& lane, BlockKind kind) const;
  [[nodiscard]] std::size_t whole_allowance(const Lane& lane) const;
  std::optional<SourceChoice::Pick> choose(Lane& lane);
  [[nodiscard]] chain::Height farthest() const;
  void measure_room(Lane& lane) const;
  bool ask_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out);
  bool ask_some(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  void request(Lane& lane, const std::vector<chain::Height>& heights, BlockKind kind, util::Rng& rng, util::Now now,
               Outbox& out);
  bool lags(Lane& lane, util::Now now);
  void look_again(chain::Height from, chain::Height to);
  void advance(const chain::BlockRef& block);
  void rescan_below(chain::Height height, chain::Height widened_from);
  void note_witnesses();
  void go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out);
  void store_position();

  const chain::HeaderChain& chain_;
  Watcher& watcher_;
  double fp_rate_;
  std::map<PeerId, Lane> lanes_;
  bool company_ = false;
  bool replace_slow_ = false;
  ScanBoard board_;
  FilterSlices slices_;
  std::size_t slice_capacity_;                      // elements
  chain::Height slice_count_ = 1;                   // filters that what is watched needs
  chain::Height stretch_ = FilterSlices::kStretch;  // blocks in the next one, at most
  FilterEpoch last_epoch_ = 0;
  /// What every filter should hold now: the plan, and the coins found since it was made. Nothing: to be planned.
  std::optional<bip37::FilterMirror> known_;
  FilterEpoch planned_at_ = 0;  // the first filter of that plan
  /// Transactions with coins that were seen before it was their block's turn: filters of that plan hold them from this
  /// one on.
  std::unordered_map<chain::Txid, FilterEpoch> seen_ahead_;
  SourceOptions source_;
  BlockMatcher matcher_;
  bool watched_stale_ = true;     // the matcher is to be told anew what is watched
  std::uint64_t downloaded_ = 0;  // bytes of whole blocks from beyond the local network
  Contention contention_;
  CrossCheck check_;
  std::map<PeerId, chain::Height> served_from_;  // the lowest block that counts by this peer's word
  std::vector<Conviction> convictions_;

  // What is scanned; the wallets are told before every commit.
  chain::BlockRef scanned_to_;
  std::optional<wallet::HeightRange> backfill_;
  std::vector<chain::Height> attested_by_two_;
  std::vector<chain::Height> attested_whole_;

  std::vector<Event> untold_;  // what the user hears once it is committed
  bool position_dirty_ = false;
  std::optional<util::TimePoint> last_commit_;
  ScanCounters counters_;
  std::uint64_t cross_checked_ = 0;
  bool applied_ = false;  // in this step
  std::uint64_t wallet_version_ = 0;
  ScanWindow window_;
  chain::Height counted_to_ = -1;             // blocks up to here are in the counters: a second look is not
  std::unordered_set<chain::Txid> relevant_;  // counted as relevant
  std::optional<bip37::FilterPlan> filter_;   // the last plan
};

}  // namespace spv::sync
