// "Every payment that the limit reaches is found, whatever the order in which the addresses were used, an earlier block
// included". The look-ahead is ten gap limits, so small limits make it run out.
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class GapLimit : public SyncScenario {
 protected:
  GapLimit() { options.gap_limit = 2; }  // 20 scripts are watched at first
};

TEST_F(GapLimit, ASequenceOfUsesIsFollowedBeyondTheLookAhead) {
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 60; ++i) chain.pays(receive(i), 1);
  add_node(chain.blocks(5));
  sync();
  EXPECT_EQ(balance().total(), 60);
  EXPECT_EQ(difference(), "");
  EXPECT_GT(sim().counters().rescans, 0U);
}

TEST_F(GapLimit, UsesFarAheadInOneBlockAreFound) {
  TxBuilder many(7);
  for (std::uint32_t i = 1; i <= 50; ++i) many.pays(receive(i), 1);
  add_node(ChainBuilder().blocks(10).block({many.build()}).blocks(10));
  sync();
  EXPECT_EQ(balance().total(), 50);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, SeparateTransactionsOfOneBlockInDescendingOrderAreFound) {
  std::vector<chain::Transaction> txs;
  for (std::uint32_t i = 70; i-- > 0;) txs.push_back(TxBuilder(i).pays(receive(i), 1).build());
  add_node(ChainBuilder().blocks(3).block(std::move(txs)).blocks(3));
  sync();
  EXPECT_EQ(balance().total(), 70);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, DescendingUseFromBlockToBlockIsFound) {
  ChainBuilder chain;
  for (std::uint32_t i = 60; i-- > 0;) chain.pays(receive(i), 1);
  add_node(chain.blocks(3));
  sync();
  EXPECT_EQ(balance().total(), 60);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, AnEarlierBlockIsFoundAfterALaterOneWidenedTheWindow) {
  const auto early = TxBuilder(1).pays(receive(21), 100).build();
  const auto spend = TxBuilder(2).spends(early).pays(stranger(), 40).pays(change(0), 50).build();
  add_node(ChainBuilder().blocks(5).block({early}).blocks(5).block({spend}).blocks(5).pays(receive(19), 7).blocks(5));
  sync();
  EXPECT_EQ(balance().total(), 57);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, ACoinOfTheWiderWindowSpentWithoutChangeIsFound) {
  const auto early = TxBuilder(1).pays(receive(21), 100).build();
  const auto spend = TxBuilder(2).spends(early).pays(stranger(), 90).build();
  add_node(ChainBuilder().block({early}).blocks(150).pays(receive(19), 7).blocks(5).block({spend}).blocks(5));
  sync();
  EXPECT_EQ(balance().total(), 7);
  EXPECT_EQ(sim().wallet().history().size(), 3U);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, BothChainsAtOnceAreFollowed) {
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 12; ++i) {
    chain.block({TxBuilder(i).pays(receive(55 - 5 * i), 1).build(), TxBuilder(90 + i).pays(change(5 * i), 1).build()});
  }
  add_node(chain.blocks(3));
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, ABackfillGoesOnAfterARestart) {
  options.spacing = milliseconds(20);
  ChainBuilder chain;
  chain.pays(receive(21), 100).blocks(200).pays(receive(19), 7).blocks(20);
  add_node(chain);
  for (int stops = 0; stops < 60 && sim().run_until_commits(1); ++stops) restart();
  sync();
  EXPECT_EQ(balance().total(), 107);
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, AnUnconfirmedPaymentFarAheadWidensTheWindowToo) {
  options.mempool_wait = seconds(10);
  auto& node = add_node(ChainBuilder().blocks(5).pays(receive(21), 100).blocks(5));
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(19), 7).build());
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 100, .unconfirmed = 7, .immature = 0}));
  EXPECT_EQ(difference(), "");
}

TEST_F(GapLimit, AnyOrderOfUseGivesTheSameWallet) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    util::Rng rng(seed);
    Simulation sim({.seed = seed, .gap_limit = 2});
    std::vector<std::pair<std::size_t, std::uint32_t>> uses;
    for (std::size_t chain = 0; chain < 2; ++chain) {
      std::uint32_t index = 0;
      for (int i = 0; i < 25; ++i) uses.emplace_back(chain, index += static_cast<std::uint32_t>(rng.below(3)));
    }
    for (std::size_t i = uses.size(); i > 1; --i) std::swap(uses[i - 1], uses[rng.below(i)]);
    ChainBuilder chain;
    chain::Amount total = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const auto script = sim.config().key_chains[uses[i].first].descriptor.script_at(uses[i].second).value();
      chain.pays(script, static_cast<chain::Amount>(i) + 1);
      total += static_cast<chain::Amount>(i) + 1;
    }
    sim.add_node(chain.blocks(2));
    ASSERT_TRUE(sim.run_until_finished()) << "seed " << seed;
    EXPECT_EQ(compare_with_chain(sim.wallet(), sim.committed(), chain), "") << "seed " << seed;
    EXPECT_EQ(sim.wallet().balance().confirmed, total) << "seed " << seed;
  }
}

}  // namespace
}  // namespace spv::test
