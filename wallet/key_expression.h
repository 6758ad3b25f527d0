// Key expressions of descriptors (BIP380, 389): origin, a key in one of its text forms, and the steps below it.
// A private key is turned into its public half while it is parsed, and its hardened steps are taken then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chain/params.h"
#include "util/bytes.h"
#include "util/expected.h"
#include "wallet/descriptor.h"
#include "wallet/extended_key.h"

namespace spv::wallet {

/// Which forms of a public key the surrounding function takes.
enum class KeyForms { Any, CompressedOnly, XOnlyToo };

/// Where a key comes from: the master key's fingerprint and the path from there.
struct KeyOrigin {
  Fingerprint fingerprint{};
  KeyPath path;
};

/// One key, or one for each index.
class KeyExpression {
 public:
  /// More multipath alternatives than this in one expression are refused.
  static constexpr std::size_t kMaxAlternatives = 100;

  /// One expression, or as many as `<…;…>` has alternatives.
  static util::Expected<std::vector<KeyExpression>, DescriptorError> parse(std::string_view text, KeyForms forms,
                                                                           const chain::NetworkParams& params);

  /// The canonical text: public, and with one kind of hardened mark.
  [[nodiscard]] const std::string& to_string() const { return text_; }
  [[nodiscard]] const std::optional<KeyOrigin>& origin() const { return origin_; }
  [[nodiscard]] bool is_ranged() const;
  /// The key at `index`; nothing for the one index in 2^127 that has none. A table makes it faster, see GeneratorTable.
  [[nodiscard]] std::optional<PublicKey> key_at(std::uint32_t index, const GeneratorTable* table = nullptr) const;
  /// The key as scripts hold it, 33 or 65 bytes.
  [[nodiscard]] std::optional<util::Bytes> bytes_at(std::uint32_t index, const GeneratorTable* table = nullptr) const;
  /// What bytes_at gives, without deriving.
  [[nodiscard]] std::size_t byte_count() const;
  /// From the master key to the key at `index`. Where no origin is told, the printed key is the root (BIP174).
  [[nodiscard]] KeyOrigin origin_at(std::uint32_t index) const;
  /// "m/84'/1'/0'/0/5"; empty without an origin.
  [[nodiscard]] std::string path_at(std::uint32_t index) const;

 private:
  friend class KeyExpressionParser;
  struct FixedKey {
    PublicKey key;
    bool compressed = true;
  };
  /// All steps but the wildcard are taken at parse, so that an index costs one derivation.
  struct DerivedKey {
    ExtendedPublicKey parent;
    KeyPath path;  // from the printed key to `parent`
    bool wildcard = false;
    Fingerprint root{};  // of the printed key
  };
  KeyExpression(std::optional<KeyOrigin> origin, std::variant<FixedKey, DerivedKey> key, std::string text)
      : origin_(std::move(origin)), key_(std::move(key)), text_(std::move(text)) {}

  std::optional<KeyOrigin> origin_;
  std::variant<FixedKey, DerivedKey> key_;
  std::string text_;
};

}  // namespace spv::wallet
