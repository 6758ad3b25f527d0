// PeerSession: the life of one connection as a pure state machine: handshake, version rules, pings.
//
//   AwaitingVersion --version--> AwaitingVerack --verack--> Ready
//
// Before Ready nothing but the handshake passes; anything else is ignored. What resists what: our own nonce back
// is a connection to ourselves; a second version, an old protocol or a peer that lacks NODE_NETWORK ends it;
// deadlines end half-open handshakes and unanswered pings; who floods us with what nobody asked for is left.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "p2p/message.h"
#include "util/time.h"

namespace spv::p2p {

inline constexpr util::Duration kHandshakeTimeout = std::chrono::seconds(10);
/// After this long without a message the peer gets a ping.
inline constexpr util::Duration kPingInterval = std::chrono::minutes(2);
/// A peer that is silent for this long after a ping is gone. Any message counts as life: a node that serves a long
/// getdata reads our ping only afterwards.
inline constexpr util::Duration kPingTimeout = std::chrono::seconds(60);
/// Messages that bring us nothing: so many at once, then one in this time (security.md R9).
inline constexpr unsigned kChatterBurst = 1'000;
inline constexpr util::Duration kChatterPause = std::chrono::milliseconds(100);
/// So much of a message that we do not know counts as one more.
inline constexpr std::size_t kChatterBytes = 1'000;
/// The same for every user: no platform, no build.
inline constexpr std::string_view kUserAgent = "/spv:0.1.0/";

/// Why a session ended by our decision.
enum class SessionError {
  HandshakeTimeout,
  SelfConnection,
  ProtocolTooOld,
  NoFullBlocks,  // neither NODE_NETWORK nor NODE_NETWORK_LIMITED
  DuplicateVersion,
  PingTimeout,
  Flooding,  // pings, requests and messages that we do not know, without end
};
std::string_view to_string(SessionError error);

class PeerSession {
 public:
  /// What handling a message came to.
  struct Result {
    std::vector<Message> replies;       // send these, in order
    bool became_ready = false;          // the handshake is complete with this message
    bool forward = false;               // the session is ready and the message is for the layers above
    std::optional<SessionError> error;  // end the connection
  };

  /// `nonce` is ours, fresh and random.
  PeerSession(std::uint64_t nonce, util::Now now);

  /// Our version message: the first thing to send.
  [[nodiscard]] Version our_version(util::Now now) const;
  Result handle(const Message& message, util::Now now);
  /// Call at or after next_deadline(): sends a ping that is due or reports a time-out. `ping_nonce` is fresh.
  Result tick(std::uint64_t ping_nonce, util::Now now);
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;

  [[nodiscard]] bool ready() const;
  /// The peer's version message; only once it came.
  [[nodiscard]] const Version* remote() const;
  /// Round trip of the last keep-alive ping.
  [[nodiscard]] std::optional<util::Duration> round_trip() const { return round_trip_; }

 private:
  struct AwaitingVersion {
    util::TimePoint deadline;
  };
  struct AwaitingVerack {
    Version remote;
    util::TimePoint deadline;
  };
  struct SentPing {
    std::uint64_t nonce = 0;
    util::TimePoint at;
  };
  struct Ready {
    Version remote;
    util::TimePoint last_heard;
    std::optional<SentPing> ping;
    unsigned chatter = 0;  // messages that brought nothing, less what time has forgiven
    util::TimePoint chatter_since{};

    /// When a ping is due, or the answer to one overdue.
    [[nodiscard]] util::TimePoint deadline() const;
  };
  static bool floods(Ready& live, const Message& message, util::Now now);
  Result on(const Version& message);
  Result on(const Verack& message, util::Now now);
  Result on(const Pong& message, util::Now now);

  std::uint64_t nonce_;
  std::variant<AwaitingVersion, AwaitingVerack, Ready> state_;
  std::optional<util::Duration> round_trip_;
};

}  // namespace spv::p2p
