// What a peer's headers message may be while an answer is due, and what the peer is known to have.
#include "sync/headers/header_peer.h"

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"

namespace spv::sync {
namespace {

/// A peer that was asked for what follows blocks 20, 15 and 1.
class HeaderPeerTest : public testing::Test {
 protected:
  HeaderPeerTest() {
    for (const chain::Height height : {20, 15, 1}) peer_.locator.push_back(mined_.block(height).hash);
  }
  [[nodiscard]] bool is_answer(chain::Height first, std::size_t count) const {
    return peer_.is_answer({mined_.headers(first, count)});
  }

  const test::ChainBuilder mined_ = test::ChainBuilder().blocks(40);
  HeaderPeer peer_;
};

TEST_F(HeaderPeerTest, AnAnswerFollowsOneOfTheBlocksThatWereNamed) {
  EXPECT_TRUE(is_answer(21, 1));
  EXPECT_TRUE(is_answer(16, 5)) << "it has left our chain above 15";
  EXPECT_TRUE(is_answer(2, 8));
}

TEST_F(HeaderPeerTest, FewHeadersThatFollowAnotherBlockAreAnAnnouncement) {
  EXPECT_FALSE(is_answer(30, 1));
  EXPECT_FALSE(is_answer(30, 8));
  EXPECT_FALSE(is_answer(22, 1)) << "its parent is above the last block that was named";
}

TEST_F(HeaderPeerTest, MoreHeadersThanANodeAnnouncesAreAnAnswerWhateverTheyFollow) { EXPECT_TRUE(is_answer(30, 9)); }

TEST_F(HeaderPeerTest, NoHeadersAreAnAnswer) { EXPECT_TRUE(peer_.is_answer({})) << "nobody announces nothing"; }

TEST_F(HeaderPeerTest, WhatAPeerHasSaidItHasIsNotTakenBackByAnOlderBlock) {
  EXPECT_EQ(peer_.serves_to, -1) << "it has not said anything";
  peer_.note_served(20);
  peer_.note_served(15);
  EXPECT_EQ(peer_.serves_to, 20);
  peer_.note_served(21);
  EXPECT_EQ(peer_.serves_to, 21);
}

TEST_F(HeaderPeerTest, APeerAtRestOwesNothingAndHasCaughtUp) {
  peer_.deadline = util::TimePoint{} + std::chrono::seconds(10);
  peer_.rest();
  EXPECT_FALSE(peer_.deadline) << "it would be left for its silence";
  EXPECT_TRUE(peer_.caught_up);
}

}  // namespace
}  // namespace spv::sync
