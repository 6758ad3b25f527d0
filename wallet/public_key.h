// Points and private keys of secp256k1, as values over libsecp256k1. Private keys live in memory that is wiped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "util/bytes.h"
#include "util/secret.h"

namespace spv::wallet {

using PrivateKey = util::SecretArray<32>;
using CompressedKey = std::array<std::uint8_t, 33>;
using UncompressedKey = std::array<std::uint8_t, 65>;
using XOnlyKey = std::array<std::uint8_t, 32>;

class GeneratorTable;

/// A point of the curve, never infinity.
class PublicKey {
 public:
  /// From 33 or 65 bytes as they stand in scripts; the hybrid form (06, 07) is refused.
  static std::optional<PublicKey> parse(util::ByteView bytes);
  /// The point with this x and even y (BIP340).
  static std::optional<PublicKey> from_x(util::ByteView x);
  /// Nothing if the key is zero or not below the group order.
  static std::optional<PublicKey> of(const PrivateKey& key);

  [[nodiscard]] CompressedKey compressed() const;
  [[nodiscard]] UncompressedKey uncompressed() const;
  /// This point plus tweak times G; nothing if the tweak is out of range or the sum is infinity. The same with a table,
  /// in less than half the time.
  [[nodiscard]] std::optional<PublicKey> plus(util::ByteView tweak, const GeneratorTable* table = nullptr) const;
  /// BIP341: the output key that commits to no script, from this point as internal key (its y is ignored).
  [[nodiscard]] std::optional<XOnlyKey> taproot_output_key(const GeneratorTable* table = nullptr) const;

 private:
  friend class GeneratorTable;
  std::array<std::uint8_t, 64> opaque_{};  // a secp256k1_pubkey; its header stays out of ours
};

/// The sum modulo the group order; nothing if the tweak is out of range or the sum is zero.
std::optional<PrivateKey> tweak_add(const PrivateKey& key, util::ByteView tweak);
/// In [1, n-1].
bool is_valid(const PrivateKey& key);

}  // namespace spv::wallet
