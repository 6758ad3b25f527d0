// WalletOracle: what a wallet must hold, computed from whole blocks with full knowledge of its scripts. Shares no code
// with the scan, so that the two can be compared.
#pragma once

#include <map>
#include <string>

#include "tests/support/chain_builder.h"
#include "wallet/wallet.h"

namespace spv::test {

struct OracleResult {
  wallet::Balance balance;                       // nothing unconfirmed
  std::map<chain::Txid, chain::Height> history;  // confirmed transactions that pay or spend
  std::map<chain::OutPoint, chain::Amount> coins;
  std::vector<std::optional<std::uint32_t>> last_used;  // by key chain
};

/// Scans a chain from the wallet's birthday. `scripts`: how many of each key chain are ours.
OracleResult scan_all(const ChainBuilder& chain, const wallet::WalletConfig& config,
                      const std::vector<std::uint32_t>& scripts);
/// How many scripts of each key chain the gap limit reaches, whatever the order of use: the smallest windows that are
/// closed under "gap_limit beyond the last used one".
std::vector<std::uint32_t> gap_limit_closure(const ChainBuilder& chain, const wallet::WalletConfig& config);

/// Empty if the confirmed part of the wallet is exactly what the chain holds for the scripts it watches, and it
/// watches all that the gap limit reaches; else what differs.
std::string compare_with_chain(const wallet::Wallet& wallet, const wallet::WalletState& state,
                               const ChainBuilder& chain);

}  // namespace spv::test
