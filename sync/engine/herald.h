// Herald: brings transactions that the user sends into the network. Broadcast says what is to be done for each; this
// says whom to tell: by connections made for it to nodes that never got our filter (security.md P6), or, where there
// are none, to those that there are. All others are kept in the dark, so that they can show that it was passed on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/peers/peer_pool.h"
#include "sync/relay/announcers.h"
#include "sync/relay/broadcast.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

class Herald {
 public:
  /// So many are told again at a time; the others wait.
  static constexpr std::size_t kMaxAtOnce = 4;
  /// Connections made for one transaction: at a time, and in all.
  static constexpr std::size_t kMaxDialling = 2;
  static constexpr std::size_t kMaxDialled = 8;
  /// Beyond that those that have ended are forgotten.
  static constexpr std::size_t kMaxRemembered = 200;
  /// Those that are told again wait no longer than this in all.
  static constexpr util::Duration kLongestTelling = std::chrono::minutes(1);
  /// Once a stranger was looked for as long as this, anybody is told.
  static constexpr util::Duration kStrangerTime = std::chrono::seconds(15);

  struct Rules {
    /// Peers announce transactions to us.
    bool hears = true;
    /// No peer ever gets our filter: there is no need for others.
    bool unfiltered = false;
    BroadcastTiming timing{};
  };
  /// What is referred to outlives this.
  Herald(PeerPool& pool, const Announcers& announcers, Rules rules)
      : pool_(pool), announcers_(announcers), rules_(rules) {}

  void request(BroadcastRequested request, util::Now now);
  /// Tells those of the wallet's own that wait for a block and that no peer has announced, parents first.
  void tell_again(const std::vector<OwnTransaction>& pending, util::Now now);
  /// True if nothing is under way.
  [[nodiscard]] bool is_idle() const;
  /// True if this one was told, or is to be.
  [[nodiscard]] bool knows(const chain::Txid& txid) const { return find(txid) != nullptr; }

  /// True for a connection that was made to tell a transaction: it serves nothing else.
  [[nodiscard]] bool is_messenger(PeerId peer) const { return messengers_.contains(peer); }
  [[nodiscard]] std::size_t messengers() const { return messengers_.size(); }
  /// The handshake with such a peer is done: tells it. False if that is not wanted any more.
  bool on_messenger_ready(const Peer& peer, util::Now now, Outbox& out);
  void on_peer_lost(PeerId peer);
  void on(PeerId peer, const p2p::GetData& message, util::Rng& rng, util::Now now, Outbox& out);
  void on(const Peer& peer, const p2p::Inv& message, util::Now now);
  /// True if that was meant for us.
  bool on(PeerId peer, const p2p::Pong& message, util::Now now);
  bool on_tx(PeerId peer, const chain::Txid& txid, util::Now now);
  void on_confirmed(const chain::Txid& txid);

  void advance(util::Now now, util::Rng& rng, Outbox& out);
  /// Connections that are not needed any more.
  [[nodiscard]] std::vector<PeerId> done() const;
  /// There is no more time: says what is known of each.
  void end(Outbox& out);
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  struct Task {
    Broadcast broadcast;
    Broadcast::Purpose purpose{};
    std::size_t dialled = 0;
  };
  [[nodiscard]] const Task* find(const chain::Txid& txid) const;
  void add(BroadcastRequested request, Broadcast::Purpose purpose, util::Now now);
  [[nodiscard]] bool can_hear(const Peer& peer) const;
  [[nodiscard]] Onlookers onlookers(const Broadcast& broadcast, util::Now now) const;
  [[nodiscard]] std::size_t dialling(const chain::Txid& txid) const;
  /// True if a stranger is on its way.
  bool dial(Task& task, util::Now now, util::Rng& rng, Outbox& out);
  void tell(Task& task, util::Now now, util::Rng& rng, Outbox& out);
  [[nodiscard]] const Peer* choose_peer(const Broadcast& broadcast, util::Rng& rng) const;

  PeerPool& pool_;
  const Announcers& announcers_;
  Rules rules_;
  std::vector<Task> tasks_;                   // parents first
  std::map<PeerId, chain::Txid> messengers_;  // and what for
  std::optional<util::TimePoint> began_again_;
  util::TimePoint looked_at_{};
};

}  // namespace spv::sync
