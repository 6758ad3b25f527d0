// Stopping, starting again, and what happened to the chain meanwhile or while we watched.
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class ReorganisationDepth : public SyncScenario, public testing::WithParamInterface<int> {};

TEST_F(SyncScenario, ASecondSyncAsksForNothingAgain) {
  auto& node = add_node(ChainBuilder().blocks(30).pays(receive(0), 5'000).blocks(30));
  sync();
  restart();
  sync();
  EXPECT_TRUE(each_asked(node.fake, 1, 61));
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, P2_TheSameElementsGiveTheSameFilterInEveryRun) {
  auto& node = add_node(ChainBuilder().blocks(30));
  for (int i = 0; i < 3; ++i) {
    sync();
    restart();
    sim().mine(0);
  }
  ASSERT_EQ(node.fake.seen.filter_loads.size(), 3U);
  EXPECT_EQ(node.fake.seen.filter_loads[0], node.fake.seen.filter_loads[1]);
  EXPECT_EQ(node.fake.seen.filter_loads[0], node.fake.seen.filter_loads[2]);
}

TEST_F(SyncScenario, NewBlocksAreScannedByTheNextSync) {
  const auto paid = TxBuilder(1).pays(receive(0), 5'000).build();
  auto& node = add_node(ChainBuilder().blocks(30).block({paid}).blocks(5));
  sync();
  restart();
  const auto spent = TxBuilder(2).spends(paid).pays(stranger(), 4'000).build();
  sim().set_chain(0, ChainBuilder(node.fake.chain()).blocks(200).block({spent}).pays(receive(1), 70));
  sync();
  EXPECT_EQ(balance().total(), 70);
  EXPECT_TRUE(each_asked(node.fake, 1, node.fake.chain().height()));
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, APaymentBelowTheBirthdayIsFoundIfAReorganisationBroughtIt) {
  for (const bool away : {false, true}) {
    SCOPED_TRACE(away);
    SimulationOptions setup;
    setup.birthday = 11;
    setup.follow = !away;
    Simulation sim(setup);
    const auto chain = ChainBuilder().blocks(10);
    sim.add_node(chain);
    ASSERT_TRUE(sim.run_until_finished());
    if (away) sim.stop();
    sim.set_chain(0, chain.at_height(7).pays(receive(0), 5'000).blocks(6));
    if (away) {
      ASSERT_TRUE(sim.run_until_finished());
    } else {
      sim.run_for(seconds(20));
    }
    EXPECT_EQ(sim.wallet().balance().confirmed, 5'000);
  }
}

TEST_F(SyncScenario, ARestartAtAnyCommitLosesAndRepeatsNothingThatCounts) {
  options.spacing = milliseconds(30);  // slow links: a scan has many commits
  ChainBuilder chain;
  std::vector<chain::Transaction> coins;
  for (std::uint32_t i = 0; i < 12; ++i) {
    coins.push_back(TxBuilder(100 + i).pays(receive(i), 1'000 + i).build());
    chain.blocks(20).block({coins.back()});
    if (i % 3 == 2) chain.block({TxBuilder(200 + i).spends(coins[i - 1]).pays(stranger(), 900).build()});
  }
  add_node(chain);
  for (std::size_t stops = 0; !sim().finished() || sim().running(); ++stops) {
    ASSERT_LT(stops, 100U);
    if (!sim().run_until_commits(2)) break;
    const auto committed = sim().committed().scan.scanned_to.height;
    restart();
    EXPECT_EQ(sim().wallet().scan().scanned_to.height, committed);
  }
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, ABlockThatComesDuringTheScanIsScannedToo) {
  options.spacing = milliseconds(2);
  auto& node = add_node(ChainBuilder().blocks(5'000));
  sim().after(seconds(2), [&] { sim().mine(0, {TxBuilder(1).pays(receive(0), 77).build()}); });
  sync();
  EXPECT_EQ(node.fake.chain().height(), 5'001);
  EXPECT_EQ(balance().total(), 77);
  EXPECT_EQ(difference(), "");
}

TEST_P(ReorganisationDepth, IsFollowedWhileConnected) {
  options.follow = true;
  const int depth = GetParam();
  const auto kept = TxBuilder(1).pays(receive(0), 1'000).build();
  const auto lost = TxBuilder(2).pays(receive(1), 200).build();
  const auto base = ChainBuilder().blocks(150).block({kept}).blocks(2);
  add_node(ChainBuilder(base).block({lost}).blocks(depth - 1));
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 1'200, .unconfirmed = 0, .immature = 0}));
  sim().set_chain(0, ChainBuilder(base).salt(5).blocks(depth).pays(receive(2), 30).blocks(1));
  sim().run_for(seconds(60));
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 1'030, .unconfirmed = 200, .immature = 0}));
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(sim().reorganisations(), 1U);
  ASSERT_EQ(events<sync::ChainReorganised>().size(), 1U);
  EXPECT_EQ(events<sync::ChainReorganised>()[0].fork_height, 153);
}

TEST_P(ReorganisationDepth, IsFoundAfterBeingAway) {
  const int depth = GetParam();
  const auto lost = TxBuilder(2).pays(receive(1), 200).build();
  const auto base = ChainBuilder().blocks(150).pays(receive(0), 1'000).blocks(2);
  add_node(ChainBuilder(base).block({lost}).blocks(depth - 1));
  sync();
  restart();
  sim().set_chain(0, ChainBuilder(base).salt(5).blocks(depth).pays(receive(2), 30).blocks(1));
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 1'030, .unconfirmed = 200, .immature = 0}));
  EXPECT_EQ(difference(), "");
}

TEST_P(ReorganisationDepth, IsFoundAfterTheHeadersWereLostToo) {
  const int depth = GetParam();
  const auto base = ChainBuilder().blocks(150).pays(receive(0), 1'000).blocks(2);
  add_node(ChainBuilder(base).pays(receive(1), 200).blocks(depth - 1));
  sync();
  restart();
  sim().forget_headers();
  sim().set_chain(0, ChainBuilder(base).salt(5).blocks(depth).pays(receive(2), 30).blocks(1));
  sync();
  EXPECT_EQ(balance().confirmed, 1'030);
  EXPECT_EQ(difference(), "");
}

INSTANTIATE_TEST_SUITE_P(Depths, ReorganisationDepth, testing::Values(1, 6, 100, 1'200));

TEST_F(SyncScenario, AReorganisationBelowEveryAnchorStartsAtTheBirthday) {
  options.birthday = 10;
  const auto base = ChainBuilder().blocks(4);
  add_node(ChainBuilder(base).blocks(40).pays(receive(0), 5).blocks(20));
  sync();
  restart();
  sim().set_chain(0, ChainBuilder(base).salt(9).blocks(30).pays(receive(0), 6).blocks(50));
  sync();
  EXPECT_EQ(balance().confirmed, 6);
  EXPECT_EQ(difference(), "");
}

// Long ways, so that the news of the reorganisation meets requests for blocks of the old branch under way.
TEST_F(SyncScenario, AReorganisationAtAnyMomentOfTheScanIsFollowed) {
  const auto base = ChainBuilder().pays(receive(0), 1).blocks(60);
  const auto before = ChainBuilder(base).pays(receive(1), 20).blocks(60);
  const auto after = ChainBuilder(base).salt(3).blocks(20).pays(receive(2), 300).blocks(60);
  std::uint64_t seen = 0;
  for (const bool forgets : {false, true}) {
    for (int moment = 0; moment < 30; ++moment) {
      Simulation sim({.seed = 5, .gap_limit = 2, .min_latency = milliseconds(300), .max_latency = milliseconds(400)});
      sim.options.spacing = milliseconds(10);
      auto& node = sim.add_node(before);
      node.fake.forgets_stale_blocks = forgets;
      sim.after(milliseconds(100 * moment), [&] { sim.set_chain(0, after); });
      ASSERT_TRUE(sim.run_until_finished());
      seen += sim.reorganisations();
      sim.run_for(seconds(10));  // it may come when all is done
      sim.stop();
      ASSERT_TRUE(sim.run_until_finished());
      EXPECT_EQ(compare_with_chain(sim.wallet(), sim.committed(), after), "") << moment << " " << forgets;
      EXPECT_EQ(sim.wallet().balance().confirmed, 301);
    }
  }
  EXPECT_GT(seen, 5U);
}

TEST_F(SyncScenario, ADoubleSpendOnTheNewBranchMakesTheOldSpendConflicted) {
  options.follow = true;
  const auto coin = TxBuilder(1).pays(receive(0), 1'000).build();
  const auto spend = TxBuilder(2).spends(coin).pays(stranger(), 100).pays(change(0), 850).build();
  const auto rival = TxBuilder(3).spends(coin).pays(stranger(), 990).build();
  const auto base = ChainBuilder().block({coin}).blocks(5);
  add_node(ChainBuilder(base).block({spend}).blocks(2));
  sync();
  EXPECT_EQ(balance().total(), 850);
  sim().set_chain(0, ChainBuilder(base).salt(4).block({rival}).blocks(6));
  sim().run_for(seconds(30));
  EXPECT_EQ(balance().total(), 0);
  EXPECT_EQ(status(spend), wallet::TxStatus::Conflicted);
  ASSERT_EQ(events<sync::TransactionConflicted>().size(), 1U);
  EXPECT_EQ(events<sync::TransactionConflicted>()[0].txid, spend.txid());
  EXPECT_EQ(events<sync::TransactionConflicted>()[0].replaced_by, rival.txid());
}

// A block that widened the window has confirmed its payments without counting as scanned; while we are away another
// block takes its place.
TEST_F(SyncScenario, ABlockOwedASecondLookThatLeavesTheChainConfirmsNothing) {
  options.gap_limit = 2;
  options.spacing = milliseconds(20);
  const auto base = ChainBuilder().blocks(120);
  const auto far = TxBuilder(1).pays(receive(19), 500).build();
  add_node(ChainBuilder(base).block({far}).blocks(3));
  ASSERT_FALSE(sim().run_until_commits(1'000, seconds(0)));
  while (sim().counters().rescans == 0 && !sim().finished()) sim().run_for(milliseconds(100));
  while (!sim().committed().scan.backfill && !sim().finished()) sim().run_for(milliseconds(100));
  ASSERT_TRUE(sim().committed().scan.backfill.has_value());
  ASSERT_FALSE(sim().committed().transactions.empty());
  restart();
  sim().set_chain(0, ChainBuilder(base).salt(8).blocks(30));
  sync();
  EXPECT_EQ(balance().confirmed, 0);
  EXPECT_EQ(difference(), "");
}

}  // namespace
}  // namespace spv::test
