// TxRelay: loose transactions. Asks for the mempool, fetches what is announced, and hands it to the wallet as
// unconfirmed. Only what we asked for is believed to be a loose transaction; the rest is kept for a moment, because
// a proof that needs it may follow.
//
// Every peer is asked, because one alone may keep silent about a payment (security.md E7).
//
//   Skipped (no wait wanted)      Idle --ask--> Asked --inv of all fetched--> Answered
//                                                 \--deadline--> TimedOut
//
// Where no peer filters for us, which of the announced transactions are ours is known only after the scan: until it is
// done they are kept, and fetching them does not stand in the way of blocks.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "sync/types/outbox.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

enum class MempoolState { Idle, Asked, Answered, TimedOut, Skipped };
/// answered, timeout or skipped, as cli.md says.
std::string_view to_string(MempoolState state);

class TxRelay {
 public:
  /// Bounds against floods (security.md, R6, R8). Requested: from one peer at a time.
  static constexpr std::size_t kMaxRequested = 100;
  static constexpr std::size_t kMaxRemembered = 5'000;
  static constexpr std::size_t kMaxRecent = 100;
  static constexpr std::size_t kMaxRecentBytes = 4'000'000;
  /// Of one peer's announcements waiting to be fetched: one peer cannot crowd out the others.
  static constexpr std::size_t kMaxQueuedPerPeer = 1'000;
  /// The same, and of those that are remembered, where no peer filters for us: a whole mempool.
  static constexpr std::size_t kMaxUnfiltered = 200'000;
  /// A transaction that does not come within this time is asked from another that announced it.
  static constexpr util::Duration kFetchTimeout = std::chrono::seconds(10);
  /// So many that came too late are still known as asked for.
  static constexpr std::size_t kMaxOverdue = 1'000;
  /// What is announced within the wait is waited for, but so much longer at most; the second for a whole mempool.
  static constexpr util::Duration kMaxOverrun = kFetchTimeout;
  static constexpr util::Duration kMaxUnfilteredOverrun = std::chrono::minutes(1);
  /// The end of the wait is put off once by as much where it is noticed so much too late.
  static constexpr util::Duration kLateTick = std::chrono::seconds(1);
  /// So many peers are told apart that announce the same transaction.
  static constexpr std::size_t kMaxTellers = 8;

  /// `wait` zero: the mempool is not asked for. `unfiltered`: peers announce everything, and nothing is fetched before
  /// `release`.
  TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered = false);

  void ask_mempool(PeerId peer, util::Now now, Outbox& out);
  /// Asks everybody once more who was asked before, and waits anew.
  void ask_again(util::Now now, Outbox& out);
  /// The scan is done: what was announced is fetched from now on.
  void release(util::Now now, Outbox& out);
  [[nodiscard]] bool is_holding() const { return holding_; }
  void on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out);
  void on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out);
  /// True if we asked this peer for this transaction.
  [[nodiscard]] bool has_asked(PeerId peer, const chain::Txid& txid) const;
  /// A transaction that no proof has promised. Gives what changed in the wallet.
  WatchEffect on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out);
  void on_peer_lost(PeerId peer, util::Now now, Outbox& out);
  void tick(util::Now now, Outbox& out);

  /// A transaction seen a moment ago.
  [[nodiscard]] const chain::Transaction* find_recent(const chain::Txid& txid) const;
  [[nodiscard]] MempoolState mempool() const { return mempool_; }
  [[nodiscard]] bool has_asked_mempool(PeerId peer) const { return asked_.contains(peer); }
  /// How many peers have announced a transaction, up to kMaxTellers; zero if none did lately.
  [[nodiscard]] std::size_t tellers(const chain::Txid& txid) const;
  /// True if this peer is among them.
  [[nodiscard]] bool was_told_by(PeerId peer, const chain::Txid& txid) const;
  /// When the mempool was last asked for.
  [[nodiscard]] util::TimePoint asked_at() const { return asked_at_; }
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  struct Request {
    PeerId peer;
    util::TimePoint at;
  };
  /// What one peer has announced, and how much of it is asked for.
  struct Line {
    std::deque<chain::Txid> queue;
    std::size_t under_way = 0;
  };

  void request_more(util::Now now, Outbox& out);
  /// Out of what is under way; the peer that owed it.
  PeerId end_request(const chain::Txid& txid);
  void give_up_overdue(util::Now now);
  void try_another(const chain::Txid& txid, PeerId failed);
  [[nodiscard]] bool is_overdue(PeerId peer, const chain::Txid& txid) const;
  [[nodiscard]] bool fetches() const;
  void settle();
  void forget_seen();
  /// When the wait for the mempool ends; what is announced by then is waited for.
  [[nodiscard]] util::TimePoint time_limit() const;
  void remember(const chain::Transaction& tx, const chain::Txid& txid);

  Watcher& watcher_;
  util::Duration wait_;
  util::Duration most_overrun_;
  std::size_t most_queued_;
  std::size_t most_remembered_;
  bool holding_;
  MempoolState mempool_;
  std::set<PeerId> asked_;     // for their mempool
  std::set<PeerId> answered_;  // of those
  util::TimePoint asked_at_{};
  util::TimePoint deadline_{};
  bool put_off_ = false;

  std::map<PeerId, Line> lines_;
  std::unordered_map<chain::Txid, Request> requested_;
  std::set<std::pair<util::TimePoint, chain::Txid>> by_time_;  // the same, the oldest first
  std::deque<std::pair<chain::Txid, PeerId>> overdue_;
  struct Tellers {
    std::array<PeerId, kMaxTellers> peers{};
    std::uint8_t count = 0;
    [[nodiscard]] bool contains(PeerId peer) const;
    void add(PeerId peer);
    void remove(PeerId peer);
  };
  std::unordered_map<chain::Txid, Tellers> seen_;
  struct Recent {
    chain::Txid txid;
    chain::Transaction tx;
    std::size_t bytes = 0;
  };
  std::deque<Recent> recent_;
  std::size_t recent_bytes_ = 0;
};

}  // namespace spv::sync
