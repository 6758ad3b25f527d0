#include "p2p/v2_transport.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "chain/params.h"
#include "p2p/v1_transport.h"
#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

using Role = V2Transport::Role;
using test::kMagic;

V2Entropy entropy(std::uint8_t seed, std::size_t garbage = 50) {
  V2Entropy out;
  out.key.bytes.fill(seed);
  out.encoding.fill(seed);
  out.garbage.assign(garbage, seed);
  return out;
}

test::Outcome read_all(Transport& transport) {
  test::Outcome outcome;
  while (true) {
    auto next = transport.next();
    if (!next) {
      outcome.error = next.error();
      return outcome;
    }
    if (!*next) return outcome;
    outcome.messages.push_back(test::kept(std::move(**next)));
  }
}

test::Outcome feed(Transport& transport, util::ByteView bytes) {
  const auto room = transport.prepare(bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  transport.commit(bytes.size());
  return read_all(transport);
}

class V2TransportTest : public ::testing::Test {
 protected:
  V2Transport initiator{kMagic, Role::Initiator, entropy(1)};
  V2Transport responder{kMagic, Role::Responder, entropy(2)};

  void shake_hands() {
    EXPECT_EQ(feed(responder, initiator.take_output()), test::Outcome{});
    EXPECT_EQ(feed(initiator, responder.take_output()), test::Outcome{});
    EXPECT_EQ(feed(responder, initiator.take_output()), test::Outcome{});
  }
};

TEST_F(V2TransportTest, MessagesPassBothWays) {
  shake_hands();
  const auto messages = test::all_messages();
  for (const auto& message : messages) initiator.send(message);
  EXPECT_EQ(feed(responder, initiator.take_output()), (test::Outcome{messages, {}}));
  for (const auto& message : messages) responder.send(message);
  EXPECT_EQ(feed(initiator, responder.take_output()), (test::Outcome{messages, {}}));
}

TEST_F(V2TransportTest, FirstBytesAreKeyAndGarbageOnly) {
  initiator.send(Verack{});
  EXPECT_EQ(initiator.take_output().size(), 64U + 50U);
  EXPECT_TRUE(responder.take_output().empty());
}

TEST_F(V2TransportTest, WhatWasSentTooEarlyFollowsTheVersionPacket) {
  initiator.send(test::peer_version());
  feed(responder, initiator.take_output());
  feed(initiator, responder.take_output());
  EXPECT_EQ(feed(responder, initiator.take_output()), (test::Outcome{{test::peer_version()}, {}}));
}

TEST_F(V2TransportTest, BothEndsHaveTheSameSession) {
  EXPECT_FALSE(initiator.session_id());
  shake_hands();
  ASSERT_TRUE(initiator.session_id());
  EXPECT_EQ(initiator.session_id(), responder.session_id());
}

// Both ends wait for a terminator that never comes, unless one of them knows what the other network's is.
TEST_F(V2TransportTest, ANodeOfAnotherNetworkIsToldApartByItsTerminator) {
  for (const auto network : {chain::Network::Main, chain::Network::Testnet4, chain::Network::Signet}) {
    V2Transport ours{kMagic, Role::Initiator, entropy(1)};
    V2Transport theirs{chain::params(network).magic, Role::Responder, entropy(2, 4'000)};
    feed(theirs, ours.take_output());
    const auto answer = theirs.take_output();
    EXPECT_EQ(feed(ours, util::ByteView(answer).first(2'000)), test::Outcome{}) << "garbage alone tells nothing";
    EXPECT_EQ(feed(ours, util::ByteView(answer).subspan(2'000)).error, DecodeError::OtherNetwork);
    EXPECT_FALSE(ours.suggests_v1());
  }
}

TEST_F(V2TransportTest, N9_OneByteAtATimeGivesTheSame) {
  initiator.send(Ping{1});
  responder.send(Ping{2});
  std::vector<Message> at_initiator;
  std::vector<Message> at_responder;
  const auto trickle = [](Transport& from, Transport& to, std::vector<Message>& got) {
    for (const auto byte : from.take_output()) {
      auto outcome = feed(to, std::array{byte});
      ASSERT_FALSE(outcome.error);
      std::move(outcome.messages.begin(), outcome.messages.end(), std::back_inserter(got));
    }
  };
  for (int round = 0; round < 2; ++round) {
    trickle(initiator, responder, at_responder);
    trickle(responder, initiator, at_initiator);
  }
  EXPECT_EQ(at_responder, std::vector<Message>{Ping{1}});
  EXPECT_EQ(at_initiator, std::vector<Message>{Ping{2}});
  EXPECT_FALSE(initiator.mid_frame());
}

TEST_F(V2TransportTest, N9_AThousandPacketsInOneReadOverRekeyings) {
  shake_hands();
  std::vector<Message> pings;
  for (std::uint64_t i = 0; i < 1'000; ++i) pings.emplace_back(Ping{i});
  for (const auto& ping : pings) initiator.send(ping);
  EXPECT_EQ(feed(responder, initiator.take_output()), (test::Outcome{pings, {}}));
}

TEST_F(V2TransportTest, DecoysAreDropped) {
  feed(responder, initiator.take_output());
  responder.send_decoy(util::as_bytes("decoy"));
  responder.send(Ping{1});
  responder.send_decoy({});
  EXPECT_EQ(feed(initiator, responder.take_output()), (test::Outcome{{Ping{1}}, {}}));
}

// A peer by hand, since ours sends its version packet first of all.
TEST_F(V2TransportTest, ADecoyBeforeTheVersionAuthenticatesTheGarbageAlone) {
  util::SecretArray<32> key;
  key.bytes.fill(9);
  const auto ours = *encode_ell_swift(key, {});
  EllSwift theirs{};
  const auto first = initiator.take_output();
  std::copy_n(first.begin(), theirs.size(), theirs.begin());
  V2Cipher cipher(*ell_swift_secret(key, ours, theirs, false), kMagic, false);
  const auto garbage = util::as_bytes("garbage");
  util::Bytes stream(ours.begin(), ours.end());
  stream.insert(stream.end(), garbage.begin(), garbage.end());
  stream.insert(stream.end(), cipher.send_terminator().begin(), cipher.send_terminator().end());
  cipher.encrypt(util::as_bytes("decoy"), garbage, true, stream);
  cipher.encrypt({}, {}, false, stream);
  cipher.encrypt(test::hex("0f"), {}, false, stream);
  EXPECT_EQ(feed(initiator, stream), (test::Outcome{{Mempool{}}, {}}));
}

TEST(V2Transport, GarbageOfEverySizeUpToTheLimitPasses) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16}, kMaxGarbageBytes}) {
    V2Transport initiator(kMagic, Role::Initiator, entropy(1, size));
    V2Transport responder(kMagic, Role::Responder, entropy(2, kMaxGarbageBytes - size));
    EXPECT_EQ(feed(responder, initiator.take_output()), test::Outcome{});
    responder.send(Ping{3});
    EXPECT_EQ(feed(initiator, responder.take_output()), (test::Outcome{{Ping{3}}, {}})) << size;
  }
}

TEST_F(V2TransportTest, GarbageWithoutEndIsRefused) {
  EXPECT_EQ(feed(initiator, util::Bytes(64 + kMaxGarbageBytes + 15, 7)), test::Outcome{});
  EXPECT_EQ(feed(initiator, util::Bytes(1, 7)).error, DecodeError::NoHandshake);
  EXPECT_EQ(feed(initiator, util::Bytes(1, 7)).error, DecodeError::NoHandshake);
}

TEST_F(V2TransportTest, ChangedGarbageIsFound) {
  feed(responder, initiator.take_output());
  auto bytes = responder.take_output();
  bytes[64] ^= 1U;
  EXPECT_EQ(feed(initiator, bytes).error, DecodeError::Unauthentic);
}

TEST_F(V2TransportTest, AFlippedBitInAPacketEndsTheStream) {
  shake_hands();
  initiator.send(Ping{1});
  auto bytes = initiator.take_output();
  bytes.back() ^= 1U;
  EXPECT_EQ(feed(responder, bytes).error, DecodeError::Unauthentic);
}

TEST_F(V2TransportTest, MessagesBeforeABadPacketAreStillGiven) {
  shake_hands();
  initiator.send(Ping{1});
  initiator.send(Ping{2});
  auto bytes = initiator.take_output();
  bytes.back() ^= 1U;
  EXPECT_EQ(feed(responder, bytes), (test::Outcome{{Ping{1}}, DecodeError::Unauthentic}));
}

TEST_F(V2TransportTest, R1_ALengthAboveTheLimitIsRefusedBeforeThePacketComes) {
  shake_hands();
  initiator.send_decoy(util::Bytes(4'000'014, 0));
  EXPECT_EQ(feed(responder, util::ByteView(initiator.take_output()).first(3)).error, DecodeError::Oversized);
}

TEST_F(V2TransportTest, AMalformedMessageEndsTheStream) {
  shake_hands();
  initiator.send(Unknown{"ping"});  // a ping without its nonce
  EXPECT_EQ(feed(responder, initiator.take_output()).error, DecodeError::Malformed);
}

TEST_F(V2TransportTest, AnotherNetworkDoesNotGetThrough) {
  V2Transport foreign({1, 2, 3, 4}, Role::Responder, entropy(2));
  feed(foreign, initiator.take_output());
  foreign.send(Headers{std::vector<chain::BlockHeader>(100)});
  EXPECT_EQ(feed(initiator, foreign.take_output()).error, DecodeError::NoHandshake);
}

TEST_F(V2TransportTest, AV1AnswerIsToldApart) {
  V1Transport old(kMagic);
  old.send(test::peer_version());
  EXPECT_EQ(feed(initiator, old.take_output()).error, DecodeError::SpeaksV1);
  EXPECT_TRUE(initiator.suggests_v1());
}

TEST_F(V2TransportTest, AHangUpWithoutAByteSuggestsV1AndALaterOneDoesNot) {
  EXPECT_TRUE(initiator.suggests_v1());
  feed(initiator, util::Bytes(1, 7));
  EXPECT_FALSE(initiator.suggests_v1());
  feed(initiator, util::Bytes(100, 7));
  EXPECT_FALSE(initiator.suggests_v1());
}

TEST_F(V2TransportTest, CountsTheBytesOfTheStream) {
  const auto sent = initiator.take_output();
  feed(responder, sent);
  const auto answer = responder.take_output();
  feed(initiator, answer);
  EXPECT_EQ(initiator.bytes_consumed(), answer.size());
  EXPECT_EQ(initiator.name(), "v2");
}

TEST(V1Transport, FramesPassAndNothingIsSaidFirst) {
  V1Transport a(kMagic);
  V1Transport b(kMagic);
  EXPECT_TRUE(a.take_output().empty());
  a.send(Ping{1});
  a.send(Verack{});
  EXPECT_EQ(feed(b, a.take_output()), (test::Outcome{{Ping{1}, Verack{}}, {}}));
  EXPECT_EQ(b.bytes_consumed(), 56U);
  EXPECT_FALSE(b.suggests_v1());
  EXPECT_FALSE(b.session_id());
  EXPECT_EQ(b.name(), "v1");
}

}  // namespace
}  // namespace spv::p2p
