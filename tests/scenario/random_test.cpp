// Random chains, wallets, reorganisations, restarts and faults: the wallet ends as the chain says, for every seed.
// 500 seeds in every run, 10,000 with SPV_LONG_TESTS=1, or as many as SPV_SIM_SEEDS says; a failure names its seed.
#include <cstdlib>
#include <functional>

#include "tests/scenario/random_life.h"
#include "tests/scenario/sync_scenario.h"
#include "tests/support/long_tests.h"

namespace spv::test {
namespace {

/// The network falls into two halves, each with a chain of its own, and heals some time later: the heavier one counts.
std::string run_partition(std::uint64_t seed) {
  util::Rng rng(seed);
  SimulationOptions options{.seed = seed, .gap_limit = 2 + static_cast<std::uint32_t>(rng.below(2))};
  options.spacing = milliseconds(1 + static_cast<std::int64_t>(rng.below(20)));
  options.follow = true;
  Simulation sim(options);
  RandomLife life(sim.config(), rng);
  ChainBuilder base;
  life.grow(base, 10 + static_cast<int>(rng.below(30)));
  std::array<ChainBuilder, 2> halves{base, ChainBuilder(base).salt(rng.next())};
  const std::size_t nodes = 2 + rng.below(7);
  for (std::size_t i = 0; i < nodes; ++i) sim.add_node(base);
  // Before the client comes, or while it follows.
  if (rng.below(2) == 0 && !sim.run_until_finished()) return "does not end";
  for (auto& half : halves) life.grow(half, 1 + static_cast<int>(rng.below(12)));
  for (std::size_t i = 0; i < nodes; ++i) sim.set_chain(i, halves.at(i % 2));
  if (!sim.run_until_finished()) return "does not end";
  sim.run_for(seconds(static_cast<std::int64_t>(rng.below(60))));
  if (halves[0].height() == halves[1].height()) life.grow(halves[0], 1);
  const auto& heavier = halves[0].height() > halves[1].height() ? halves[0] : halves[1];
  for (std::size_t i = 0; i < nodes; ++i) sim.set_chain(i, heavier);
  sim.run_for(seconds(60));
  const auto live = compare_with_chain(sim.wallet(), sim.committed(), heavier);
  const auto committed = sim.committed_wallet();
  return live + compare_with_chain(committed, sim.committed(), heavier);
}

void for_seeds(std::uint64_t usual, const std::function<std::string(std::uint64_t)>& run_one) {
  const char* wanted = std::getenv("SPV_SIM_SEEDS");
  const std::uint64_t seeds = wanted == nullptr ? repeats(usual, 10'000) : std::strtoull(wanted, nullptr, 10);
  const char* first = std::getenv("SPV_SIM_FIRST_SEED");
  const std::uint64_t start = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  testing::Test::RecordProperty("seeds", static_cast<int>(seeds));
  for (std::uint64_t seed = start; seed < start + seeds; ++seed) {
    ASSERT_EQ(run_one(seed), "") << "seed " << seed << ": SPV_SIM_FIRST_SEED=" << seed << " SPV_SIM_SEEDS=1 repeats it";
  }
}

TEST(RandomScenario, TheWalletEndsAsTheChainSays) {
  for_seeds(500, [](std::uint64_t seed) { return run_random({.seed = seed}).difference; });
}

TEST(RandomScenario, TheWalletEndsAsTheChainSaysWhereOneFilterCannotHoldIt) {
  for_seeds(500, [](std::uint64_t seed) { return run_random({.seed = seed, .slices = true}).difference; });
}

TEST(RandomScenario, TheWalletEndsAsTheChainSaysByCompactFilters) {
  for_seeds(500, [](std::uint64_t seed) {
    return run_random({.seed = seed, .source = sync::SourceMode::Compact}).difference;
  });
}

TEST(RandomScenario, TheWalletEndsAsTheChainSaysWhereCompactFiltersLie) {
  for_seeds(500, [](std::uint64_t seed) { return run_random({.seed = seed, .filter_faults = true}).difference; });
}

TEST(RandomScenario, E10_APartitionThatHealsEndsAsTheHeavierHalfSays) { for_seeds(200, run_partition); }

}  // namespace
}  // namespace spv::test
