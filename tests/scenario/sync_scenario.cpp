#include "tests/scenario/sync_scenario.h"

#include <algorithm>

namespace spv::test {

Simulation& SyncScenario::sim() {
  if (!sim_) sim_ = std::make_unique<Simulation>(options);
  return *sim_;
}

void SyncScenario::start_anew(std::uint64_t seed) {
  sim_.reset();
  options.seed = seed;
}

util::Bytes SyncScenario::receive(std::uint32_t index) {
  return sim().config().key_chains[0].descriptor.script_at(index).value();
}

util::Bytes SyncScenario::change(std::uint32_t index) {
  return sim().config().key_chains[1].descriptor.script_at(index).value();
}

util::Bytes SyncScenario::stranger() { return p2wpkh(util::Bytes(20, 0xEE)); }

void SyncScenario::sync() {
  ASSERT_TRUE(sim().run_until_finished());
  const auto& failure = sim().finished()->failure;
  ASSERT_FALSE(failure.has_value()) << failure->message;
}

void SyncScenario::sync_fails(sync::Failure::Code code) {
  ASSERT_TRUE(sim().run_until_finished());
  ASSERT_TRUE(sim().finished()->failure.has_value());
  EXPECT_EQ(sim().finished()->failure->code, code) << sim().finished()->failure->message;
}

std::string SyncScenario::difference(const ChainBuilder& chain) {
  const auto live = compare_with_chain(sim().wallet(), sim().committed(), chain);
  if (!live.empty()) return "live: " + live;
  const auto committed = sim().committed_wallet();
  const auto stored = compare_with_chain(committed, sim().committed(), chain);
  if (!stored.empty()) return "committed: " + stored;
  return committed.balance() == sim().wallet().balance() ? "" : "the committed balance is another";
}

bool SyncScenario::dropped(Reason reason) {
  const auto& reasons = sim().disconnects();
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

std::optional<wallet::TxStatus> SyncScenario::status(const chain::Transaction& tx) {
  const auto entry = sim().wallet().entry(tx.txid());
  if (!entry) return std::nullopt;
  return entry->status;
}

testing::AssertionResult each_asked(const FakeNode& node, chain::Height first, chain::Height last, int times) {
  for (chain::Height height = first; height <= last; ++height) {
    int asked = 0;
    // By compact filters a block is asked for whole where its filter matches.
    const bool by_filters = !node.seen.filters.empty();
    const auto& whole = by_filters ? node.seen.filters : node.seen.whole_blocks;
    for (const auto* blocks : {&node.seen.filtered_blocks, &whole}) {
      const auto found = blocks->find(height);
      asked += found == blocks->end() ? 0 : found->second;
    }
    if (asked != times) return testing::AssertionFailure() << "block " << height << " was asked for " << asked << "x";
  }
  return testing::AssertionSuccess();
}

}  // namespace spv::test
