#include "p2p/peer_session.h"

#include <gtest/gtest.h>

#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

using namespace std::chrono_literals;
using test::peer_version;

constexpr std::uint64_t kOurNonce = 1234;

class PeerSessionTest : public ::testing::Test {
 protected:
  util::Now now{util::TimePoint{1h}, 1'800'000'000};
  PeerSession session{kOurNonce, now};

  void elapse(util::Duration duration) { now.monotonic += duration; }
  PeerSession::Result receive(const Message& message) { return session.handle(message, now); }
  PeerSession::Result tick(std::uint64_t ping_nonce = 9) { return session.tick(ping_nonce, now); }
  void shake_hands() {
    receive(peer_version());
    ASSERT_TRUE(receive(Verack{}).became_ready);
  }
  static void expect_nothing(const PeerSession::Result& result) {
    EXPECT_TRUE(result.replies.empty());
    EXPECT_FALSE(result.became_ready);
    EXPECT_FALSE(result.forward);
    EXPECT_FALSE(result.error);
  }
};

TEST_F(PeerSessionTest, OurVersionTellsNothingAboutUs) {
  Version expected;
  expected.version = 70016;
  expected.services = 0;
  expected.time = now.wall;
  expected.nonce = kOurNonce;
  expected.user_agent = "/spv:0.1.0/";
  expected.start_height = 0;
  expected.relay = false;
  EXPECT_EQ(session.our_version(now), expected);
}

TEST_F(PeerSessionTest, VersionThenVerackMakesReady) {
  EXPECT_EQ(session.remote(), nullptr);
  const auto result = receive(peer_version());
  EXPECT_EQ(result.replies, (std::vector<Message>{SendAddrV2{}, Verack{}}));
  EXPECT_FALSE(result.became_ready || result.forward || result.error);
  EXPECT_FALSE(session.ready());
  ASSERT_NE(session.remote(), nullptr);
  EXPECT_EQ(*session.remote(), peer_version());

  const auto done = receive(Verack{});
  EXPECT_TRUE(done.became_ready);
  EXPECT_TRUE(done.replies.empty());
  EXPECT_TRUE(session.ready());
  EXPECT_EQ(*session.remote(), peer_version());
}

TEST_F(PeerSessionTest, ReadyForwardsWhatIsForTheLayersAbove) {
  shake_hands();
  for (const auto& message : test::all_messages()) {
    if (std::holds_alternative<Version>(message) || std::holds_alternative<Verack>(message)) continue;
    EXPECT_EQ(receive(message).forward, !std::holds_alternative<Ping>(message)) << command_of(message);
  }
}

TEST_F(PeerSessionTest, OlderProtocolsAreNotAskedForAddrV2) {
  auto remote = peer_version();
  remote.version = 70'015;
  EXPECT_EQ(receive(remote).replies, std::vector<Message>{Verack{}});
}

TEST_F(PeerSessionTest, P7_TwoRunsDifferByNonceAndTimeAlone) {
  PeerSession other(kOurNonce + 1, now);
  elapse(1h);
  now.wall += 3'600;
  auto later = other.our_version(now);
  later.nonce = kOurNonce;
  later.time -= 3'600;
  now.wall -= 3'600;
  EXPECT_EQ(encode_payload(later), encode_payload(session.our_version(now)));
  EXPECT_EQ(later.sender, NetworkAddress{});
  EXPECT_EQ(later.receiver, NetworkAddress{});
}

TEST_F(PeerSessionTest, N1_OurOwnNonceIsAConnectionToOurselves) {
  EXPECT_EQ(receive(peer_version(kOurNonce)).error, SessionError::SelfConnection);
  EXPECT_FALSE(session.ready());
}

TEST_F(PeerSessionTest, N2_SecondVersionEndsTheSession) {
  receive(peer_version());
  EXPECT_EQ(receive(peer_version(5)).error, SessionError::DuplicateVersion);
  EXPECT_EQ(*session.remote(), peer_version());
  receive(Verack{});
  EXPECT_EQ(receive(peer_version(5)).error, SessionError::DuplicateVersion);
  EXPECT_EQ(*session.remote(), peer_version());
}

TEST_F(PeerSessionTest, N2_VerackBeforeVersionChangesNothing) {
  expect_nothing(receive(Verack{}));
  EXPECT_FALSE(session.ready());
  EXPECT_EQ(session.remote(), nullptr);
  shake_hands();
}

TEST_F(PeerSessionTest, N2_SecondVerackIsIgnored) {
  shake_hands();
  expect_nothing(receive(Verack{}));
  EXPECT_TRUE(session.ready());
}

TEST_F(PeerSessionTest, N2_NothingButTheHandshakePassesBeforeReady) {
  const auto send_everything = [this] {
    for (const auto& message : test::all_messages()) {
      if (std::holds_alternative<Version>(message) || std::holds_alternative<Verack>(message)) continue;
      expect_nothing(receive(message));
    }
  };
  send_everything();
  receive(peer_version());
  send_everything();
  EXPECT_TRUE(receive(Verack{}).became_ready);
}

TEST_F(PeerSessionTest, R4_HandshakeThatTakesTenSecondsEnds) {
  EXPECT_EQ(session.next_deadline(), now.monotonic + 10s);
  elapse(9'999ms);
  expect_nothing(tick());
  elapse(1ms);
  EXPECT_EQ(tick().error, SessionError::HandshakeTimeout);
}

TEST_F(PeerSessionTest, R4_AVersionDoesNotMoveTheHandshakeDeadline) {
  const auto deadline = session.next_deadline();
  elapse(9s);
  receive(peer_version());
  EXPECT_EQ(session.next_deadline(), deadline);
  elapse(1s);
  EXPECT_EQ(tick().error, SessionError::HandshakeTimeout);
}

TEST_F(PeerSessionTest, N3_OldAndNegativeProtocolsAreRefused) {
  for (const std::int32_t version : {-1, 0, 60'002, 70'000}) {
    auto remote = peer_version();
    remote.version = version;
    EXPECT_EQ(PeerSession(kOurNonce, now).handle(remote, now).error, SessionError::ProtocolTooOld) << version;
  }
  auto remote = peer_version();
  remote.version = 70'001;
  EXPECT_FALSE(receive(remote).error);
}

TEST_F(PeerSessionTest, N3_PeersWithoutBlocksAreRefused) {
  auto remote = peer_version();
  remote.services = services::kBloom | services::kWitness;
  EXPECT_EQ(receive(remote).error, SessionError::NoFullBlocks);
  remote.services = services::kNetworkLimited;
  EXPECT_FALSE(receive(remote).error);
}

TEST_F(PeerSessionTest, N8_UnknownServiceBitsAreFine) {
  auto remote = peer_version();
  remote.services = ~std::uint64_t{0};
  EXPECT_FALSE(receive(remote).error);
}

TEST_F(PeerSessionTest, N10_ThePeersClockMovesNothing) {
  auto remote = peer_version();
  remote.time = now.wall + 10LL * 365 * 86'400;
  receive(remote);
  receive(Verack{});
  EXPECT_EQ(session.next_deadline(), now.monotonic + kPingInterval);
  EXPECT_EQ(session.our_version(now).time, now.wall);
}

TEST_F(PeerSessionTest, AnswersPings) {
  shake_hands();
  const auto result = receive(Ping{31});
  EXPECT_EQ(result.replies, std::vector<Message>{Pong{31}});
  EXPECT_FALSE(result.forward);
}

TEST_F(PeerSessionTest, R9_AFloodOfPingsOrUnknownMessagesEndsTheSession) {
  for (const Message& chatter :
       {Message{Ping{1}}, Message{Unknown{"xyzzy"}}, Message{GetHeaders{}}, Message{GetData{}}}) {
    PeerSession flooded(kOurNonce, now);
    flooded.handle(peer_version(), now);
    flooded.handle(Verack{}, now);
    for (unsigned i = 0; i < kChatterBurst; ++i)
      ASSERT_FALSE(flooded.handle(chatter, now).error) << command_of(chatter);
    EXPECT_EQ(flooded.handle(chatter, now).error, SessionError::Flooding) << command_of(chatter);
  }
}

TEST_F(PeerSessionTest, R9_AFewHugeUnknownMessagesAreAFloodToo) {
  shake_hands();
  EXPECT_FALSE(receive(Unknown{"xyzzy", 900'000}).error);
  EXPECT_EQ(receive(Unknown{"xyzzy", 900'000}).error, SessionError::Flooding);
}

TEST_F(PeerSessionTest, R9_APingEverySecondIsNoFlood) {
  shake_hands();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    elapse(1s);
    ASSERT_EQ(receive(Ping{i}).replies.size(), 1U);
  }
}

TEST_F(PeerSessionTest, R9_WhatWeAskedForIsNoFlood) {
  shake_hands();
  for (int i = 0; i < 20'000; ++i) ASSERT_FALSE(receive(Tx{test::payment()}).error);
}

TEST_F(PeerSessionTest, AnIdlePeerIsPingedAndItsPongMeasured) {
  shake_hands();
  elapse(2min - 1us);
  expect_nothing(tick());
  elapse(1us);
  EXPECT_EQ(tick(55).replies, std::vector<Message>{Ping{55}});
  expect_nothing(tick(56));
  elapse(30ms);
  expect_nothing(receive(Pong{55}));
  EXPECT_EQ(session.round_trip(), 30ms);
  EXPECT_EQ(session.next_deadline(), now.monotonic + 2min);
}

TEST_F(PeerSessionTest, ABusyPeerIsNotPinged) {
  shake_hands();
  elapse(119s);
  receive(Inv{});
  elapse(119s);
  expect_nothing(tick());
}

TEST_F(PeerSessionTest, SilenceForAMinuteAfterThePingEndsTheSession) {
  shake_hands();
  elapse(2min);
  tick();
  EXPECT_EQ(session.next_deadline(), now.monotonic + 60s);
  elapse(60s);
  EXPECT_EQ(tick().error, SessionError::PingTimeout);
}

TEST_F(PeerSessionTest, MessagesAfterThePingCountAsLife) {
  shake_hands();
  elapse(2min);
  tick(55);
  elapse(59s);
  receive(Inv{});
  elapse(59s);
  expect_nothing(tick());
  receive(Pong{55});
  EXPECT_EQ(session.round_trip(), 118s);
}

TEST_F(PeerSessionTest, AForeignPongIsForwardedAsAFence) {
  shake_hands();
  EXPECT_TRUE(receive(Pong{77}).forward);
  elapse(2min);
  tick(55);
  EXPECT_TRUE(receive(Pong{77}).forward);
  EXPECT_FALSE(session.round_trip());
  EXPECT_FALSE(receive(Pong{55}).forward);
  EXPECT_TRUE(receive(Pong{55}).forward);  // only once is it ours
}

TEST_F(PeerSessionTest, EveryErrorHasItsWords) {
  EXPECT_EQ(to_string(SessionError::HandshakeTimeout), "handshake timed out");
  EXPECT_EQ(to_string(SessionError::SelfConnection), "connected to ourselves");
  EXPECT_EQ(to_string(SessionError::ProtocolTooOld), "protocol version too old");
  EXPECT_EQ(to_string(SessionError::NoFullBlocks), "peer does not serve blocks");
  EXPECT_EQ(to_string(SessionError::DuplicateVersion), "second version message");
  EXPECT_EQ(to_string(SessionError::PingTimeout), "ping not answered");
  EXPECT_EQ(to_string(SessionError::Flooding), "floods us with messages");
}

}  // namespace
}  // namespace spv::p2p
