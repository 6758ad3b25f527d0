// The peers that serve, taken together: whose filter is to be renewed, and who has a block.
#include "sync/scan/lanes.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

class LanesTest : public testing::Test {
 protected:
  Lane& add(PeerId peer, bool filtered = true) {
    return lanes_.add({.pipe = ScanLane(peer, true, matcher_),
                       .use = {.filtered = filtered, .local = false},
                       .choice = SourceChoice(SourceMode::Auto, filtered)});
  }
  Lane& add_with_filter(PeerId peer, FilterEpoch epoch) {
    Lane& lane = add(peer);
    load(lane, epoch);
    return lane;
  }
  void load(Lane& lane, FilterEpoch epoch) {
    bip37::BloomFilter filter(bip37::design_filter(10, 0.001), static_cast<std::uint32_t>(epoch),
                              bip37::UpdateFlags::All);
    lane.pipe.load_filter(filter, epoch, out_);
  }

  WholeMatcher matcher_{util::Rng(1), [](BlockMatcher&) {}};
  Outbox out_;
  Lanes lanes_;
};

TEST_F(LanesTest, APeerIsFoundUntilItIsRemoved) {
  add(7);
  EXPECT_TRUE(lanes_.contains(7));
  ASSERT_NE(lanes_.find(7), nullptr);
  EXPECT_EQ(lanes_.find(7)->pipe.peer(), 7U);
  EXPECT_EQ(lanes_.find(8), nullptr);
  EXPECT_FALSE(lanes_.remove(8));
  EXPECT_TRUE(lanes_.remove(7));
  EXPECT_EQ(lanes_.find(7), nullptr);
  EXPECT_TRUE(lanes_.empty());
}

TEST_F(LanesTest, AFilterThatIsWornOrLacksACoinIsRenewed) {
  Lane& lane = add(1);
  EXPECT_FALSE(lane.renews());
  lane.worn = true;
  EXPECT_TRUE(lane.renews());
  lane.worn = false;
  lane.lacking = true;
  EXPECT_TRUE(lane.renews());
}

TEST_F(LanesTest, WhoeverDoesNotFilterForUsRenewsNothing) {
  Lane& lane = add(1, false);
  lane.worn = lane.lacking = true;
  EXPECT_FALSE(lane.renews());
}

TEST_F(LanesTest, SomebodyFiltersForUsIfOneDoes) {
  EXPECT_FALSE(lanes_.filters());
  add(1, false);
  EXPECT_FALSE(lanes_.filters());
  add(2, true);
  EXPECT_TRUE(lanes_.filters());
}

TEST_F(LanesTest, WearingOutRenewsAllFilters) {
  add_with_filter(1, 1);
  add_with_filter(2, 2);
  lanes_.wear_out();
  for (const auto& [id, lane] : lanes_) {
    EXPECT_TRUE(lane.renews()) << id;
    EXPECT_FALSE(lane.lacking) << "what it serves still counts";
  }
}

TEST_F(LanesTest, OnlyTheFilterUnderWhichACoinWasFoundDoesNotLackIt) {
  add_with_filter(1, 1);
  add_with_filter(2, 2);
  add_with_filter(3, 3);
  lanes_.renew_others(2);
  EXPECT_TRUE(lanes_.at(1).lacking);
  EXPECT_FALSE(lanes_.at(2).lacking);
  EXPECT_TRUE(lanes_.at(3).lacking);
}

TEST_F(LanesTest, AFilterThatLacksACoinAlreadyStillDoesWhenItFindsAnother) {
  add_with_filter(1, 1).lacking = true;
  lanes_.renew_others(1);
  EXPECT_TRUE(lanes_.at(1).lacking);
}

TEST_F(LanesTest, APeerIsJudgedByItsPresentFilter) {
  Lane& lane = add_with_filter(1, 1);
  load(lane, 2);
  lanes_.renew_others(1);
  EXPECT_TRUE(lane.lacking);
}

TEST_F(LanesTest, ThoseThatHaveABlockAreCounted) {
  EXPECT_EQ(lanes_.reaching(0), 0U);
  add(1).reach = 10;
  add(2).reach = 11;
  add(3);
  EXPECT_EQ(lanes_.reaching(0), 2U);
  EXPECT_EQ(lanes_.reaching(10), 2U);
  EXPECT_EQ(lanes_.reaching(11), 1U);
  EXPECT_EQ(lanes_.reaching(12), 0U);
}

TEST_F(LanesTest, TheMirrorIsThatOfTheFirstPeerWithAFilter) {
  EXPECT_EQ(lanes_.mirror(), nullptr);
  add(1);
  EXPECT_EQ(lanes_.mirror(), nullptr);
  add_with_filter(3, 30);
  add_with_filter(2, 20);
  ASSERT_NE(lanes_.mirror(), nullptr);
  EXPECT_EQ(lanes_.mirror()->filter().tweak(), 20U);
}

TEST_F(LanesTest, StartingOverLeavesNothingThatCounts) {
  Lane& lane = add_with_filter(1, 1);
  const util::Now now{};
  lane.pipe.request({{.height = 1, .hash = {}}}, BlockKind::Filtered, 77, now, out_);
  lanes_.start_over();
  EXPECT_TRUE(lane.lacking);
  const auto step = lane.pipe.on(
      p2p::Pong{77}, [](const chain::Txid&) { return nullptr; }, now);
  EXPECT_FALSE(step.fault) << "the peer need not serve it any more";
  EXPECT_FALSE(lane.pipe.take().has_value());
  EXPECT_EQ(lane.pipe.in_flight(), 0U);
}

}  // namespace
}  // namespace spv::sync
