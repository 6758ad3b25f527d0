// Several peers, and peers that are of no use: who is left, who takes over, and how a sync ends that cannot succeed.
#include <algorithm>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using Code = sync::Failure::Code;

class Peers : public SyncScenario {
 protected:
  Peers() { options.spacing = milliseconds(4); }
  ChainBuilder story() { return ChainBuilder().blocks(100).pays(receive(0), 5).blocks(400).pays(receive(1), 6); }
};

TEST_F(Peers, AnotherTakesOverWhenOneDiesInTheMiddle) {
  auto& first = add_node(story());
  auto& second = add_node(story());
  sim().after(milliseconds(1'500), [&] { sim().kill(0); });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_GT(first.fake.seen.filtered_blocks_asked(), 0);
  EXPECT_GT(second.fake.seen.filtered_blocks_asked(), 0);
  // What was verified is not asked for again: only what was under way at the first.
  const auto asked = first.fake.seen.filtered_blocks_asked() + second.fake.seen.filtered_blocks_asked();
  EXPECT_LE(asked, 502 + static_cast<int>(sim().counters().asked_again) + 64);
}

TEST_F(Peers, E1_AnotherTakesOverAtOnceWhenOneStallsMidBlocks) {
  add_node(story()).fake.add_fault(faults::stall_after(50));
  add_node(story());
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_LT(sim().elapsed(), seconds(8));
}

TEST_F(Peers, E1_TheOnlyOneThatStallsMidBlocksIsLeftAfterTenSeconds) {
  auto& node = add_node(story());
  node.fake.add_fault(faults::stall_after(50));
  sim().after(seconds(5), [&] { node.fake.clear_faults(); });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::Stalled));
  EXPECT_LT(sim().elapsed(), seconds(10 + 8));
}

TEST_F(Peers, E1_AnotherTakesOverWithinTenSecondsWhenOneStallsMidHeaders) {
  add_node(ChainBuilder().blocks(2'500)).fake.add_fault(faults::stall_after_headers(1));
  add_node(ChainBuilder().blocks(2'500));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_LT(sim().elapsed(), seconds(10 + 14));
}

TEST_F(Peers, E1_APeerThatFallsSilentForGoodIsLeft) {
  add_node(story());
  add_node(story());
  sim().after(milliseconds(1'200), [&] { sim().node(0).mute = true; });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_LT(sim().elapsed(), seconds(15));
}

TEST_F(Peers, E9_APeerWithoutBloomFiltersIsPassedOver) {
  auto& plain = add_node(story(), p2p::services::kNetwork | p2p::services::kWitness);
  add_node(story());
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(plain.fake.seen.filter_loads.size(), 0U);
  EXPECT_EQ(plain.fake.seen.connections, 1U);
}

TEST_F(Peers, OnlyPeersWithoutBloomFiltersFailAtOnce) {
  add_node(story(), p2p::services::kNetwork | p2p::services::kWitness);
  sync_fails(Code::NoBloomPeers);
  EXPECT_LT(sim().elapsed(), seconds(2));
  EXPECT_NE(sim().finished()->failure->message.find("node0:0"), std::string::npos);
}

TEST_F(Peers, FollowingAPeerWithoutBloomFiltersFailsToo) {
  options.follow = true;
  add_node(story(), p2p::services::kNetwork | p2p::services::kWitness);
  sync_fails(Code::NoBloomPeers);
}

TEST_F(Peers, AnUnreachableAddressFails) {
  add_node(story()).reachable = false;
  sync_fails(Code::NoPeers);
  EXPECT_LT(sim().elapsed(), seconds(10));
  EXPECT_NE(sim().finished()->failure->message.find("connection refused"), std::string::npos);
}

TEST_F(Peers, AnAddressThatNeverAnswersFails) {
  add_node(story()).black_hole = true;
  sync_fails(Code::NoPeers);
  EXPECT_LT(sim().elapsed(), seconds(40));
}

TEST_F(Peers, AnUnreachableAddressBesideAGoodOneIsNoFailure) {
  add_node(story());
  add_node(story()).reachable = false;
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(Peers, AnAddressThatNeverAnswersHoldsUpTheEndByThreeSecondsAtMost) {
  add_node(ChainBuilder().blocks(5));
  add_node(ChainBuilder().blocks(5)).black_hole = true;
  sync();
  EXPECT_LE(sim().elapsed(), seconds(4));
}

TEST_F(Peers, AllDyingInTheMiddleFails) {
  add_node(story());
  add_node(story());
  sim().after(milliseconds(1'500), [&] {
    sim().kill(0);
    sim().kill(1);
  });
  sync_fails(Code::NoPeers);
  // What was scanned stays, and the next sync goes on from there.
  EXPECT_GT(sim().committed().scan.scanned_to.height, 0);
  restart();
  sim().node(0).reachable = true;
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(Peers, ANodeBehindWhatWeKnowCannotServe) {
  add_node(story());
  ASSERT_TRUE(sim().run_until_commits(1));
  restart();
  sim().node(0).fake = FakeNode(story().at_height(300));
  sync_fails(Code::NoServingPeers);
  EXPECT_LT(sim().elapsed(), seconds(15));
}

TEST_F(Peers, ANodeThatLacksBlocksOfTheBestChainFails) {
  add_node(story()).fake.pruned_below = 50;
  sync_fails(Code::NoServingPeers);
}

TEST_F(Peers, AShorterNodeBesideALongerOneIsNoFailure) {
  add_node(story().at_height(200));
  add_node(story());
  sync();
  EXPECT_EQ(difference(story()), "");
}

TEST_F(Peers, TheHeavierChainOfTwoIsFollowed) {
  const auto base = ChainBuilder().blocks(50);
  add_node(ChainBuilder(base).pays(receive(0), 1).blocks(10));
  add_node(ChainBuilder(base).salt(2).pays(receive(1), 20).blocks(30));
  sync();
  EXPECT_EQ(balance().confirmed, 20);
  EXPECT_EQ(difference(sim().node(1).fake.chain()), "");
}

// The locator's next hash below this fork is the first: the peer begins with a batch that we know.
TEST_F(Peers, AForkDeeperThanTwoHeaderBatchesIsFollowed) {
  options.spacing = std::chrono::microseconds(10);
  const auto base = ChainBuilder().blocks(2'100);
  add_node(ChainBuilder(base).blocks(4'200));
  sync();
  restart();
  sim().node(0).fake.set_chain(ChainBuilder(base).salt(2).blocks(4'300).pays(receive(1), 20));
  sync();
  EXPECT_EQ(balance().confirmed, 20);
  EXPECT_EQ(difference(), "");
}

TEST_F(Peers, ANodeThatHangsUpAfterEveryFilterloadIsGivenUp) {
  auto& node = add_node(story());
  node.fake.add_fault([](Reply& reply) {
    reply.closed = reply.closed || std::any_of(reply.messages.begin(), reply.messages.end(), [](const auto& m) {
                     return std::holds_alternative<p2p::MerkleBlock>(m);
                   });
    if (reply.closed) reply.messages = {p2p::Pong{1}};
  });
  sync_fails(Code::NoPeers);
  EXPECT_LE(node.fake.seen.connections, 5U);
}

TEST_F(Peers, ANodeThatHangsUpNowAndThenIsUsedToTheEnd) {
  auto& node = add_node(story());
  node.fake.add_fault([sent = 0](Reply& reply) mutable {
    for (std::size_t i = 0; i < reply.messages.size(); ++i) {
      if (!std::holds_alternative<p2p::MerkleBlock>(reply.messages[i]) || ++sent % 60 != 0) continue;
      reply.messages.resize(i);
      reply.closed = true;
    }
  });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_GT(node.fake.seen.connections, 4U);
}

TEST_F(Peers, E8_TheHeightThatAPeerClaimsIsNotBelieved) {
  add_node(story()).fake.claimed_height_offset = 1'000'000;
  add_node(story()).fake.claimed_height_offset = -10'000;
  sync();
  EXPECT_EQ(difference(), "");
}

// --- a node that left for another chain: it claims more blocks than it serves

TEST_F(Peers, ANodeThatClaimsMoreThanItServesIsNamedAndTheSyncIsNotComplete) {
  auto& node = add_node(story());
  node.fake.claimed_height_offset = 11;
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(sim().engine().is_complete());
  EXPECT_TRUE(sim().engine().all_peers_doubtful());
  const auto warnings = sim().engine().warnings(0);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("claims block " + std::to_string(story().height() + 11)), std::string::npos)
      << warnings[0];
}

TEST_F(Peers, WhereOthersAreThereItDoesNotCountForTheTip) {
  add_node(story()).fake.claimed_height_offset = 11;
  auto& honest = add_node(story());
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(sim().wallet().scan().peers, 1U);
  EXPECT_TRUE(sim().engine().is_complete());
  EXPECT_EQ(sim().engine().warnings(0).size(), 1U) << "it is named all the same";
  EXPECT_GT(honest.fake.seen.filtered_blocks_asked() + static_cast<int>(honest.fake.seen.whole_blocks.size()), 0);
}

TEST_F(Peers, APeerOfTheBookThatClaimsMoreIsLeftForOthers) {
  p2p::AddressBook book;
  options.book = &book;
  options.wanted = 2;
  add_node(story()).fake.claimed_height_offset = 11;
  add_node(story());
  util::Rng rng(5);
  for (std::size_t i = 0; i < 2; ++i) {
    book.add(Simulation::address_of(i), p2p::services::kBloom, p2p::Origin::User, "", 0, rng);
  }
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::ClaimsMore));
  EXPECT_FALSE(book.find(Simulation::address_of(0))->banned(0));
  EXPECT_EQ(book.find(Simulation::address_of(0))->note, "claims more blocks than it serves");
}

// It hides the newest payment behind a tip that it calls the best, and tells a fee rate: neither is used.
TEST_F(Peers, W17_TheTipAndTheFeeRateOfOneLiarOfFourAreNotBelieved) {
  const auto newest = story().blocks(3);
  auto& liar = add_node(ChainBuilder().blocks(100).pays(receive(0), 5).blocks(400));
  liar.fake.claimed_height_offset = 1'000'000;
  liar.fake.add_fault(
      faults::append<p2p::Verack>([](const auto&) { return Messages{p2p::FeeFilter{21'000'000 * 100'000'000LL}}; }));
  for (int i = 0; i < 3; ++i) add_node(newest);
  sync();
  EXPECT_EQ(difference(newest), "");
  EXPECT_EQ(sim().wallet().scan().scanned_to.height, newest.height());
  EXPECT_EQ(balance().confirmed, 11);
}

TEST_F(Peers, E3_FollowingResumesWithinFiveSecondsAfterTheNetworkIsBack) {
  options.follow = true;
  add_node(ChainBuilder().blocks(20));
  sync();
  sim().kill(0);
  sim().run_for(std::chrono::minutes(30));
  EXPECT_EQ(sim().open_connections(), 0U);
  sim().node(0).reachable = true;
  sim().mine(0, {TxBuilder(1).pays(receive(0), 7).build()});
  const auto ticks = sim().ticks();
  sim().run_for(seconds(6));
  EXPECT_EQ(balance().confirmed, 7);
  EXPECT_LT(ticks, 2'000U);
}

TEST_F(Peers, FollowingEndsWithAnErrorWhenItsLastPeerMayNotBeUsedAgain) {
  options.follow = true;
  auto& node = add_node(ChainBuilder().blocks(20));
  sync();
  node.fake.add_fault(faults::forged_proof());
  sim().mine(0, {TxBuilder(1).pays(receive(0), 7).build()});
  sim().run_for(seconds(60));
  const auto ends = events<sync::Finished>();
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_FALSE(ends[0].failure);
  EXPECT_TRUE(ends[1].failure);
}

TEST_F(Peers, ABlockThatOnePeerHasFirstIsScannedWithoutLosingTheOther) {
  options.follow = true;
  add_node(ChainBuilder().blocks(20));
  add_node(ChainBuilder().blocks(20));
  sync();
  auto longer = ChainBuilder().blocks(20);
  for (int i = 0; i < 5; ++i) {
    longer.pays(receive(0), 1);
    sim().set_chain(1, longer);
    sim().after(milliseconds(700), [&, longer] { sim().set_chain(0, longer); });
    sim().run_for(seconds(60));
  }
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(sim().disconnects().empty());
}

}  // namespace
}  // namespace spv::test
