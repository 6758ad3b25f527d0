// PeerPool: which addresses we try, when, and who is connected. A peer that breaks the rules is not used again in
// this run; one that only failed is tried again after a growing pause.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "p2p/peer_session.h"
#include "sync/outbox.h"
#include "util/rng.h"

namespace spv::sync {

/// One connection and what we know of it.
struct Peer {
  PeerId id = 0;
  PeerAddress address;
  bool connected = false;
  util::TimePoint connect_deadline{};
  std::optional<p2p::PeerSession> session;  // once connected

  // Headers: what this peer still owes us.
  bool caught_up = false;         // it has told us all it knows above our tip
  bool ask_again = false;         // it announced something while an answer was due
  bool asked_to_connect = false;  // it sent headers that connected to nothing, and was asked from our locator
  std::optional<util::TimePoint> headers_deadline;
  std::vector<chain::BlockHash> headers_locator;  // of the question that is due: an answer follows one of these
  chain::Height headers_height = -1;              // where its last full batch ended
  chain::Height asked_at_height = -1;             // our best chain when it was last asked
  chain::Height serves_to = -1;  // it said that it has the blocks of the best chain up to here, or had nothing to add

  std::size_t unsolicited = 0;  // transactions that nobody asked for and our filter does not match

  [[nodiscard]] bool ready() const { return session && session->ready(); }
};

/// What is left of a peer for the summary.
struct PeerSummary {
  PeerAddress address;
  std::string user_agent;
  bool banned = false;
  std::string last_error;
};

class PeerPool {
 public:
  static constexpr util::Duration kConnectTimeout = std::chrono::seconds(10);
  static constexpr util::Duration kFirstRetry = std::chrono::seconds(1);
  /// So that a network that is back is used within five seconds (security.md E3).
  static constexpr util::Duration kLongestRetry = std::chrono::seconds(4);
  /// Without --follow an address is given up after this many failures in a row.
  static constexpr unsigned kMaxAttempts = 3;

  PeerPool(std::vector<PeerAddress> addresses, bool persistent);

  /// Connects to every address that is due.
  void connect_due(util::Now now, Outbox& out);
  void on_connected(PeerId peer, std::uint64_t nonce, util::Now now, Outbox& out);
  /// The connection could not be made, or is gone. `reason`: why, where we ended it ourselves.
  void on_lost(PeerId peer, std::string error, std::optional<DisconnectReason> reason, util::Now now);

  [[nodiscard]] Peer* find(PeerId peer);
  [[nodiscard]] std::map<PeerId, Peer>& peers() { return peers_; }
  [[nodiscard]] const std::map<PeerId, Peer>& peers() const { return peers_; }
  /// There is one address only: nobody else can be asked.
  [[nodiscard]] bool is_sole() const { return candidates_.size() == 1; }
  /// True if nothing is connected and nothing will be tried again.
  [[nodiscard]] bool exhausted() const;
  [[nodiscard]] bool any_lacked_bloom() const;
  [[nodiscard]] bool any_lacked_blocks() const;
  /// "host:port: reason" for every address that failed.
  [[nodiscard]] std::string errors() const;
  [[nodiscard]] std::vector<PeerSummary> summaries() const;
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;
  void note_user_agent(const Peer& peer);
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
    std::optional<PeerId> current;
    util::TimePoint next_attempt{};
  };
  Candidate* candidate_of(PeerId peer);

  std::vector<Candidate> candidates_;
  bool persistent_;
  std::map<PeerId, Peer> peers_;
  PeerId next_id_ = 1;
};

}  // namespace spv::sync
