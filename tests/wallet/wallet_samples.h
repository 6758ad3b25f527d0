// A small wallet and the blocks around it, for the tests of this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/tx_builder.h"
#include "util/hash.h"
#include "wallet/wallet.h"

namespace spv::test {

/// The public key of BIP32's first test vector.
inline constexpr const char* kXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";

inline std::vector<wallet::Descriptor> parse_descriptors(const std::string& text) {
  return wallet::Descriptor::parse(text, chain::params(chain::Network::Main)).value();
}

/// Receive chain 0 and change chain 1.
inline wallet::WalletConfig sample_config(std::uint32_t gap_limit = 20) {
  wallet::WalletConfig config;
  config.network = chain::Network::Main;
  config.gap_limit = gap_limit;
  config.birthday = 1;
  for (auto& descriptor : parse_descriptors("wpkh(" + std::string(kXpub) + "/<0;1>/*)")) {
    config.key_chains.push_back({.descriptor = descriptor, .change = !config.key_chains.empty()});
  }
  return config;
}

inline wallet::Wallet sample_wallet(std::uint32_t gap_limit = 20) {
  const auto config = sample_config(gap_limit);
  return {config, wallet::Wallet::fresh_state(config)};
}

/// Scripts of sample_config().
inline util::Bytes receive_script(std::uint32_t index) {
  static const auto config = sample_config();
  return config.key_chains[0].descriptor.script_at(index).value();
}
inline util::Bytes change_script(std::uint32_t index) {
  static const auto config = sample_config();
  return config.key_chains[1].descriptor.script_at(index).value();
}
/// A script of nobody.
inline util::Bytes foreign_script(std::uint8_t number = 0) {
  util::Bytes script(22, 0xEE);
  script[0] = 0x00;
  script[1] = 0x14;
  script[2] = number;
  return script;
}

inline chain::BlockRef block_at(chain::Height height, std::uint8_t branch = 0) {
  chain::BlockRef block{.height = height, .hash = {}};
  for (std::size_t i = 0; i < 4; ++i) block.hash.bytes[i] = static_cast<std::uint8_t>(height >> (8 * i));
  block.hash.bytes[30] = branch;
  block.hash.bytes[31] = 1;
  return block;
}

inline wallet::Confirmation confirmed_at(chain::Height height, std::uint32_t index = 1, std::uint8_t branch = 0) {
  return {.block = block_at(height, branch),
          .block_time = 1'600'000'000 + 600 * static_cast<std::uint32_t>(height),
          .index = index};
}

inline wallet::ScanState scanned_to(chain::Height height) {
  return {.scanned_to = block_at(height), .backfill = std::nullopt, .anchors = {}};
}

inline constexpr util::UnixTime kNow = 1'700'000'000;

/// Tells the wallet of a transaction in a block.
inline wallet::Changes confirm(wallet::Wallet& wallet, const chain::Transaction& tx, chain::Height height,
                               std::uint32_t index = 1, std::uint8_t branch = 0) {
  return wallet.apply_confirmed(tx, confirmed_at(height, index, branch), util::Bytes{1, 2, 3}, kNow);
}
inline wallet::Changes see(wallet::Wallet& wallet, const chain::Transaction& tx) {
  return wallet.apply_unconfirmed(tx, kNow);
}

inline wallet::TxStatus status_of(const wallet::Wallet& wallet, const chain::Transaction& tx) {
  const auto entry = wallet.entry(tx.txid());
  return entry ? entry->status : wallet::TxStatus::Conflicted;
}

}  // namespace spv::test
