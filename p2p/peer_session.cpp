#include "p2p/peer_session.h"

#include <algorithm>
#include <utility>

namespace spv::p2p {
namespace {

PeerSession::Result fail(SessionError error) {
  PeerSession::Result result;
  result.error = error;
  return result;
}

PeerSession::Result reply(Message message) {
  PeerSession::Result result;
  result.replies.emplace_back(std::move(message));
  return result;
}

}  // namespace

std::string_view to_string(SessionError error) {
  switch (error) {
    case SessionError::HandshakeTimeout:
      return "handshake timed out";
    case SessionError::SelfConnection:
      return "connected to ourselves";
    case SessionError::ProtocolTooOld:
      return "protocol version too old";
    case SessionError::NoFullBlocks:
      return "peer does not serve blocks";
    case SessionError::DuplicateVersion:
      return "second version message";
    case SessionError::PingTimeout:
      return "ping not answered";
    case SessionError::Flooding:
      return "floods us with messages";
  }
  return "unknown session error";
}

PeerSession::PeerSession(std::uint64_t nonce, util::Now now)
    : nonce_(nonce), state_(AwaitingVersion{now.monotonic + kHandshakeTimeout}) {}

Version PeerSession::our_version(util::Now now) const {
  Version version;
  version.time = now.wall;
  version.nonce = nonce_;
  version.user_agent = kUserAgent;
  version.relay = false;  // a filterload switches relay on
  return version;
}

PeerSession::Result PeerSession::handle(const Message& message, util::Now now) {
  auto* const live = std::get_if<Ready>(&state_);
  if (live != nullptr) live->last_heard = now.monotonic;
  if (const auto* version = std::get_if<Version>(&message)) return on(*version);
  if (const auto* verack = std::get_if<Verack>(&message)) return on(*verack, now);
  if (live == nullptr) return {};
  if (floods(*live, message, now)) return fail(SessionError::Flooding);
  if (const auto* ping = std::get_if<Ping>(&message)) return reply(Pong{ping->nonce});
  if (const auto* pong = std::get_if<Pong>(&message)) return on(*pong, now);
  Result result;
  result.forward = true;
  return result;
}

// What a node sends of its own accord now and then, and nothing of ours waits for.
bool PeerSession::floods(Ready& live, const Message& message, util::Now now) {
  const bool chatter = std::holds_alternative<Ping>(message) || std::holds_alternative<Unknown>(message) ||
                       std::holds_alternative<GetHeaders>(message) || std::holds_alternative<GetData>(message) ||
                       std::holds_alternative<GetAddr>(message) || std::holds_alternative<FeeFilter>(message) ||
                       std::holds_alternative<SendHeaders>(message) || std::holds_alternative<Mempool>(message) ||
                       std::holds_alternative<FilterLoad>(message) || std::holds_alternative<Addr>(message) ||
                       std::holds_alternative<AddrV2>(message);
  if (!chatter) return false;
  const auto forgiven = (now.monotonic - live.chatter_since) / kChatterPause;
  live.chatter_since += forgiven * kChatterPause;
  live.chatter -= static_cast<unsigned>(std::min<util::Duration::rep>(forgiven, live.chatter));
  const auto* unknown = std::get_if<Unknown>(&message);
  live.chatter += 1 + (unknown == nullptr ? 0U : static_cast<unsigned>(unknown->payload_bytes / kChatterBytes));
  return live.chatter > kChatterBurst;
}

PeerSession::Result PeerSession::on(const Version& message) {
  const auto* const waiting = std::get_if<AwaitingVersion>(&state_);
  if (waiting == nullptr) return fail(SessionError::DuplicateVersion);
  if (message.nonce == nonce_) return fail(SessionError::SelfConnection);
  if (message.version < kMinPeerVersion) return fail(SessionError::ProtocolTooOld);
  if ((message.services & (services::kNetwork | services::kNetworkLimited)) == 0) {
    return fail(SessionError::NoFullBlocks);
  }
  const util::TimePoint deadline = waiting->deadline;
  state_ = AwaitingVerack{message, deadline};
  auto result = reply(Verack{});
  // BIP155: to be said before the verack, and to no version that may not know it.
  if (message.version >= kProtocolVersion) result.replies.insert(result.replies.begin(), SendAddrV2{});
  return result;
}

PeerSession::Result PeerSession::on(const Verack& /*message*/, util::Now now) {
  auto* const waiting = std::get_if<AwaitingVerack>(&state_);
  if (waiting == nullptr) return {};
  Version remote = std::move(waiting->remote);
  state_ = Ready{std::move(remote), now.monotonic, std::nullopt, 0, now.monotonic};
  Result result;
  result.became_ready = true;
  return result;
}

PeerSession::Result PeerSession::on(const Pong& message, util::Now now) {
  auto& live = std::get<Ready>(state_);
  Result result;
  if (live.ping && live.ping->nonce == message.nonce) {
    round_trip_ = now.monotonic - live.ping->at;
    live.ping.reset();
  } else {
    result.forward = true;  // the layer above sends pings of its own, as fences
  }
  return result;
}

PeerSession::Result PeerSession::tick(std::uint64_t ping_nonce, util::Now now) {
  const auto deadline = next_deadline();
  if (!deadline || now.monotonic < *deadline) return {};
  auto* const live = std::get_if<Ready>(&state_);
  if (live == nullptr) return fail(SessionError::HandshakeTimeout);
  if (live->ping) return fail(SessionError::PingTimeout);
  live->ping = SentPing{ping_nonce, now.monotonic};
  return reply(Ping{ping_nonce});
}

util::TimePoint PeerSession::Ready::deadline() const {
  if (!ping) return last_heard + kPingInterval;
  return std::max(ping->at, last_heard) + kPingTimeout;
}

std::optional<util::TimePoint> PeerSession::next_deadline() const {
  if (const auto* live = std::get_if<Ready>(&state_)) return live->deadline();
  if (const auto* waiting = std::get_if<AwaitingVersion>(&state_)) return waiting->deadline;
  return std::get<AwaitingVerack>(state_).deadline;
}

bool PeerSession::ready() const { return std::holds_alternative<Ready>(state_); }

const Version* PeerSession::remote() const {
  if (const auto* live = std::get_if<Ready>(&state_)) return &live->remote;
  if (const auto* waiting = std::get_if<AwaitingVerack>(&state_)) return &waiting->remote;
  return nullptr;
}

}  // namespace spv::p2p
