#include "tests/scenario/random_life.h"

#include <algorithm>

#include "tests/support/faults.h"
#include "tests/support/filter_faults.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/wallet_oracle.h"

namespace spv::test {

void RandomLife::grow(ChainBuilder& chain, int blocks) {
  for (int i = 0; i < blocks; ++i) {
    std::vector<chain::Transaction> txs;
    while (rng_.below(3) == 0) txs.push_back(next_transaction());
    chain.block(std::move(txs));
  }
}

chain::Transaction RandomLife::next_transaction() {
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

util::Bytes RandomLife::next_script() {
  const std::size_t chain = rng_.below(2);
  const auto ahead = static_cast<std::uint32_t>(rng_.below(2 * std::uint64_t{config_.gap_limit}));
  const std::uint32_t index = std::min(used_[chain] + ahead, 300U);
  used_[chain] = std::max(used_[chain], index > 3 ? index - 3 : 0);
  return config_.key_chains[chain].descriptor.script_at(index).value();
}

namespace {

void disturb(Simulation& sim, util::Rng& rng, RandomLife& life, bool valid_spends) {
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
      sim.after(delay, [&sim, &rng, &life, valid_spends] {
        if (valid_spends) life.forget_coins();
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

/// A lie about compact filters, of one message or of the filters themselves.
void lie_about_filters(FakeNode& node, const wallet::WalletConfig& config, util::Rng& rng) {
  const auto at = static_cast<int>(rng.below(60));
  std::vector<util::Bytes> ours;
  for (std::uint32_t i = 0; i < 10; ++i) ours.push_back(config.key_chains[0].descriptor.script_at(i).value());
  switch (rng.below(12)) {
    case 0:
      return node.forge_filters(faults::omit_scripts(std::move(ours)));
    case 1:
      return node.forge_filters(faults::omit_scripts_from(at, std::move(ours)));
    case 2:
    case 3:  // in too few blocks for both sides to be dropped
      return node.forge_filters([at, add = faults::add_scripts({{0x51, 0x52}})](const Block& block, auto& scripts) {
        if (block.height % 5 == at % 5) add(block, scripts);
      });
    case 4:
      return node.add_fault(faults::filters_without(node, std::move(ours)));
    case 5:
      return node.add_fault(faults::altered_filters());
    case 6:
      return node.add_fault(faults::drop_nth_filter(at));
    case 7:
      return node.add_fault(faults::hang_up_at_filter(at));
    case 8:
      return node.add_fault(faults::silent_filter_headers());
    case 9:
      return node.add_fault(faults::altered_filter_hash_at(node, at));
    case 10:
      return node.add_fault(faults::repeated_filter_headers());
    default:
      return node.add_fault(faults::stall_after_filters(at));
  }
}

SimulationOptions random_options(const RandomScene& scene, util::Rng& rng) {
  SimulationOptions options{.seed = scene.seed, .gap_limit = 2 + static_cast<std::uint32_t>(rng.below(2))};
  options.group = scene.group;
  options.spacing = milliseconds(1 + static_cast<std::int64_t>(rng.below(20)));
  options.fp_rate = rng.below(2) == 0 ? 0.0001 : 0.01;
  if (rng.below(4) == 0) options.mempool_wait = seconds(3);
  // Filtered, whole, or both in turn.
  constexpr std::array kInTurn{sync::SourceMode::Filter, sync::SourceMode::Blocks, sync::SourceMode::Auto};
  options.source.mode = scene.source.value_or(kInTurn[scene.seed % kInTurn.size()]);
  options.source.max_download = 1'000'000'000;
  if (scene.filter_faults) {
    constexpr std::array kModes{sync::SourceMode::Compact, sync::SourceMode::Filter, sync::SourceMode::Auto};
    options.source.mode = kModes[scene.seed % kModes.size()];
    options.source.or_compact = true;
    options.cross_check = rng.below(2) == 0 ? sync::CrossCheckMode::Off : sync::CrossCheckMode::Full;
  }
  if (scene.slices) {
    options.source = {.mode = sync::SourceMode::Filter, .most_elements = 8 + rng.below(30)};
    options.cross_check =
        std::array{sync::CrossCheckMode::Off, sync::CrossCheckMode::Sample, sync::CrossCheckMode::Full}[rng.below(3)];
  }
  return options;
}

void add_nodes(Simulation& sim, const ChainBuilder& chain, util::Rng& rng) {
  sim.add_node(chain);
  const std::uint64_t others = rng.below(3) == 0 ? 7 : 1;
  for (std::uint64_t i = 0; i < others; ++i) {
    auto& other = sim.add_node(chain);
    if (rng.below(3) != 0) other.fake.add_fault(random_fault(rng));
  }
}

/// One honest node, and others that offer bloom filters, compact ones or both, and lie about either.
void add_liars(Simulation& sim, const ChainBuilder& chain, util::Rng& rng) {
  constexpr std::uint64_t kBoth = FakeNode::kDefaultServices | p2p::services::kCompactFilters;
  sim.add_node(chain, kBoth);
  const std::uint64_t others = 1 + rng.below(4);
  for (std::uint64_t i = 0; i < others; ++i) {
    const std::uint64_t lacking = rng.below(2) == 0 ? std::uint64_t{0} : p2p::services::kBloom;
    auto& other = sim.add_node(chain, kBoth & ~lacking);
    if (rng.below(4) != 0) lie_about_filters(other.fake, sim.config(), rng);
    if (rng.below(4) == 0) other.fake.add_fault(random_fault(rng));
  }
}

std::string live(Simulation& sim, util::Rng& rng, RandomLife& life, bool valid_spends) {
  for (int round = 0; round < 3; ++round) {
    disturb(sim, rng, life, valid_spends);
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
  const auto difference = compare_with_chain(sim.wallet(), sim.committed(), sim.node(0).fake.chain());
  const auto committed = sim.committed_wallet();
  return difference + compare_with_chain(committed, sim.committed(), sim.node(0).fake.chain());
}

}  // namespace

RandomOutcome run_random(const RandomScene& scene) {
  util::Rng rng(scene.seed);
  Simulation sim(random_options(scene, rng));
  RandomLife life(sim.config(), rng);
  ChainBuilder chain;
  life.grow(chain, 20 + static_cast<int>(rng.below(80)));
  if (scene.filter_faults) {
    add_liars(sim, chain, rng);
  } else {
    add_nodes(sim, chain, rng);
  }
  auto difference = live(sim, rng, life, scene.filter_faults);
  return {.difference = std::move(difference), .digest = sim.digest()};
}

}  // namespace spv::test
