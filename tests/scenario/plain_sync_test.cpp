// Syncs in which nobody lies and nothing breaks.
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

TEST_F(SyncScenario, AnEmptyChainIsSyncedAtOnce) {
  add_node(ChainBuilder());
  sync();
  EXPECT_EQ(balance(), wallet::Balance{});
}

TEST_F(SyncScenario, PaymentsAreFoundAndEveryBlockIsAskedOnce) {
  auto& node = add_node(ChainBuilder().blocks(10).pays(receive(0), 5'000).blocks(3).pays(change(3), 700).blocks(600));
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 5'700, .unconfirmed = 0, .immature = 0}));
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(each_asked(node.fake, 1, 615));
  EXPECT_EQ(sim().counters().rescans, 0U);
  EXPECT_EQ(sim().counters().merkleblocks, 615U);
  EXPECT_EQ(sim().counters().relevant, 2U);
  EXPECT_EQ(node.fake.seen.filter_loads.size(), 1U);
}

TEST_F(SyncScenario, SpendsWithAndWithoutChangeAreFound) {
  const auto first = TxBuilder(1).pays(receive(0), 10'000).build();
  const auto second = TxBuilder(2).pays(receive(1), 20'000).build();
  const auto with_change = TxBuilder(3).spends(first).pays(stranger(), 4'000).pays(change(0), 5'000).build();
  // A native segwit spend shows nothing of ours but the outpoint.
  const auto without = TxBuilder(4).spends(second).witness(util::Bytes(64, 1)).pays(stranger(), 19'000).build();
  add_node(ChainBuilder().block({first, second}).blocks(5).block({with_change}).blocks(150).block({without}).blocks(2));
  sync();
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, AChainOfSpendsInOneBlockIsFound) {
  const auto a = TxBuilder(1).pays(receive(0), 10'000).build();
  const auto b = TxBuilder(2).spends(a).pays(change(0), 9'000).build();
  const auto c = TxBuilder(3).spends(b).pays(receive(5), 8'000).build();
  const auto d = TxBuilder(4).spends(c).pays(stranger(), 7'000).build();
  add_node(ChainBuilder().blocks(3).block({a, b, c, d}).blocks(3));
  sync();
  EXPECT_EQ(balance().total(), 0);
  EXPECT_EQ(sim().wallet().history().size(), 4U);
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, ACoinbaseIsImmatureForAHundredBlocks) {
  add_node(ChainBuilder().coinbase_script(receive(0)).block().coinbase_script(op_true()).blocks(50));
  sync();
  EXPECT_EQ(balance().confirmed, 0);
  EXPECT_EQ(balance().immature, 50 * chain::kCoin);
  sim().set_chain(0, ChainBuilder(sim().node(0).fake.chain()).blocks(50));
  sync();
  EXPECT_EQ(balance().confirmed, 50 * chain::kCoin);
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, ALongChainIsAskedForInBatchesWithoutRepeats) {
  auto& node = add_node(ChainBuilder().blocks(4'500).pays(receive(7), 1).blocks(10));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(each_asked(node.fake, 1, 4'511));
  EXPECT_EQ(sim().engine().headers_added(), 4'511U);
}

TEST_F(SyncScenario, BlocksAreScannedWhileLaterHeadersStillCome) {
  const auto& node = add_node(ChainBuilder().blocks(6'500));
  const auto asked = [&] {
    const Seen& seen = node.fake.seen;
    return seen.filtered_blocks.size() + seen.whole_blocks.size() + seen.filters.size();
  };
  for (int i = 0; i < 1'000 && asked() == 0; ++i) sim().run_for(milliseconds(1));
  EXPECT_GT(asked(), 0U);
  EXPECT_LT(sim().headers().height(), 6'500);
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncScenario, TheScanStartsAtTheBirthday) {
  options.birthday = 20;
  auto& node = add_node(ChainBuilder().blocks(10).pays(receive(0), 1).blocks(20).pays(receive(1), 2).blocks(5));
  sync();
  EXPECT_TRUE(each_asked(node.fake, 0, 19, 0));
  EXPECT_TRUE(each_asked(node.fake, 20, 37));
  EXPECT_EQ(sim().counters().scanned_from, 20);
  EXPECT_EQ(balance().total(), 2);
}

TEST_F(SyncScenario, ABirthdayAboveTheTipIsSyncedAtOnce) {
  options.birthday = 100;
  auto& node = add_node(ChainBuilder().blocks(50));
  sync();
  EXPECT_TRUE(each_asked(node.fake, 0, 49, 0));
  EXPECT_LE(node.fake.seen.filtered_blocks_asked(), 1) << "the tip at most";
  sim().set_chain(0, ChainBuilder(node.fake.chain()).blocks(60).pays(receive(0), 9));
  sync();
  EXPECT_EQ(balance().total(), 9);
}

TEST_F(SyncScenario, TheSameSeedGivesTheSameTrace) {
  const auto run = [](std::uint64_t seed) {
    Simulation sim({.seed = seed, .gap_limit = 5});
    const auto script = sim.config().key_chains[0].descriptor.script_at(0).value();
    sim.add_node(ChainBuilder().blocks(30).pays(script, 5).blocks(30));
    sim.add_node(ChainBuilder().blocks(40));
    EXPECT_TRUE(sim.run_until_finished());
    return sim.trace();
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST_F(SyncScenario, TheMirrorEqualsThePeersFilter) {
  options.fp_rate = 0.01;  // so that strangers match too
  ChainBuilder chain;
  for (std::uint64_t i = 0; i < 200; ++i) {
    util::Rng rng(i);
    std::vector<chain::Transaction> txs;
    for (std::uint64_t k = 0; k < 5; ++k) {
      txs.push_back(TxBuilder(i * 10 + k).pays(p2wpkh(rng.bytes(20)), 1).pays(p2wpkh(rng.bytes(20)), 1).build());
    }
    chain.block(std::move(txs));
  }
  add_node(chain.pays(receive(0), 1));
  sync();
  ASSERT_NE(sim().engine().mirror(), nullptr);
  EXPECT_EQ(sim().engine().mirror()->filter(), *sim().connection(0)->filter());
  EXPECT_GT(sim().counters().false_positives, 0U);
}

}  // namespace
}  // namespace spv::test
