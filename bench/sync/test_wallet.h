// TestWallet: the keys of a well-known mnemonic, to pay to and to spend from in a made-up chain. No real money.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "wallet/public_key.h"

namespace spv::bench {

class TestWallet {
 public:
  /// The first `count` receive keys of m/84'/1'/0'/0; the mnemonic must be a valid one.
  TestWallet(std::string_view mnemonic, std::uint32_t count);

  /// The output script of a key: P2WPKH.
  [[nodiscard]] util::Bytes script(std::size_t index) const;
  /// What a filter holds for it: the hash of the key.
  [[nodiscard]] util::Bytes element(std::size_t index) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// A transaction that takes a coin of that key whole to `to` (BIP143, SIGHASH_ALL).
  [[nodiscard]] chain::Transaction spend(std::size_t index, const chain::OutPoint& coin, chain::Amount amount,
                                         util::ByteView to) const;

 private:
  std::vector<wallet::PrivateKey> keys_;
};

}  // namespace spv::bench
