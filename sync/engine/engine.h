// Engine: the whole client as one deterministic function, (state, input, now) -> actions. It never blocks, never
// throws, and knows no socket, clock or file; the shell tells it what happened and does what it says.
//
//   phase      left when                                                    for
//   Headers    the headers reach the wallet's position and its birthday     Scanning
//   Scanning   all is scanned, the mempool has answered, and nobody         AtTip with `follow`, else Done;
//              is still connecting                                          reports Finished
//   AtTip      only by what ends every phase: new blocks are scanned here
//   Done       other wallets are watched                                    Headers or Scanning, whichever fits them
//
//   Scanning and AtTip, too, go back to Headers or Scanning when other wallets are watched. From every phase: no peer
//   is left and none will be tried again: Done; reports Finished with the failure. Errands alone (EngineOptions) are
//   done in Headers, and then: Done.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/header_chain.h"
#include "sync/engine/engine_options.h"
#include "sync/engine/errands.h"
#include "sync/engine/lag_watch.h"
#include "sync/engine/mempool_questions.h"
#include "sync/engine/tip_events.h"
#include "sync/engine/unsolicited.h"
#include "sync/headers/header_sync.h"
#include "sync/peers/peer_pool.h"
#include "sync/relay/tx_relay.h"
#include "sync/scan/block_scan.h"
#include "sync/types/outbox.h"
#include "sync/types/types.h"
#include "sync/watch/watcher.h"
#include "util/rng.h"

namespace spv::sync {

class Engine {
 public:
  /// `chain`, `watcher` and `filter_headers` outlive the engine. `rng` is seeded with the system's entropy, or by a
  /// test. Without `filter_headers` those of compact filters are kept in memory.
  Engine(EngineOptions options, chain::HeaderChain& chain, Watcher& watcher, util::Rng rng,
         bip158::FilterHeaderStore* filter_headers = nullptr);

  /// Orders that need not wait until a fact is handled, which comes next: a peer is at work while its last headers are
  /// checked.
  std::vector<Action> ahead(const Input& input, util::Now now);
  /// Takes one fact and gives the orders that follow from it.
  std::vector<Action> handle(Input&& input, util::Now now);
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
  [[nodiscard]] std::size_t announcers(const chain::Txid& txid) const { return relay_.announcers().count(txid); }
  [[nodiscard]] std::vector<PeerSummary> peers() const { return pool_.summaries(); }
  /// The connections that there are now.
  [[nodiscard]] std::vector<PeerFacts> connections() const;
  [[nodiscard]] std::uint64_t reorganisations() const { return headers_.reorganisations(); }
  [[nodiscard]] std::uint64_t headers_added() const { return headers_.added(); }
  /// A transaction is being told to the network.
  [[nodiscard]] bool is_broadcasting() const { return !errands_.herald.is_idle(); }
  /// What the user should know, by this clock.
  [[nodiscard]] std::vector<std::string> warnings(util::UnixTime now) const;
  /// All blocks that the wallets need are scanned, as far as the peers can be believed.
  [[nodiscard]] bool is_complete() const;
  /// Every peer claims more blocks than it serves.
  [[nodiscard]] bool all_peers_doubtful() const { return headers_.all_overclaim(); }
  /// Blocks that two peers gave alike.
  [[nodiscard]] std::uint64_t cross_checked() const { return scan_.cross_checked(); }

 private:
  // --- phases: a phase owns what exists only in it ----------------------------------------------------------------
  /// The wallet's place on the chain cannot be found yet, and nothing is scanned.
  struct Headers {};
  struct Scanning {
    std::optional<util::TimePoint> waits_until;  // only peers that are still connecting hold up the end, until then
    bool told_own = false;                       // own transactions that no peer has announced
  };
  /// The end was reported, and we stay.
  struct AtTip {
    bool mempool_outdated = false;  // its answer was made by filters that held only a part of what is watched
  };
  /// The end was reported, and nothing is done any more.
  struct Done {};

  // --- inputs -----------------------------------------------------------------------------------------------------
  void on(const Started& input, util::Now now);
  void on(const PeerConnected& input, util::Now now);
  void on(ConnectFailed&& input, util::Now now);
  void on(MessageReceived&& input, util::Now now);
  void on(const StreamCorrupted& input, util::Now now);
  void on(PeerDisconnected&& input, util::Now now);
  void on(const PeersFound& input, util::Now now);
  void on(const WatchChanged& input, util::Now now);
  void on(const Tick& input, util::Now now);
  void on(BroadcastRequested&& input, util::Now now);
  void on(const FeesRequested& input, util::Now now);

  // --- messages: moved to whoever keeps them; what does not matter to us is ignored ------------------------------
  void on_message(const Peer& peer, const p2p::Headers& message, util::Now now);
  void on_message(const Peer& peer, const p2p::Inv& message, util::Now now);
  void on_message(const Peer& peer, const p2p::GetData& message, util::Now now);
  void on_message(const Peer& peer, const p2p::NotFound& message, util::Now now);
  void on_message(const Peer& peer, p2p::MerkleBlock&& message, util::Now now);
  void on_message(const Peer& peer, p2p::Block&& message, util::Now now);
  void on_message(const Peer& peer, p2p::Tx&& message, util::Now now);
  void on_message(const Peer& peer, const p2p::Pong& message, util::Now now);
  void on_message(const Peer& peer, const p2p::Addr& message, util::Now now);
  void on_message(const Peer& peer, const p2p::AddrV2& message, util::Now now);
  void on_message(const Peer& peer, const p2p::FeeFilter& message, util::Now now);
  void on_message(const Peer& peer, const p2p::BlockTxn& message, util::Now now);
  void on_message(const Peer& peer, const p2p::CFilter& message, util::Now now);
  void on_message(const Peer& peer, const p2p::CFHeaders& message, util::Now now);
  // Nobody asks for it.
  void on_message(const Peer& peer, const p2p::CFCheckpt& message, util::Now now);
  template <typename Ignored>
  void on_message(const Peer&, const Ignored&, util::Now) {}
  void on_reorganised(const chain::ChainUpdate& update, util::Now now);
  void count_unsolicited(PeerId peer, std::size_t weight, util::Now now);
  /// What follows from a step of the scan; true if the peer is still there.
  bool follow_up(PeerId peer, const ScanStep& step, util::Now now);

  // --- peers ------------------------------------------------------------------------------------------------------
  void take_session_result(const Peer& peer, p2p::PeerSession::Result result, util::Now now);
  void on_ready(const Peer& peer, util::Now now);
  /// True if the peer is to serve the scan.
  [[nodiscard]] bool takes_on(const Peer& peer);
  void check_deadlines(Peer& peer, util::Now now);
  void drop(PeerId peer, DisconnectReason reason, util::Now now);
  template <typename Which>
  void drop_where(Which which, DisconnectReason reason, util::Now now);
  void forget(PeerId peer, std::string error, std::optional<DisconnectReason> reason, util::Now now);

  // --- what follows from an input ---------------------------------------------------------------------------------
  void advance(util::Now now);
  void begin_scan(util::Now now);
  void run_scan(util::Now now);
  void add_lanes();
  void drop_convicted(const std::vector<Conviction>& convicted, util::Now now);
  void leave_weak_chains(util::Now now);
  void leave_laggards(util::Now now);
  void note_doubts(util::Now now);
  void announce_own(util::Now now);
  void run_errands(util::Now now);
  /// True if a transaction that is being told was found in a block.
  bool note_confirmed(const std::vector<Action>& actions);
  /// True if no own transaction is being told.
  bool tell_own_again(Scanning& scanning, util::Now now);
  void check_stale(util::Now now);
  void check_end(util::Now now);
  void finish(std::optional<Failure> failure, util::Now now);
  [[nodiscard]] bool can_align() const;
  /// The scan has found its place on the chain.
  [[nodiscard]] bool is_aligned() const { return !std::holds_alternative<Headers>(phase_); }
  /// All that is known of is scanned.
  [[nodiscard]] bool at_rest() const;
  /// Peers need not announce transactions to us.
  [[nodiscard]] bool wants_silence() const;

  EngineOptions options_;
  chain::HeaderChain& chain_;
  Watcher& watcher_;
  util::Rng rng_;
  PeerPool pool_;
  HeaderSync headers_;
  BlockScan scan_;
  TxRelay relay_;
  MempoolQuestions mempool_;
  Errands errands_;
  TipEvents tip_events_;
  LagWatch lag_;
  Unsolicited unsolicited_;
  Outbox out_;
  std::variant<Headers, Scanning, AtTip, Done> phase_;
};

}  // namespace spv::sync
