// BlockScan: brings the wallets from their scanned height to the tip, block by block, in order, from one peer or
// several.
//
// The scan invariant: a block counts as scanned only if it was matched by all that is known below it: served under a
// filter (or several, each with a part of it) that already held every script and every own outpoint, or whole and
// looked through here for all of them. It holds because
//   - a filter is made from all that the wallets watch;
//   - while it stands, the node inserts the outpoint of every output it matches (UPDATE_ALL), so spends of coins that
//     it has served are matched too;
//   - whole blocks are matched when they come, by the coins of all that came before; one that waits for its turn is
//     asked for again if it spends a coin that comes to light below it;
//   - when a block brings a coin, all that was not asked for after it under the same filter (at another peer, or under
//     a filter that was loaded meanwhile) is asked for again, under one that holds the coin: ScanBoard::revoke;
//   - when a block uses a script so far ahead that the gap limit reaches beyond what was watched (`widened_from`), that
//     block, all that were asked for behind it, and all below (for the new scripts) are asked for again: they are owed;
//   - a block's compact filter is matched here by all our scripts, and holds the scripts of what the block spends:
//   where
//     it matches, the block is looked through whole; where it does not, only scripts that come to be watched later
//     matter, as above;
//   - where more is watched than one filter holds at its rate, a block is served under several, one after the other,
//     before it is applied: SlicedScan.
#pragma once

#include "sync/scan/asking.h"
#include "sync/scan/compact/compact_scan.h"
#include "sync/scan/filter_keeper.h"
#include "sync/scan/scan_commits.h"
#include "sync/scan/scan_position.h"
#include "sync/scan/scan_step.h"
#include "sync/scan/scan_tally.h"

namespace spv::sync {

class BlockScan {
 public:
  /// `chain`, `watcher` and `filter_headers` outlive it; without the latter they are kept in memory.
  BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate, CrossCheck check, SourceOptions source,
            util::Rng rng, bip158::FilterHeaderStore* filter_headers = nullptr);
  BlockScan(const BlockScan&) = delete;
  BlockScan& operator=(const BlockScan&) = delete;

  // --- the peers that serve -------------------------------------------------------------------------------------
  [[nodiscard]] bool has_lane(PeerId peer) const { return lanes_.contains(peer); }
  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  /// Takes a peer on: where it filters for us, loads a filter that holds all that is known now.
  void add_lane(PeerId peer, bool strict, LaneUse use, Outbox& out);
  /// The peer is gone; what it had under way is asked for elsewhere.
  void remove_lane(PeerId peer);
  /// The peer has the blocks of the best chain up to here.
  void set_reach(PeerId peer, chain::Height height) { lanes_.at(peer).reach = height; }
  void expect_company(bool expected) { asking_.expect_company(expected); }
  /// True if some peer has the next block, or there is none.
  [[nodiscard]] bool can_go_on() const;

  // --- what happens ---------------------------------------------------------------------------------------------
  // The peer has a lane. What is taken may be moved from, and nothing else is.
  ScanStep on(PeerId peer, p2p::MerkleBlock& message, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, const p2p::Block& message, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, const p2p::CFilter& message, util::Now now, Outbox& out);
  ScanStep on(PeerId peer, const p2p::CFHeaders& message);
  ScanStep on(PeerId peer, const p2p::Pong& message, const KnownTransactions& known, util::Now now, Outbox& out);
  /// See FilteredBlocks.
  bool excuses(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid);
  /// A transaction outside a block changed the wallets: commits that, and scans again where more scripts are watched.
  void on_unconfirmed(const WatchEffect& effect, util::Now now, Outbox& out);
  /// The best chain left the old one at `fork`.
  void on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out);
  /// The same before the wallets' place on the chain is known.
  void on_left_above(chain::Height fork) { compact_.cut_above(fork); }
  /// The best chain is known, or other wallets are watched: goes back where it differs from what was scanned.
  void align(util::Now now, Outbox& out);
  /// What these transactions spend is watched too, as long as they wait for a block: renews the filters.
  void watch_inputs(const WatchEffect& effect);

  // --- driving --------------------------------------------------------------------------------------------------
  /// Asks every peer for as much as may be under way, up to `last` at most. `replace_slow`: others can be found, so one
  /// that lags for long must go. Gives those that must.
  [[nodiscard]] std::vector<Conviction> pump(chain::Height last, bool replace_slow, util::Rng& rng, util::Now now,
                                             Outbox& out);
  /// Commits what is not committed yet, and then tells of it.
  void flush(util::Now now, Outbox& out);

  [[nodiscard]] bool done() const;
  /// When a peer's silence becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline(PeerId peer) const;
  /// When to look again, of all.
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;
  [[nodiscard]] const ScanCounters& counters() const { return tally_.counters(); }
  [[nodiscard]] std::uint64_t cross_checked() const { return trust_.cross_checked(); }
  [[nodiscard]] std::uint64_t wallet_version() const { return commits_.version(); }
  /// The filter as it was last planned; nothing before the first.
  [[nodiscard]] const std::optional<bip37::FilterPlan>& filter() const { return keeper_.planned(); }
  /// What the filter of the first peer that has one holds now; null without.
  [[nodiscard]] const bip37::FilterMirror* mirror() const { return lanes_.mirror(); }
  /// The same of one peer, and how far its blocks reach; nothing if it serves none.
  [[nodiscard]] const Lane* lane(PeerId peer) const { return lanes_.find(peer); }
  /// The next height to be applied.
  [[nodiscard]] chain::Height position() const { return slices_.position(board_.next()); }
  /// The filters hold only a part of what is watched: loose transactions that concern the rest are not announced.
  [[nodiscard]] bool is_sliced() const { return slices_.active(); }

 private:
  /// What a block's transactions changed.
  struct Effect {
    std::optional<chain::Height> widened_from = {};  // more scripts are watched, for blocks from here on
    /// There is a coin that filters hold only from this one on; of several the latest.
    std::optional<FilterEpoch> held_from = {};
    std::vector<chain::OutPoint> coins = {};
    std::vector<chain::Txid> ours = {};
    bool found = false;         // something that was not known as ours before
    bool found_before = false;  // an earlier pass has found something of ours in the block

    void merge(const Effect& later);
  };
  /// What came of the blocks whose turn it was.
  struct Delivery {
    bool applied = false;
    bool found = false;
  };

  ScanStep drain(Lane& lane, util::Now now, Outbox& out);
  std::optional<DisconnectReason> collect(Lane& lane);
  Delivery deliver(util::Now now, Outbox& out);
  Effect apply(const ScannedBlock& block, util::Now now, Outbox& out);
  void count_as_scanned(const ScannedBlock& block, const Effect& effect, std::vector<FilterSlices::Part> parts,
                        util::Now now, Outbox& out);
  void hold(ScannedBlock block);
  /// Nothing if it is a stranger's.
  std::optional<Effect> confirm(const ProvenTransaction& proven, const ScannedBlock& block, util::Now now);
  Effect learn(const ProvenTransaction& proven);
  void learn_ahead(const ScannedBlock& block);
  void note_server(const ScannedBlock& block, const Effect& effect);
  void on_coin(const ScannedBlock& block, const Effect& effect);
  void on_checked(const ScannedBlock& second);
  [[nodiscard]] bool is_ours(const ProvenTransaction& proven) const;
  [[nodiscard]] bool has_gap(const std::vector<FilterSlices::Part>& parts) const;

  bool ask_matched(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  bool ask_filters(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  bool ask_filter_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out);
  void ask_filter_headers(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  void ask_for_trial(util::Rng& rng, util::Now now, Outbox& out);
  void settle_trial();
  [[nodiscard]] bool holds_news(const p2p::Block& message);
  void limit_comparison(util::Now now);
  void give_up_filters(Lane& lane);
  [[nodiscard]] bool could_help(const Lane& lane) const;
  [[nodiscard]] bool owes_headers(const Lane& lane) const;
  void refute_filter(chain::Height height, DisconnectReason reason);
  [[nodiscard]] bool are_filters_compared() const;
  [[nodiscard]] bool has_other_use(const Lane& lane) const;

  bool turn_slices(chain::Height last);
  void begin_stretch(chain::Height last);
  void end_pass();
  bool ask_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out);
  bool ask_some(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out);
  void request(Lane& lane, const std::vector<chain::Height>& heights, BlockKind kind, util::Rng& rng, util::Now now,
               Outbox& out);
  void load_filter(Lane& lane, Outbox& out);
  void want_reload();
  void rescan_below(chain::Height height, chain::Height widened_from);
  void distrust(PeerId peer, DisconnectReason reason);
  void go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out);
  void start_over(chain::Height first);
  void begin_at(chain::Height first);
  [[nodiscard]] bool is_checked() const;

  const chain::HeaderChain& chain_;
  Watcher& watcher_;
  ScanPosition position_;
  ScanCommits commits_;
  ScanTally tally_;
  ScanTrust trust_;
  Lanes lanes_;
  ScanBoard board_;
  SlicedScan slices_;
  FilterKeeper keeper_;
  WholeMatcher matcher_;
  Asking asking_;
  CompactScan compact_;
  std::optional<util::TimePoint> compare_until_;  // only filter headers are still waited for
};

}  // namespace spv::sync
