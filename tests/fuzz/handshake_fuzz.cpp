// PeerSession against the table of its header: what each state does with each message, and its deadlines.
#include <algorithm>

#include "p2p/peer_session.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;
using p2p::PeerSession;
using std::chrono::seconds;

constexpr std::uint64_t kOurNonce = 7;

// The rules once more: a state, its deadline and what was said.
struct Model {
  enum class State { AwaitingVersion, AwaitingVerack, Ready } state = State::AwaitingVersion;
  util::TimePoint handshake_ends;
  util::TimePoint last_heard{};
  std::optional<std::pair<std::uint64_t, util::TimePoint>> ping;

  [[nodiscard]] util::TimePoint deadline() const {
    if (state != State::Ready) return handshake_ends;
    if (!ping) return last_heard + seconds(120);
    return std::max(ping->second, last_heard) + seconds(60);
  }
};

p2p::Version random_version(fuzz::Input& input) {
  p2p::Version version;
  const std::uint8_t kind = input.byte();
  version.version = (kind & 1U) != 0 ? p2p::kProtocolVersion : static_cast<std::int32_t>(70'000 + input.byte());
  version.services = (kind & 2U) != 0 ? p2p::services::kNetwork | p2p::services::kBloom : input.word();
  version.nonce = (kind & 4U) != 0 ? 99U : input.byte() % 16U;
  return version;
}

std::optional<p2p::SessionError> version_error(const Model& model, const p2p::Version& version) {
  if (model.state != Model::State::AwaitingVersion) return p2p::SessionError::DuplicateVersion;
  if (version.nonce == kOurNonce) return p2p::SessionError::SelfConnection;
  if (version.version < 70'001) return p2p::SessionError::ProtocolTooOld;
  if ((version.services & (1U | 1'024U)) == 0) return p2p::SessionError::NoFullBlocks;
  return std::nullopt;
}

}  // namespace

SPV_FUZZ_TARGET(handshake, input) {
  using State = Model::State;
  fuzz::Input rest(input);
  util::Now now{util::TimePoint{} + seconds(1'000), 1'700'000'000};
  PeerSession session(kOurNonce, now);
  Model model{.handshake_ends = now.monotonic + seconds(10), .ping = {}};
  for (unsigned step = 0; !rest.empty() && step < 900; ++step) {  // fewer than would count as a flood
    now.monotonic += std::chrono::milliseconds(rest.byte() * 400);
    const std::uint8_t kind = rest.byte() % 9;
    if (kind == 0) {
      const bool due = now.monotonic >= model.deadline();
      const auto result = session.tick(step, now);
      if (!due) {
        util::ensure(!result.error && result.replies.empty(), "something happens before the deadline");
      } else if (model.state != State::Ready || model.ping) {
        util::ensure(result.error.has_value(), "a deadline passes without an end");
        return;
      } else {
        util::ensure(result.replies == std::vector<p2p::Message>{p2p::Ping{step}}, "a ping is due");
        model.ping = {step, now.monotonic};
      }
      continue;
    }
    const bool ready = model.state == State::Ready;
    if (ready) model.last_heard = now.monotonic;
    if (kind <= 2) {
      const auto version = random_version(rest);
      const auto error = version_error(model, version);
      const auto result = session.handle(version, now);
      util::ensure(result.error == error && !result.forward && !result.became_ready, "a version's verdict");
      if (error) return;
      std::vector<p2p::Message> replies{p2p::Verack{}};
      if (version.version >= 70'016) replies.insert(replies.begin(), p2p::SendAddrV2{});
      util::ensure(result.replies == replies, "the answer to a version");
      model.state = State::AwaitingVerack;
    } else if (kind <= 4) {
      const auto result = session.handle(p2p::Verack{}, now);
      util::ensure(result.became_ready == (model.state == State::AwaitingVerack), "ready by a verack and nothing else");
      util::ensure(!result.error && !result.forward && result.replies.empty(), "a verack has no answer");
      if (result.became_ready) {
        model.state = State::Ready;
        model.last_heard = now.monotonic;
      }
    } else if (kind == 5) {
      const auto result = session.handle(p2p::Ping{step}, now);
      const auto pong = ready ? std::vector<p2p::Message>{p2p::Pong{step}} : std::vector<p2p::Message>{};
      util::ensure(result.replies == pong && !result.forward, "a ping is answered once ready");
    } else if (kind == 6) {
      const bool ours = model.ping && rest.chance();
      const auto result = session.handle(p2p::Pong{ours ? model.ping->first : 0xFFFF'FFFF}, now);
      util::ensure(result.forward == (ready && !ours) && result.replies.empty(), "whose pong it is");
      if (ours) util::ensure(session.round_trip() == now.monotonic - model.ping->second, "the round trip");
      if (ours) model.ping.reset();
    } else {
      const auto result = session.handle(kind == 7 ? p2p::Message(p2p::Headers{}) : p2p::Message(p2p::Mempool{}), now);
      util::ensure(result.forward == ready && !result.error && result.replies.empty(), "nothing passes before ready");
    }
    util::ensure(session.ready() == (model.state == State::Ready), "the state");
    util::ensure(session.next_deadline() == model.deadline(), "the deadline");
    util::ensure((session.remote() == nullptr) == (model.state == State::AwaitingVersion), "the peer's version");
  }
}
