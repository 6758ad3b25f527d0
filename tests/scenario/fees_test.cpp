// What a transaction must pay, as peers say: honest ones, liars, and silence.
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class Fees : public SyncScenario {
 protected:
  static ChainBuilder story() { return ChainBuilder().blocks(40); }
  sync::FeesKnown ask() {
    sim().options.errands = {.broadcasts = {}, .fees = true, .scan = false};
    EXPECT_TRUE(sim().run_until_finished());
    const auto all = events<sync::FeesKnown>();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? sync::FeesKnown{} : all.front();
  }
  /// Every coinbase that the node tells of earned this much.
  static Tamper earns(chain::Amount fees) {
    return faults::alter<p2p::BlockTxn>([fees](p2p::BlockTxn& m) {
      for (auto& tx : m.transactions) tx.outputs.front().value += fees;
    });
  }
};

TEST_F(Fees, TheFloorIsTheMedianAndTheEstimateWhatBlocksEarned) {
  for (const std::int64_t floor : {900, 5'000, 1'000}) {
    auto& node = add_node(story());
    node.fake.fee_filter = floor;
    node.fake.add_fault(earns(4'000'000));
  }
  const auto known = ask();
  EXPECT_EQ(known.floor, 1'000);
  EXPECT_EQ(known.peers_heard, 3U);
  EXPECT_EQ(known.estimate, 4'000);
  EXPECT_EQ(known.blocks_used, 10U);
  EXPECT_EQ(known.blocks_by_two, 10U);
  std::size_t asked = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& coinbases = sim().node(i).fake.seen.coinbases;
    EXPECT_TRUE(sim().node(i).fake.seen.whole_blocks.empty());
    EXPECT_TRUE(sim().node(i).fake.seen.filter_loads.empty());
    if (coinbases.empty()) continue;
    ++asked;
    EXPECT_EQ(coinbases.begin()->first, 31) << "never deeper than ten";
  }
  EXPECT_EQ(asked, 2U);
}

TEST_F(Fees, OnAQuietChainThereIsNoEstimate) {
  add_node(story());
  const auto known = ask();
  EXPECT_EQ(known.floor, 1'000);
  EXPECT_FALSE(known.estimate.has_value());
  EXPECT_LT(sim().elapsed(), seconds(3));
}

TEST_F(Fees, ALiarAmongTwoOnlyTakesTheEstimateAway) {
  add_node(story()).fake.add_fault(earns(40 * chain::kCoin));
  add_node(story()).fake.add_fault(earns(4'000'000));
  const auto known = ask();
  EXPECT_FALSE(known.estimate.has_value());
}

TEST_F(Fees, HostileFloorsAreDropped) {
  for (const std::int64_t floor : {std::int64_t{-5}, std::int64_t{9'170'997}, std::int64_t{1'000}}) {
    add_node(story()).fake.fee_filter = floor;
  }
  const auto known = ask();
  EXPECT_EQ(known.floor, 1'000);
  EXPECT_EQ(known.peers_heard, 1U);
}

TEST_F(Fees, SilentPeersEndItInTime) {
  add_node(story()).fake.add_fault(faults::withhold<p2p::BlockTxn>());
  const auto known = ask();
  EXPECT_FALSE(known.estimate.has_value());
  EXPECT_LT(sim().elapsed(), seconds(12));
}

TEST_F(Fees, WrongAnswersCountNothingAndWhoGoesOnWithThemIsLeft) {
  const auto many = [](const p2p::BlockTxn& m) { return Messages(20, p2p::Message(m)); };
  add_node(story()).fake.add_fault(faults::append<p2p::BlockTxn>(many));
  const auto known = ask();
  EXPECT_FALSE(known.estimate.has_value());
  EXPECT_TRUE(dropped(Reason::Flooding));
}

TEST_F(Fees, BesideASyncTheyAreAskedToo) {
  auto& node = add_node(story());
  node.fake.add_fault(earns(4'000'000));
  sim().options.errands.fees = true;
  sync();
  const auto all = events<sync::FeesKnown>();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().estimate, 4'000);
  EXPECT_EQ(all.front().blocks_by_two, 0U);
  EXPECT_EQ(difference(), "");
}

}  // namespace
}  // namespace spv::test
