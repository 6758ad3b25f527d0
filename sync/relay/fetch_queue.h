// FetchQueue: announced transactions on their way to us: what each peer announced, what it was asked for, and whom to
// ask next where it does not deliver. Every request has its own time limit, so that a peer that delivers other things
// cannot hold up what it keeps back (security.md E7).
//
//   announced --request--> requested --delivered--> done
//       ^                      |---not found, peer lost---> the next peer that announced it, or forgotten
//       |                      \---10 s---> overdue (still believed if it comes) ---/
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "sync/relay/announcers.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class FetchQueue {
 public:
  /// Requested from one peer at a time (security.md R6).
  static constexpr std::size_t kMaxRequested = 100;
  /// A transaction that does not come within this time is asked from another peer that announced it.
  static constexpr util::Duration kFetchTimeout = std::chrono::seconds(10);
  /// At most this many that are overdue are still known as asked for.
  static constexpr std::size_t kMaxOverdue = 1'000;

  struct Limits {
    std::size_t queued = 1'000;      // of one peer's announcements: it cannot crowd out the others
    std::size_t remembered = 5'000;  // transactions whose announcers are known
  };
  explicit FetchQueue(Limits limits) : limits_(limits), announcers_(limits.remembered) {}

  /// Queues what is new in an announcement; true if it named any transaction at all.
  bool on(PeerId peer, const p2p::Inv& message);
  void on(PeerId peer, const p2p::NotFound& message);
  /// The transaction came from a peer that was asked for it.
  void on_delivered(PeerId peer, const chain::Txid& txid);
  void on_peer_lost(PeerId peer);
  /// Turns to another peer for what did not come in time.
  void give_up_overdue(util::Now now);
  /// Asks every peer for as much as may be under way.
  void request(util::Now now, Outbox& out);
  /// What was delivered may be announced and fetched again.
  void forget_delivered();

  /// True if we asked this peer for this transaction.
  [[nodiscard]] bool has_asked(PeerId peer, const chain::Txid& txid) const;
  /// True if nothing is queued or under way.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] const Announcers& announcers() const { return announcers_; }
  /// When the oldest request is overdue.
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

  /// Takes it out of what is under way; the peer that owed it.
  PeerId end_request(const chain::Txid& txid);
  void try_another(const chain::Txid& txid, PeerId failed);
  [[nodiscard]] bool is_overdue(PeerId peer, const chain::Txid& txid) const;

  Limits limits_;
  Announcers announcers_;
  std::map<PeerId, Line> lines_;
  std::unordered_map<chain::Txid, Request> requested_;
  std::set<std::pair<util::TimePoint, chain::Txid>> by_time_;  // the same, the oldest first
  std::deque<std::pair<chain::Txid, PeerId>> overdue_;
};

}  // namespace spv::sync
