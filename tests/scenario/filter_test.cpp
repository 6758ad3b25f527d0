// UPDATE_ALL lets a filter run away: each false positive inserts an outpoint, which makes more of them.
#include <algorithm>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

// Blocks full of strangers who pay each other: what a saturated filter matches more and more of.
ChainBuilder busy_chain(int blocks, std::uint64_t txs_in_block, const std::vector<util::Bytes>& scripts) {
  ChainBuilder chain;
  util::Rng rng(42);
  std::vector<chain::OutPoint> coins;
  std::uint64_t number = 0;
  for (int i = 0; i < blocks; ++i) {
    std::vector<chain::Transaction> txs;
    for (std::uint64_t k = 0; k < txs_in_block; ++k) {
      TxBuilder tx(++number);
      if (!coins.empty()) tx.spends(coins[rng.below(coins.size())]);
      tx.pays(p2wpkh(rng.bytes(20)), 1).pays(p2wpkh(rng.bytes(20)), 1);
      if (k == 0 && rng.below(4) == 0) tx.pays(scripts[rng.below(scripts.size())], 5);
      txs.push_back(tx.build());
      coins.push_back(outpoint(txs.back(), static_cast<std::uint32_t>(rng.below(2))));
    }
    chain.block(std::move(txs));
  }
  return chain;
}

TEST_F(SyncScenario, TheFilterIsRenewedBeforeItRunsAway) {
  options.gap_limit = 5;
  options.fp_rate = 0.005;
  std::vector<util::Bytes> scripts;
  for (std::uint32_t i = 0; i < 10; ++i) scripts.push_back(receive(i));
  auto& node = add_node(busy_chain(400, 30, scripts));
  double highest = 0;
  node.fake.add_fault([&](Reply& reply) {
    const FakePeer* peer = reply.messages.empty() ? nullptr : sim().connection(0);
    if (peer != nullptr && peer->filter()) highest = std::max(highest, peer->filter()->fp_rate());
  });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_GT(node.fake.seen.filter_loads.size(), 2U);
  EXPECT_LT(highest, 2.2 * options.fp_rate);
  EXPECT_TRUE(each_asked(node.fake, 1, 400));
  EXPECT_EQ(sim().counters().rescans, 0U);
  EXPECT_EQ(sim().engine().mirror()->filter(), *sim().connection(0)->filter());
}

// The last coins that a node serves under one filter are not in the next: what was asked for under that too early must
// be asked for again, so that is little.
TEST_F(SyncScenario, ACoinUnderTheLastFilterPutsBackLittleOfTheNext) {
  options.gap_limit = 5;
  options.min_latency = options.max_latency = milliseconds(1);  // little bridges it
  ChainBuilder chain;
  util::Rng rng(7);
  for (std::uint64_t i = 1; i <= 5'000; ++i) {
    TxBuilder tx(i);
    if (i % 10 == 0) tx.pays(receive(i / 10 % 8), 5);
    chain.block({tx.pays(p2wpkh(rng.bytes(20)), 1).build()});
  }
  auto& node = add_node(std::move(chain));
  sync();
  EXPECT_EQ(difference(), "");
  const std::size_t loads = node.fake.seen.filter_loads.size();
  EXPECT_GT(loads, 2U);
  EXPECT_LE(sim().counters().asked_again, 32 * loads);
  EXPECT_EQ(sim().counters().rescans, 0U);
}

}  // namespace
}  // namespace spv::test
