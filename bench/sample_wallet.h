// Watch-only wallets of 100 scripts with nothing received, as a store has them. Their stored scripts are made up, which
// nobody notices before an address is handed out.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/sample_block.h"
#include "chain/params.h"
#include "util/rng.h"
#include "wallet/wallet.h"

namespace spv::bench {

inline constexpr std::uint32_t kScriptsPerChain = 50;
inline constexpr std::size_t kScriptsPerWallet = 2 * kScriptsPerChain;

inline const chain::NetworkParams& regtest() { return chain::params(chain::Network::Regtest); }

/// Two chains of nobody, each another for each number.
inline std::string sample_descriptors(std::size_t number) {
  constexpr const char* kXpub =
      "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
  return std::string("wpkh(") + kXpub + "/" + std::to_string(number) + "/<0;1>/*)";
}

struct SampleWallet {
  std::string descriptors;
  std::vector<util::Bytes> scripts;  // encoded, one for each chain
};

inline SampleWallet sample_wallet(std::size_t number, util::Rng& rng) {
  SampleWallet out{.descriptors = sample_descriptors(number), .scripts = {}};
  for (int chain = 0; chain < 2; ++chain) {
    wallet::ScriptList scripts;
    for (std::uint32_t i = 0; i < kScriptsPerChain; ++i) scripts.push_back(sample_script(rng));
    out.scripts.push_back(scripts.encode());
  }
  return out;
}

inline wallet::WalletConfig sample_config(const SampleWallet& sample) {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  config.gap_limit = kScriptsPerChain / wallet::kLookAheadFactor;
  const auto descriptors = wallet::Descriptor::parse(sample.descriptors, regtest());
  for (const auto& descriptor : *descriptors) {
    config.key_chains.push_back({.descriptor = descriptor, .change = !config.key_chains.empty()});
  }
  return config;
}

inline wallet::WalletState sample_state(const wallet::WalletConfig& config, const SampleWallet& sample) {
  wallet::WalletState state = wallet::Wallet::fresh_state(config);
  for (const auto& bytes : sample.scripts) {
    if (!state.scripts.emplace_back().append_encoded(bytes, kScriptsPerChain)) std::abort();
  }
  return state;
}

}  // namespace spv::bench
