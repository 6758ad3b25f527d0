// PeerPool: which addresses we try, when, and who is connected: those that the user named, or those of the address
// book. A peer that breaks the rules is not used again in this run; one that only failed is tried again after a growing
// pause.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "p2p/peer_session.h"
#include "sync/peers/book_dialer.h"
#include "sync/types/outbox.h"
#include "util/rng.h"

namespace spv::sync {

/// One connection. What a machine keeps about a peer beyond this, it keeps by the peer's id.
struct Peer {
  PeerId id = 0;
  PeerAddress address;
  bool connected = false;
  util::TimePoint connect_deadline{};
  bool makeshift = false;                   // it serves, but others would be better
  std::optional<p2p::PeerSession> session;  // once connected

  [[nodiscard]] bool ready() const { return session && session->ready(); }
  /// True if it offers to filter for us (NODE_BLOOM); only once it is ready.
  [[nodiscard]] bool offers_bloom() const;
  /// The same for compact filters (NODE_COMPACT_FILTERS).
  [[nodiscard]] bool offers_compact_filters() const;
};

/// What is left of a peer for the summary.
struct PeerSummary {
  PeerAddress address;
  std::string user_agent;
  bool banned = false;
  std::string last_error;
  std::string doubt;  // why what it says of the chain is doubtful
};

/// A peer that the user named and that does not serve us now.
struct UnusedPeer {
  PeerAddress address;
  std::string reason;
};

class PeerPool {
 public:
  static constexpr util::Duration kConnectTimeout = std::chrono::seconds(10);
  static constexpr util::Duration kFirstRetry = std::chrono::seconds(1);
  /// So that a network that is back is used within five seconds (security.md E3).
  static constexpr util::Duration kLongestRetry = std::chrono::seconds(4);
  /// Without --follow an address is given up after this many failures in a row.
  static constexpr unsigned kMaxAttempts = 3;

  /// Peers that are still connecting are waited for this long after the start before a sync may end.
  static constexpr util::Duration kConnectGrace = std::chrono::seconds(3);

  /// So many makeshift peers are turned away while better ones are looked for; then they must do.
  static constexpr std::size_t kMostTurnedAway = 50;

  /// The peers that a user keeps in sight; more are not kept in the summary.
  static constexpr std::size_t kMaxRemembered = 64;

  /// With a book, addresses come from there too.
  PeerPool(std::vector<PeerAddress> addresses, bool persistent, std::optional<BookUse> book = std::nullopt,
           util::Duration connect_timeout = kConnectTimeout);

  void on_started(util::Now now) { started_at_ = now.monotonic; }
  /// Connects to every address that is due.
  void connect_due(util::Now now, util::Rng& rng, Outbox& out);
  /// Connects to a node that never got our filter: one that the user named and that offers none, or a stranger from
  /// the book. Nothing if there is none.
  std::optional<PeerId> dial_stranger(util::Now now, util::Rng& rng, Outbox& out);
  void on_connected(PeerId peer, std::uint64_t nonce, util::Now now, Outbox& out);
  /// The connection could not be made, or is gone. `reason`: why, where we ended it ourselves.
  void on_lost(PeerId peer, std::string error, std::optional<DisconnectReason> reason, util::Now now, util::Rng& rng);
  /// The same for one that dial_stranger() chose: it is not dialled again by itself.
  void on_stranger_lost(PeerId peer, const std::string& error, std::optional<DisconnectReason> reason, util::Now now,
                        util::Rng& rng);
  /// The handshake is done and the peer can serve us; asks it for addresses if there is a book for them.
  void on_ready(const Peer& peer, util::Now now, Outbox& out);
  /// A peer of the book is ready that serves, but not in the way that is wanted most. They get half of the connections
  /// at most, so that there is room for better ones. False: there are enough of them.
  [[nodiscard]] bool keep_makeshift(PeerId peer);
  void on_found(const PeersFound& found, util::Now now, util::Rng& rng);
  /// The peer sends addresses: Addr or AddrV2.
  template <typename Message>
  void on_addresses(const Peer& peer, const Message& message, util::Now now, util::Rng& rng) {
    if (dialer_) dialer_->on(peer.id, peer.address, message, now, rng);
  }

  [[nodiscard]] Peer* find(PeerId peer);
  [[nodiscard]] std::map<PeerId, Peer>& peers() { return peers_; }
  [[nodiscard]] const std::map<PeerId, Peer>& peers() const { return peers_; }
  /// There is one address only, and no book to find others: nobody else can be asked.
  [[nodiscard]] bool is_sole() const { return candidates_.size() == 1 && !uses_book(); }
  /// Until when those that are still connecting are waited for; nothing if there are none, or no longer.
  [[nodiscard]] std::optional<util::TimePoint> waits_for_others(util::Now now) const;
  /// True if nothing is connected and nothing will be tried again.
  [[nodiscard]] bool exhausted() const;
  [[nodiscard]] bool any_lacked_bloom() const;
  [[nodiscard]] bool any_lacked_compact_filters() const;
  [[nodiscard]] bool any_lacked_blocks() const;
  /// "host:port: reason" for every address that failed, or what came of the book.
  [[nodiscard]] std::string errors() const;
  /// How many addresses the book has, where all of them are banned; else 0.
  [[nodiscard]] std::size_t all_banned() const { return dialer_ ? dialer_->all_banned() : 0; }
  /// True if addresses come from the book.
  [[nodiscard]] bool uses_book() const { return dialer_.has_value(); }
  [[nodiscard]] std::vector<PeerSummary> summaries() const;
  /// Those of the user's that are not connected, and why.
  [[nodiscard]] std::vector<UnusedPeer> unused() const;
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;
  void note_user_agent(const Peer& peer);
  /// Why what the peer says of the chain is doubtful; empty: it is not. The book is told too.
  void note_doubt(PeerId peer, const std::string& why);
  /// The peer has brought us forward: earlier failures no longer count against it.
  void note_progress(PeerId peer);

 private:
  struct Candidate {
    PeerAddress address;
    unsigned failures = 0;
    bool given_up = false;
    bool banned = false;
    std::optional<DisconnectReason> reason;
    std::string error;
    std::string user_agent;
    std::string doubt;
    std::optional<PeerId> current;
    util::TimePoint next_attempt{};
    bool from_book = false;
  };
  Candidate* candidate_of(PeerId peer);
  void choose_from_book(util::Now now, util::Rng& rng, Outbox& out);
  [[nodiscard]] std::size_t places_taken() const;
  /// How many of the connections makeshift peers may take.
  [[nodiscard]] std::size_t makeshift_places() const;
  Peer& connect(Candidate& candidate, util::Now now, Outbox& out);
  /// Takes a connection out; the candidate that it belonged to.
  Candidate* take_out(PeerId peer);
  [[nodiscard]] std::vector<PeerAddress> in_use() const;
  void forget_surplus();

  std::vector<Candidate> candidates_;
  bool persistent_;
  std::optional<BookDialer> dialer_;
  util::Duration connect_timeout_;
  std::map<PeerId, Peer> peers_;
  PeerId next_id_ = 1;
  std::size_t turned_away_ = 0;  // makeshift peers
  util::TimePoint started_at_{};
};

}  // namespace spv::sync
