// A wallet with a long history, for programs that measure what one costs.
#pragma once

#include <utility>

#include "chain/params.h"
#include "util/hash.h"
#include "util/rng.h"
#include "wallet/account.h"
#include "wallet/wallet.h"

namespace spv::bench {

inline wallet::Seed sample_seed() {
  wallet::Seed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i) seed.bytes[i] = static_cast<std::uint8_t>(i);
  return seed;
}

struct BusyWallet {
  wallet::WalletConfig config;
  wallet::WalletState state;
};

/// On regtest. It was paid and spent from, in turns, for years: every second transaction spends the one before.
inline BusyWallet busy_wallet(std::size_t transactions) {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  const auto pair =
      *wallet::account_descriptors(sample_seed(), wallet::ScriptKind::Wpkh, 0, chain::params(config.network));
  config.key_chains = {{pair[0], false}, {pair[1], true}};
  wallet::WalletState state = wallet::Wallet::fresh_state(config);
  util::Rng rng(std::uint64_t{1});
  chain::OutPoint coin;
  for (std::size_t i = 0; i < transactions; ++i) {
    chain::Transaction tx;
    const bool spends = i % 2 == 1;
    chain::TxInput input;
    input.previous = spends ? coin : chain::OutPoint{util::retag<chain::Txid>(util::sha256(rng.bytes(8))), 0};
    input.witness = {rng.bytes(71), rng.bytes(33)};
    tx.inputs.push_back(std::move(input));
    tx.outputs.push_back({1'000, *pair[spends ? 1U : 0U].script_at(static_cast<std::uint32_t>(i % 50))});
    tx.outputs.push_back({2'000, util::Bytes(22, 7)});
    wallet::TxRecord record;
    record.txid = tx.txid();
    coin = {record.txid, 0};
    record.tx = std::move(tx);
    record.confirmation = wallet::Confirmation{};
    record.confirmation->block.height = static_cast<chain::Height>(i / 10);
    record.confirmation->index = static_cast<std::uint32_t>(i % 10);
    record.proof = rng.bytes(12 * 32 + 90);  // of a block of some 2,000
    state.transactions.push_back(std::move(record));
  }
  state.scan.scanned_to.height = static_cast<chain::Height>(transactions / 10);
  return {std::move(config), std::move(state)};
}

}  // namespace spv::bench
