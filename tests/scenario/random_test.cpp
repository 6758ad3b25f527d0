// Random chains, wallets, reorganisations, restarts and faults: the wallet ends as the chain says, for every seed.
// 500 seeds in every run, 10,000 with SPV_LONG_TESTS=1, or as many as SPV_SIM_SEEDS says; a failure names its seed.
#include <cstdlib>

#include "tests/scenario/sync_scenario.h"
#include "tests/support/long_tests.h"

namespace spv::test {
namespace {

// Grows chains in which the wallet is paid and spends at random.
class RandomLife {
 public:
  RandomLife(const wallet::WalletConfig& config, util::Rng& rng) : config_(config), rng_(rng) {}

  void grow(ChainBuilder& chain, int blocks) {
    for (int i = 0; i < blocks; ++i) {
      std::vector<chain::Transaction> txs;
      while (rng_.below(3) == 0) txs.push_back(next_transaction());
      chain.block(std::move(txs));
    }
  }

 private:
  chain::Transaction next_transaction() {
    TxBuilder tx(rng_.next());
    if (!coins_.empty() && rng_.below(2) == 0) {
      const auto at = static_cast<std::ptrdiff_t>(rng_.below(coins_.size()));
      tx.spends(coins_[static_cast<std::size_t>(at)]);
      // Some coins are spent twice, on different branches or (where no node would take it) in one chain.
      coins_.erase(coins_.begin() + at);
    }
    tx.pays(p2wpkh(rng_.bytes(20)), 1);
    if (rng_.below(3) != 0) tx.pays(next_script(), 1 + static_cast<chain::Amount>(rng_.below(1'000)));
    auto built = tx.build();
    if (built.outputs.size() > 1) coins_.push_back(outpoint(built, 1));
    return built;
  }

  util::Bytes next_script() {
    const std::size_t chain = rng_.below(2);
    const auto ahead = static_cast<std::uint32_t>(rng_.below(2 * std::uint64_t{config_.gap_limit}));
    const std::uint32_t index = std::min(used_[chain] + ahead, 300U);
    used_[chain] = std::max(used_[chain], index > 3 ? index - 3 : 0);
    return config_.key_chains[chain].descriptor.script_at(index).value();
  }

  const wallet::WalletConfig& config_;
  util::Rng& rng_;
  std::vector<chain::OutPoint> coins_;
  std::array<std::uint32_t, 2> used_{};
};

void disturb(Simulation& sim, util::Rng& rng, RandomLife& life) {
  const std::size_t honest = 0;
  const auto delay = milliseconds(200 + static_cast<std::int64_t>(rng.below(6'000)));
  switch (rng.below(5)) {
    case 0:
      sim.after(delay, [&sim] { sim.cut(honest); });
      break;
    case 1:
      sim.after(delay, [&sim, &rng, &life] {
        auto longer = sim.node(honest).fake.chain();
        life.grow(longer, 1 + static_cast<int>(rng.below(5)));
        for (std::size_t i = 0; i < sim.nodes(); ++i) sim.set_chain(i, longer);
      });
      break;
    case 2:
      sim.after(delay, [&sim, &rng, &life] {
        const auto& old = sim.node(honest).fake.chain();
        const auto depth = static_cast<chain::Height>(rng.below(static_cast<std::uint64_t>(old.height())));
        auto fork = old.at_height(old.height() - depth).salt(rng.next());
        life.grow(fork, depth + 1 + static_cast<int>(rng.below(5)));
        for (std::size_t i = 0; i < sim.nodes(); ++i) sim.set_chain(i, fork);
      });
      break;
    case 3:
      sim.after(delay, [&sim, &rng] { sim.cut(rng.below(sim.nodes())); });
      break;
    default:
      break;
  }
}

Tamper random_fault(util::Rng& rng) {
  switch (rng.below(8)) {
    case 0:
      return faults::stall_after(static_cast<int>(rng.below(60)));
    case 1:
      return faults::drop_nth_tx(static_cast<int>(rng.below(5)));
    case 2:
      return faults::forged_proof();
    case 3:
      return faults::wrong_header();
    case 4:
      return faults::hang_up_at(static_cast<int>(rng.below(60)));
    case 5:
      return faults::no_pong();
    case 6:
      return faults::transactions_first();
    default:
      return faults::repeat();
  }
}

/// `slices`: more is watched than one filter may hold.
std::string run(std::uint64_t seed, bool slices) {
  util::Rng rng(seed);
  SimulationOptions options{.seed = seed, .gap_limit = 2 + static_cast<std::uint32_t>(rng.below(2))};
  options.spacing = milliseconds(1 + static_cast<std::int64_t>(rng.below(20)));
  options.fp_rate = rng.below(2) == 0 ? 0.0001 : 0.01;
  if (rng.below(4) == 0) options.mempool_wait = seconds(3);
  // Filtered, whole, or both in turn.
  options.source.mode =
      std::array{sync::SourceMode::Filter, sync::SourceMode::Blocks, sync::SourceMode::Auto}[seed % 3];
  options.source.max_download = 1'000'000'000;
  if (slices) {
    options.source = {.mode = sync::SourceMode::Filter, .most_elements = 8 + rng.below(30)};
    options.cross_check =
        std::array{sync::CrossCheckMode::Off, sync::CrossCheckMode::Sample, sync::CrossCheckMode::Full}[rng.below(3)];
  }
  Simulation sim(options);
  RandomLife life(sim.config(), rng);
  ChainBuilder chain;
  life.grow(chain, 20 + static_cast<int>(rng.below(80)));
  sim.add_node(chain);
  const std::uint64_t others = rng.below(3) == 0 ? 7 : 1;
  for (std::uint64_t i = 0; i < others; ++i) {
    auto& other = sim.add_node(chain);
    if (rng.below(3) != 0) other.fake.add_fault(random_fault(rng));
  }
  for (int round = 0; round < 3; ++round) {
    disturb(sim, rng, life);
    if (rng.below(2) == 0) {
      sim.run_until_commits(1 + rng.below(4));
      sim.stop();
    }
    // Where the seed's faults end a sync with a failure, the next one goes on.
    if (!sim.run_until_finished()) return "does not end";
  }
  sim.run_for(seconds(20));
  sim.node(0).fake.clear_faults();
  if (!sim.run_until_finished()) return "does not end";
  if (sim.finished()->failure) return sim.finished()->failure->message;
  const auto live = compare_with_chain(sim.wallet(), sim.committed(), sim.node(0).fake.chain());
  const auto committed = sim.committed_wallet();
  return live + compare_with_chain(committed, sim.committed(), sim.node(0).fake.chain());
}

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
  for_seeds(500, [](std::uint64_t seed) { return run(seed, false); });
}

TEST(RandomScenario, TheWalletEndsAsTheChainSaysWhereOneFilterCannotHoldIt) {
  for_seeds(500, [](std::uint64_t seed) { return run(seed, true); });
}

TEST(RandomScenario, E10_APartitionThatHealsEndsAsTheHeavierHalfSays) { for_seeds(200, run_partition); }

}  // namespace
}  // namespace spv::test
