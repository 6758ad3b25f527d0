// Engine: the whole client as one deterministic function, (state, input, now) -> actions. It never blocks, never
// throws, and knows no socket, clock or file; the shell tells it what happened and does what it says.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chain/header_chain.h"
#include "sync/engine/tip_events.h"
#include "sync/headers/header_sync.h"
#include "sync/peers/peer_pool.h"
#include "sync/relay/rebroadcast.h"
#include "sync/relay/tx_relay.h"
#include "sync/scan/block_scan.h"
#include "sync/types/outbox.h"
#include "sync/types/types.h"
#include "sync/watch/watcher.h"
#include "util/rng.h"

namespace spv::sync {

struct EngineOptions {
  std::vector<PeerAddress> peers;
  /// Where other peers come from; none: only those above are used.
  std::optional<BookUse> book;
  util::Duration connect_timeout = PeerPool::kConnectTimeout;
  double fp_rate = bip37::kDefaultFpRate;
  /// How long the mempool's answer is waited for; zero: not asked.
  util::Duration mempool_wait = std::chrono::seconds(10);
  /// Whether peers are asked for filtered or for whole blocks.
  SourceOptions source;
  /// Which blocks a second peer is asked for, where there is one.
  CrossCheckMode cross_check = CrossCheckMode::Sample;
  /// Stay at the tip after the wallet is synced.
  bool follow = false;
};

/// Where a sync stands; cheap, for a progress line.
struct Progress {
  chain::Height header_height = 0;
  bool headers_done = false;
  chain::Height scanned = -1;
  std::uint64_t headers_added = 0;
  std::size_t ready_peers = 0;
  /// The highest block that a peer said it has; a claim, for showing only.
  chain::Height announced_height = 0;
};

class Engine {
 public:
  /// `chain` and `watcher` outlive the engine. `rng` is seeded with the system's entropy, or by a test.
  Engine(EngineOptions options, chain::HeaderChain& chain, Watcher& watcher, util::Rng rng);

  /// Takes one fact and gives the orders that follow from it.
  std::vector<Action> handle(const Input& input, util::Now now);
  /// The program is about to end: what must be committed before.
  std::vector<Action> stop(util::Now now);
  /// When to send Tick, if nothing else happens before.
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;

  [[nodiscard]] Progress progress() const;
  [[nodiscard]] const ScanCounters& scan_counters() const { return scan_.counters(); }
  [[nodiscard]] const std::optional<bip37::FilterPlan>& filter() const { return scan_.filter(); }
  /// What a scanning peer's filter holds now; null while there is none.
  [[nodiscard]] const bip37::FilterMirror* mirror() const { return scan_.mirror(); }
  [[nodiscard]] MempoolState mempool() const { return relay_.mempool(); }
  /// How many peers have announced a transaction in this run.
  [[nodiscard]] std::size_t tellers(const chain::Txid& txid) const { return relay_.announcers().count(txid); }
  [[nodiscard]] std::vector<PeerSummary> peers() const { return pool_.summaries(); }
  [[nodiscard]] std::uint64_t reorganisations() const { return reorganisations_; }
  [[nodiscard]] std::uint64_t headers_added() const { return headers_.added(); }
  /// Blocks that two peers gave alike.
  [[nodiscard]] std::uint64_t cross_checked() const { return scan_.cross_checked(); }

 private:
  /// Other peers that are still connecting are waited for this long before a sync may end.
  static constexpr util::Duration kConnectGrace = std::chrono::seconds(3);
  /// A new block reaches every honest node within this time, or another peer scans.
  static constexpr util::Duration kLagGrace = std::chrono::seconds(2);
  /// No block for this long: other peers may know of one.
  static constexpr util::Duration kStaleAfter = std::chrono::minutes(90);

  void on(const Started& input, util::Now now);
  void on(const PeerConnected& input, util::Now now);
  void on(const ConnectFailed& input, util::Now now);
  void on(const MessageReceived& input, util::Now now);
  void on(const StreamCorrupted& input, util::Now now);
  void on(const PeerDisconnected& input, util::Now now);
  void on(const PeersFound& input, util::Now now);
  void on(const WatchChanged& input, util::Now now);
  void on(const Tick& input, util::Now now);

  // One function a message that matters to us; the rest is ignored.
  void on_message(Peer& peer, const p2p::Headers& message, util::Now now);
  void on_message(Peer& peer, const p2p::Inv& message, util::Now now);
  void on_message(Peer& peer, const p2p::GetData& message, util::Now) { rebroadcast_.on(peer.id, message, out_); }
  void on_message(Peer& peer, const p2p::NotFound& message, util::Now now);
  void on_message(Peer& peer, const p2p::MerkleBlock& message, util::Now now);
  void on_message(Peer& peer, const p2p::Tx& message, util::Now now);
  void on_message(Peer& peer, const p2p::Pong& message, util::Now now);
  void on_message(Peer& peer, const p2p::Addr& message, util::Now now) { pool_.on_told(peer, message, now, rng_); }
  void on_message(Peer& peer, const p2p::AddrV2& message, util::Now now) { pool_.on_told(peer, message, now, rng_); }
  void on_message(Peer& peer, const p2p::Block& message, util::Now now);
  // Nobody asks for these.
  void on_message(Peer& peer, const p2p::BlockTxn&, util::Now now) { count_unsolicited(peer, 10, now); }
  void on_message(Peer& peer, const p2p::CFilter&, util::Now now) { count_unsolicited(peer, 10, now); }
  void on_message(Peer& peer, const p2p::CFHeaders&, util::Now now) { count_unsolicited(peer, 1, now); }
  void on_message(Peer& peer, const p2p::CFCheckpt&, util::Now now) { count_unsolicited(peer, 1, now); }
  template <typename Ignored>
  void on_message(Peer&, const Ignored&, util::Now) {}

  void on_ready(Peer& peer, util::Now now);
  void on_chain_changed(const Peer& source, const chain::ChainUpdate& update, util::Now now);
  /// True if the peer is still there.
  bool follow_up(Peer& peer, const ScanStep& step, util::Now now);
  void drop_convicted(const std::vector<Conviction>& convicted, util::Now now);
  void take_session_result(Peer& peer, p2p::PeerSession::Result result, util::Now now);
  void check_deadlines(Peer& peer, util::Now now);
  void count_unsolicited(Peer& peer, std::size_t weight, util::Now now);
  void drop(PeerId peer, DisconnectReason reason, util::Now now);
  void forget(PeerId peer, std::string error, std::optional<DisconnectReason> reason, util::Now now);
  void advance(util::Now now);
  /// True if the wallet's place on our chain can be told: the headers reach as far as it has scanned.
  [[nodiscard]] bool can_align() const;
  /// Up to here our headers are the true chain's: by the work behind them, or by a checkpoint above.
  [[nodiscard]] chain::Height proven_height() const;
  void run_scan(util::Now now);
  void add_lanes();
  void ask_for_loose(const Peer& peer, util::Now now);
  [[nodiscard]] LaneUse use_of(const Peer& peer) const;
  /// Leaves peers that say they have no more while our chain goes on: new connections may have it.
  void leave_laggards(util::Now now);
  void leave_weak_chains(util::Now now);
  [[nodiscard]] bool at_rest() const;
  void tell_own_again(util::Now now);
  void send_courier(util::Now now);
  [[nodiscard]] std::optional<PeerId> whom_to_tell(util::Now now);
  void check_stale(util::Now now);
  void check_finished(util::Now now);
  void finish(std::optional<Failure> failure, util::Now now);
  [[nodiscard]] Failure failure() const;
  [[nodiscard]] bool mempool_settled(util::Now now);

  EngineOptions options_;
  chain::HeaderChain& chain_;
  Watcher& watcher_;
  util::Rng rng_;
  PeerPool pool_;
  HeaderSync headers_;
  BlockScan scan_;
  TxRelay relay_;
  Rebroadcast rebroadcast_;
  TipEvents tip_events_;
  Outbox out_;

  util::TimePoint started_at_{};
  bool aligned_ = false;
  bool finished_ = false;
  bool gave_up_ = false;                          // finished with a failure
  bool waits_for_peers_ = false;                  // only others that are still connecting hold up the end
  std::optional<util::TimePoint> lagging_since_;  // no peer that scans has told of the next block since then
  std::uint64_t reorganisations_ = 0;
  std::optional<std::pair<chain::BlockRef, std::uint64_t>> pending_at_;  // tip and wallet when last looked through
  util::TimePoint tip_changed_at_{};
  std::set<PeerId> unfiltered_;  // were told to announce everything
  bool sliced_ = false;          // the filters held only a part when we last looked
  bool partly_told_ = false;     // and do no longer, since the end was told: the mempool is to be asked for again
  util::TimePoint last_find_{};  // when the wallet last changed by a transaction
};

}  // namespace spv::sync
