// TxRelay: loose transactions. Asks for the mempool, fetches what is announced, and hands it to the wallet as
// unconfirmed. Only what we asked for is believed to be a loose transaction; the rest is kept for a moment, because
// a proof that needs it may follow.
//
// Every peer is asked, because one alone may keep silent about a payment (security.md E7).
//
//   Skipped (no wait wanted)      Idle --ask--> Asked --inv of all fetched--> Answered
//                                                 \--deadline--> TimedOut
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "sync/outbox.h"
#include "sync/watcher.h"

namespace spv::sync {

enum class MempoolState { Idle, Asked, Answered, TimedOut, Skipped };
/// answered, timeout or skipped, as cli.md says.
std::string_view to_string(MempoolState state);

class TxRelay {
 public:
  /// Bounds against floods (security.md, R6, R8).
  static constexpr std::size_t kMaxRequested = 100;
  static constexpr std::size_t kMaxRemembered = 5'000;
  static constexpr std::size_t kMaxRecent = 100;
  static constexpr std::size_t kMaxRecentBytes = 4'000'000;
  /// Of one peer's announcements waiting to be fetched: one peer cannot crowd out the others.
  static constexpr std::size_t kMaxQueuedPerPeer = 1'000;
  /// An announced transaction that does not come within this time is given up.
  static constexpr util::Duration kFetchTimeout = std::chrono::seconds(10);

  /// A deadline that is noticed so much too late is put off by as much.
  static constexpr util::Duration kLateTick = std::chrono::seconds(1);

  /// The same, and of those that are remembered, where no peer filters for us: a whole mempool.
  static constexpr std::size_t kMaxUnfiltered = 200'000;
  /// So many peers are told apart that announce the same transaction.
  static constexpr std::size_t kMaxTellers = 8;

  /// `wait` zero: the mempool is not asked for. `unfiltered`: peers announce everything.
  TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered = false);

  /// No peer can be asked for its mempool.
  void skip_mempool() { mempool_ = MempoolState::Skipped; }
  void ask_mempool(PeerId peer, util::Now now, Outbox& out);
  /// Asks everybody once more who was asked before, and waits anew.
  void ask_again(util::Now now, Outbox& out);
  void on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out);
  void on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out);
  /// True if we asked this peer for this transaction.
  [[nodiscard]] bool has_asked(PeerId peer, const chain::Txid& txid) const;
  /// A transaction that no proof has promised. Gives what changed in the wallet.
  wallet::Changes on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out);
  void on_peer_lost(PeerId peer, util::Now now, Outbox& out);
  void tick(util::Now now, Outbox& out);

  /// A transaction seen a moment ago.
  [[nodiscard]] const chain::Transaction* find_recent(const chain::Txid& txid) const;
  [[nodiscard]] MempoolState mempool() const { return mempool_; }
  [[nodiscard]] bool has_asked_mempool(PeerId peer) const { return asked_.contains(peer); }
  /// How many peers have announced a transaction, up to kMaxTellers; zero if none did lately.
  [[nodiscard]] std::size_t tellers(const chain::Txid& txid) const;
  /// When the mempool was last asked for.
  [[nodiscard]] util::TimePoint asked_at() const { return asked_at_; }
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  void request_more(util::Now now, Outbox& out);
  void try_another(const chain::Txid& txid, PeerId failed);
  void settle();
  void forget_seen();
  void enqueue(const chain::Txid& txid, PeerId peer);
  /// When the wait for the mempool ends; what is announced by then is waited for.
  [[nodiscard]] util::TimePoint time_limit() const;
  void remember(const chain::Transaction& tx, const chain::Txid& txid);

  Watcher& watcher_;
  util::Duration wait_;
  std::size_t most_queued_;
  std::size_t most_remembered_;
  MempoolState mempool_;
  std::set<PeerId> asked_;     // for their mempool
  std::set<PeerId> answered_;  // of those
  util::TimePoint asked_at_{};
  util::TimePoint deadline_{};

  std::unordered_map<chain::Txid, PeerId> requested_;
  std::deque<std::pair<chain::Txid, PeerId>> queue_;
  std::map<PeerId, std::size_t> queued_;  // how many of each peer
  struct Tellers {
    std::array<PeerId, kMaxTellers> peers{};
    std::uint8_t count = 0;
    void add(PeerId peer);
    void remove(PeerId peer);
  };
  std::unordered_map<chain::Txid, Tellers> seen_;
  util::TimePoint last_request_{};
  struct Recent {
    chain::Txid txid;
    chain::Transaction tx;
    std::size_t bytes = 0;
  };
  std::deque<Recent> recent_;
  std::size_t recent_bytes_ = 0;
};

}  // namespace spv::sync
