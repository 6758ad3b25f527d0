// Random lives of a wallet: chains that pay it, reorganisations, restarts and faults, all drawn from a seed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/simulation.h"

namespace spv::test {

// Grows chains in which the wallet is paid and spends at random.
class RandomLife {
 public:
  RandomLife(const wallet::WalletConfig& config, util::Rng& rng) : config_(config), rng_(rng) {}

  void grow(ChainBuilder& chain, int blocks);
  /// A branch grows that no coin so far need be on: a node's compact filter has no script for one that is not.
  void forget_coins() { coins_.clear(); }

 private:
  chain::Transaction next_transaction();
  util::Bytes next_script();

  const wallet::WalletConfig& config_;
  util::Rng& rng_;
  std::vector<chain::OutPoint> coins_;
  std::array<std::uint32_t, 2> used_{};
};

struct RandomScene {
  std::uint64_t seed = 1;
  /// More is watched than one filter may hold.
  bool slices = false;
  /// Compact filters and lies about them, beside the other sources and faults.
  bool filter_faults = false;
  /// Nothing: filtered, whole or both in turn, by the seed.
  std::optional<sync::SourceMode> source = std::nullopt;
  bool group = uses_group();
};
struct RandomOutcome {
  /// What differs between the wallet and the chain at the end; nothing: all is well.
  std::string difference;
  ActionDigest digest;
};
RandomOutcome run_random(const RandomScene& scene);

}  // namespace spv::test
