// Extended keys (BIP32): derivation and the xpub/xprv text form per network, and the prefixes of SLIP-132
// (ypub, zpub, ...), which name a script type on top.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "util/bytes.h"
#include "util/expected.h"
#include "util/secret.h"
#include "wallet/public_key.h"

namespace spv::wallet {

/// Child numbers from here on are hardened: they need the private key.
inline constexpr std::uint32_t kHardened = 0x80000000;
/// The depth is one byte, so no path from the root is longer.
inline constexpr std::size_t kMaxDepth = 255;

using ChainCode = std::array<std::uint8_t, 32>;
using Fingerprint = std::array<std::uint8_t, 4>;
/// Child numbers, the hardened ones with kHardened added.
using KeyPath = std::vector<std::uint32_t>;

/// "/84'/1'/0'": each step behind a slash, with the given mark for hardened ones.
std::string to_string(const KeyPath& path, char hardened_mark = '\'');

/// The output that a key is meant for.
enum class ScriptKind { Pkh, ShWpkh, Wpkh, Tr };

struct ExtendedKeyError {
  std::string message;  // what is wrong and what to do; never holds key material
};

/// Where a key stands in its tree; the same for the private and the public half.
struct KeyPosition {
  std::uint8_t depth = 0;
  Fingerprint parent{};
  std::uint32_t child_number = 0;
  friend bool operator==(const KeyPosition&, const KeyPosition&) = default;
};

class ExtendedPublicKey {
 public:
  ExtendedPublicKey(const PublicKey& key, const ChainCode& chain_code, const KeyPosition& position)
      : key_(key), serialized_(key.compressed()), chain_code_(chain_code), position_(position) {}
  /// From an xpub (or tpub) of this network.
  static util::Expected<ExtendedPublicKey, ExtendedKeyError> parse(std::string_view text,
                                                                   const chain::NetworkParams& params);

  [[nodiscard]] std::string to_string(const chain::NetworkParams& params) const;
  /// The child at `index` below kHardened; nothing for the one in 2^127 that does not exist, and below depth 255.
  [[nodiscard]] std::optional<ExtendedPublicKey> child(std::uint32_t index) const;
  /// The child's key alone: what child() costs, without the rest of it.
  [[nodiscard]] std::optional<PublicKey> child_key(std::uint32_t index, const GeneratorTable* table = nullptr) const;
  [[nodiscard]] std::optional<ExtendedPublicKey> descend(const KeyPath& path) const;
  [[nodiscard]] const PublicKey& key() const { return key_; }
  [[nodiscard]] const KeyPosition& position() const { return position_; }
  /// The first four bytes of the key's hash.
  [[nodiscard]] Fingerprint fingerprint() const;

 private:
  PublicKey key_;
  CompressedKey serialized_;
  ChainCode chain_code_;
  KeyPosition position_;
};

class ExtendedPrivateKey {
 public:
  /// The master key of a seed; nothing for the one seed in 2^127 without one.
  static std::optional<ExtendedPrivateKey> from_seed(util::ByteView seed);
  /// From an xprv (or tprv) of this network.
  static util::Expected<ExtendedPrivateKey, ExtendedKeyError> parse(std::string_view text,
                                                                    const chain::NetworkParams& params);

  /// The xprv text, in memory that is wiped.
  [[nodiscard]] util::SecretBytes to_text(const chain::NetworkParams& params) const;
  /// Any child; nothing where it does not exist or lies below depth 255.
  [[nodiscard]] std::optional<ExtendedPrivateKey> child(std::uint32_t index) const;
  [[nodiscard]] std::optional<ExtendedPrivateKey> descend(const KeyPath& path) const;
  [[nodiscard]] ExtendedPublicKey to_public() const;
  [[nodiscard]] const PrivateKey& key() const { return key_; }
  [[nodiscard]] Fingerprint fingerprint() const { return to_public().fingerprint(); }

 private:
  ExtendedPrivateKey(const PrivateKey& key, const util::SecretArray<32>& chain_code, const KeyPosition& position)
      : key_(key), chain_code_(chain_code), position_(position) {}

  PrivateKey key_;
  util::SecretArray<32> chain_code_;
  KeyPosition position_;
};

/// What the first bytes of an extended key say, before any check of the rest.
struct ExtendedKeyPrefix {
  std::string_view name;  // "zpub"
  bool is_private = false;
  bool is_main = false;  // else of the test networks
  bool is_slip132 = false;
  std::optional<ScriptKind> implies;  // the script type of SLIP-132
};
/// The prefix of an extended key with a right checksum; nothing for any other text.
std::optional<ExtendedKeyPrefix> extended_key_prefix(std::string_view text);
/// The same public key under the prefix of BIP32: zpub and ypub become xpub, vpub and upub tpub.
util::Expected<std::string, ExtendedKeyError> to_bip32_prefix(std::string_view text);

}  // namespace spv::wallet
