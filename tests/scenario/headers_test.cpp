// Header chains as whole syncs: announcements in between, chains of little work, and reorganisations of any depth.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

class Headers : public SyncScenario {
 protected:
  chain::BlockRef tip() { return sim().headers().tip(); }
  /// Adds a headers message with the node's tip behind the first full batch that it sends.
  static void announce_in_between(SimulatedNode& node) {
    node.fake.add_fault([&node, done = false](Reply& reply) mutable {
      const auto is_full = [](const p2p::Message& message) {
        const auto* headers = std::get_if<p2p::Headers>(&message);
        return headers != nullptr && headers->headers.size() == p2p::kMaxHeaders;
      };
      if (done || std::none_of(reply.messages.begin(), reply.messages.end(), is_full)) return;
      done = true;
      reply.messages.emplace_back(p2p::Headers{{node.fake.chain().tip_block().header}});
    });
  }
};

TEST_F(Headers, H12_ABlockAnnouncedInTheMiddleOfALongSyncDoesNotEndIt) {
  auto& node = add_node(ChainBuilder().blocks(6'500).pays(receive(0), 700));
  announce_in_between(node);
  sim().on_event = [&](const sync::Event& event) {
    const bool told = std::holds_alternative<sync::TipChanged>(event);
    EXPECT_TRUE(!told || tip().height == 6'501) << "the phase ended early";
  };
  sync();
  EXPECT_EQ(tip(), node.fake.chain().tip());
  EXPECT_EQ(difference(), "");
  EXPECT_LE(node.fake.seen.headers_requests, 5U) << "four batches, and once more because of the announcement";
}

TEST_F(Headers, H12_AnnouncementsAloneDoNotPutOffTheDeadline) {
  auto& node = add_node(ChainBuilder().blocks(2'500));
  const auto stray = ChainBuilder().salt(9).blocks(3).tip_block().header;
  node.fake.add_fault([stray](Reply& reply) {
    for (auto& message : reply.messages) {
      if (auto* headers = std::get_if<p2p::Headers>(&message)) headers->headers = {stray};
    }
  });
  sync_fails(sync::Failure::Code::NoPeers);
  EXPECT_THAT(sim().disconnects(), Contains(Reason::Stalled));
}

TEST_F(Headers, H14_OnePeerAloneCannotHideAHeavierChain) {
  const auto common = ChainBuilder().blocks(2'010);
  add_node(ChainBuilder(common).blocks(5));
  add_node(ChainBuilder(common).salt(3).blocks(3).pays(receive(0), 4).blocks(4));
  sync();
  EXPECT_EQ(tip(), sim().node(1).fake.chain().tip());
  EXPECT_EQ(difference(sim().node(1).fake.chain()), "");
}

// --- H9, H10: little work

TEST_F(Headers, H9_ALongBranchOfLittleWorkCostsItsPeerTheConnection) {
  const auto honest = ChainBuilder().blocks(5'200).pays(receive(0), 700);
  add_node(honest);
  sync();
  restart();
  add_node(ChainBuilder().salt(7).blocks(5'000));
  sync();
  EXPECT_TRUE(dropped(Reason::TooLittleWork));
  EXPECT_EQ(tip(), honest.tip());
  EXPECT_EQ(difference(honest), "");
  EXPECT_THAT(sim().headers().side_branches().all(), IsEmpty());
}

TEST_F(Headers, H10_AChainOfTooLittleWorkIsNotTheEndWhenItComesFirst) {
  options.minimum_work = 2 * 201;
  add_node(ChainBuilder().blocks(50).pays(receive(0), 700));
  add_node(ChainBuilder().salt(2).blocks(150).pays(receive(1), 80).blocks(60)).reachable = false;
  sim().after(milliseconds(900), [this] { sim().node(1).reachable = true; });
  sim().on_event = [this](const sync::Event& event) {
    const bool shown =
        std::holds_alternative<sync::TipChanged>(event) || std::holds_alternative<sync::TransactionSeen>(event);
    EXPECT_TRUE(!shown || tip().height == 211) << "shown too early";
  };
  sync();
  EXPECT_EQ(tip().height, 211);
  EXPECT_EQ(balance().confirmed, 80);
  EXPECT_TRUE(dropped(Reason::TooLittleWork));
}

TEST_F(Headers, H10_AChainOfTooLittleWorkAloneIsNeverFinal) {
  options.minimum_work = 2 * 201;
  add_node(ChainBuilder().blocks(198).pays(receive(0), 700));
  sync_fails(sync::Failure::Code::NoServingPeers);
  EXPECT_EQ(balance().confirmed, 0);
  EXPECT_THAT(events<sync::TipChanged>(), IsEmpty());
  restart();
  sim().mine(0);
  sync();
  EXPECT_EQ(balance().confirmed, 700);
}

// --- H14, H16, H19: reorganisations

TEST_F(Headers, H14_AReorganisationDeeperThanABranchMayBeHeldIsFollowed) {
  const auto base = ChainBuilder().blocks(100).pays(receive(0), 1'000);
  add_node(ChainBuilder(base).pays(receive(1), 200).blocks(6'100));
  sync();
  restart();
  sim().set_chain(0, ChainBuilder(base).salt(5).pays(receive(2), 30).blocks(6'200));
  sim().node(0).fake.seen.headers_requests = 0;
  sync();
  EXPECT_EQ(tip(), sim().node(0).fake.chain().tip());
  EXPECT_EQ(balance().confirmed, 1'030);
  EXPECT_EQ(sim().node(0).fake.seen.headers_requests, 8U) << "four batches, each of them twice";
  EXPECT_EQ(sim().reorganisations(), 1U);
}

TEST_F(Headers, H16_PingPongBetweenTwoBranchesEndsAsAFreshSyncDoes) {
  options.follow = true;
  const auto base = ChainBuilder().blocks(20).pays(receive(0), 1'000);
  std::array<ChainBuilder, 2> branches = {ChainBuilder(base).blocks(1), ChainBuilder(base).salt(5).blocks(2)};
  add_node(branches[0]);
  sync();
  sim().set_chain(0, branches[1]);
  sim().run_for(seconds(5));
  for (std::uint32_t turn = 0; turn < 60; ++turn) {
    auto& branch = branches[turn % 2];
    branch.pays(receive(turn % 15), 1 + turn).blocks(1);
    sim().set_chain(0, branch);
    sim().run_for(seconds(5));
  }
  EXPECT_EQ(sim().reorganisations(), 61U);
  EXPECT_EQ(tip(), branches[1].tip());
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(sim().headers().side_branches().all().size(), 1U);
}

/// Two nodes with a chain that the client knows, and a deeper branch than it takes from one of them.
class DeepReorganisation : public Headers {
 protected:
  void SetUp() override {
    base_.blocks(20).pays(receive(0), 1'000);
    old_ = ChainBuilder(base_).pays(receive(1), 200).blocks(149);
    new_ = ChainBuilder(base_).salt(5).pays(receive(2), 30).blocks(150);
    add_node(old_);
    add_node(old_);
    sync();
    restart();
  }
  ChainBuilder base_;
  ChainBuilder old_;
  ChainBuilder new_;
};

TEST_F(DeepReorganisation, H19_IsTakenWhenASecondPeerAgrees) {
  sim().set_chain(0, new_);
  sim().set_chain(1, new_);
  sync();
  EXPECT_EQ(tip(), new_.tip());
  EXPECT_EQ(difference(new_), "");
  ASSERT_EQ(events<sync::ReorganisationHeld>().size(), 1U) << "the user hears of it";
  EXPECT_EQ(events<sync::ReorganisationHeld>()[0].fork_height, 21);
  ASSERT_EQ(events<sync::ChainReorganised>().size(), 1U);
  EXPECT_EQ(events<sync::ChainReorganised>()[0].from, old_.tip());
}

TEST_F(DeepReorganisation, H19_OfOnePeerAloneIsHeldAndTheWalletStays) {
  sim().set_chain(0, new_);
  sync();
  EXPECT_EQ(tip(), old_.tip());
  EXPECT_EQ(difference(old_), "");
  EXPECT_EQ(events<sync::ReorganisationHeld>().size(), 1U);
  EXPECT_THAT(events<sync::ChainReorganised>(), IsEmpty());
}

TEST_F(DeepReorganisation, H19_IsTakenWhileFollowingOnceTheSecondPeerHasItToo) {
  sim().options.follow = true;
  sync();
  sim().set_chain(1, new_);
  sim().run_for(seconds(30));
  EXPECT_EQ(tip(), old_.tip());
  sim().set_chain(0, new_);
  sim().run_for(seconds(60));
  EXPECT_EQ(tip(), new_.tip());
  EXPECT_EQ(difference(new_), "");
}

TEST_F(DeepReorganisation, H19_OfAHundredBlocksNeedsOnePeer) {
  const auto shallow = old_.at_height(old_.height() - 100).salt(6).blocks(101);
  sim().set_chain(1, shallow);
  sync();
  EXPECT_EQ(tip(), shallow.tip());
  EXPECT_THAT(events<sync::ReorganisationHeld>(), IsEmpty());
}

TEST_F(Headers, H19_TheOnlyPeerThatIsConfiguredCountsAlone) {
  const auto base = ChainBuilder().blocks(20);
  add_node(ChainBuilder(base).blocks(150));
  sync();
  restart();
  sim().set_chain(0, ChainBuilder(base).salt(5).blocks(149).pays(receive(2), 30).blocks(1));
  sync();
  EXPECT_EQ(balance().confirmed, 30);
  EXPECT_EQ(events<sync::ChainReorganised>().size(), 1U);
}

TEST_F(Headers, H19_AFreshClientFollowsWorkWhoeverCameFirst) {
  add_node(ChainBuilder().salt(8).blocks(180));
  add_node(ChainBuilder().blocks(200).pays(receive(0), 5));
  sync();
  EXPECT_EQ(balance().confirmed, 5);
}

}  // namespace
}  // namespace spv::test
