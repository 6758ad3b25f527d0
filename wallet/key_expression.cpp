#include "wallet/key_expression.h"

#include <algorithm>

#include "util/hash.h"
#include "util/hex.h"
#include "wallet/base58.h"

namespace spv::wallet {
namespace {

#if defined(SPV_WITH_SECRETS) && !SPV_WITH_SECRETS
constexpr bool kTakesPrivateKeys = false;
#else
constexpr bool kTakesPrivateKeys = true;
#endif

util::Unexpected<DescriptorError> error(std::string message) {
  return util::Unexpected{DescriptorError{std::move(message)}};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

/// A key as an error may show it: whole if it is short, else its beginning, since it may be a mistyped private key.
std::string shown_key(std::string_view text) {
  constexpr std::size_t kShort = 16;
  constexpr std::size_t kBeginning = 4;
  return "\"" + (text.size() <= kShort ? std::string(text) : std::string(text.substr(0, kBeginning)) + "…") + "\"";
}

/// "xpub", "tprv", "zpub" ...: what follows may be wrong, but an extended key is meant.
bool seems_extended(std::string_view text) {
  const auto kind = text.substr(std::min<std::size_t>(text.size(), 1), 3);
  return kind == "pub" || kind == "prv";
}

bool is_mark(char c) { return c == '\'' || c == 'h'; }

/// A step of a path: one child number, or the alternatives of `<…;…>`.
using Step = std::vector<std::uint32_t>;

}  // namespace

/// Holds what is known while one expression is read.
class KeyExpressionParser {
 public:
  using Result = util::Expected<std::vector<KeyExpression>, DescriptorError>;
  KeyExpressionParser(KeyForms forms, const chain::NetworkParams& params) : forms_(forms), params_(params) {}

  Result parse(std::string_view text) {
    const auto parts = split(text, ']');
    if (parts.size() > 2) return error("a key has more than one ']': only one key origin is allowed");
    if (parts.size() == 2) {
      if (const auto origin = read_origin(parts[0]); !origin) return util::Unexpected{origin.error()};
    } else if (text.starts_with('[')) {
      return error("the key origin has no closing ']'");
    }
    const auto steps = split(parts.back(), '/');
    if (steps[0].empty()) return error("a key is missing");
    if (const auto key = util::from_hex(steps[0])) return fixed_key(*key, steps);
    if (const auto wif = base58check_decode(steps[0], kMaxWifPayload)) {
      if constexpr (kTakesPrivateKeys) {
        return wif_key(*wif, steps);
      } else {
        return no_private_keys();
      }
    }
    if (!seems_extended(steps[0])) {
      return error(shown_key(steps[0]) + " is not a key: give a public key in hex, or an extended key (" +
                   (params_.network == chain::Network::Main ? "xpub" : "tpub") + "...)");
    }
    return extended_key(steps);
  }

 private:
  static constexpr std::size_t kMaxWifPayload = 34;

  util::Expected<void, DescriptorError> read_origin(std::string_view text) {
    if (!text.starts_with('[')) return error("the key origin does not begin with '['");
    const auto parts = split(text.substr(1), '/');
    const auto fingerprint = util::from_hex(parts[0]);
    if (!fingerprint || fingerprint->size() != Fingerprint{}.size()) {
      return error("the fingerprint of a key origin must be 8 hex digits");
    }
    KeyOrigin origin;
    std::ranges::copy(*fingerprint, origin.fingerprint.begin());
    for (const auto part : std::vector(parts.begin() + 1, parts.end())) {
      const auto number = child_number(part);
      if (!number) return util::Unexpected{number.error()};
      origin.path.push_back(*number);
    }
    if (origin.path.size() > kMaxDepth) return error("the path of a key origin has more than 255 steps");
    origin_ = std::move(origin);
    return {};
  }

  util::Expected<std::uint32_t, DescriptorError> child_number(std::string_view text) {
    const std::string shown(text.substr(0, 16));
    bool hardened = false;
    if (!text.empty() && is_mark(text.back())) {
      hardened = true;
      mark_ = text.back();
      text.remove_suffix(1);
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !std::ranges::all_of(text, is_digit)) {
      return error("\"" + shown + "\" is not a key path step: use a number, followed by ' or h if hardened");
    }
    std::uint64_t number = 0;
    for (const char c : text)
      number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'), kHardened);
    if (number >= kHardened) return error("the key path step \"" + shown + "\" is above 2147483647");
    return static_cast<std::uint32_t>(number) | (hardened ? kHardened : 0U);
  }

  util::Expected<Step, DescriptorError> step(std::string_view text) {
    if (!text.starts_with('<')) {
      const auto number = child_number(text);
      if (!number) return util::Unexpected{number.error()};
      return Step{*number};
    }
    if (!text.ends_with('>')) return error("the multipath step has no closing '>'");
    Step out;
    for (const auto part : split(text.substr(1, text.size() - 2), ';')) {
      const auto number = child_number(part);
      if (!number) return util::Unexpected{number.error()};
      if (std::ranges::count(out, *number) > 0) return error("a multipath step has the same number twice");
      if (out.size() == KeyExpression::kMaxAlternatives) return error("a multipath step has too many alternatives");
      out.push_back(*number);
    }
    if (out.size() < 2) return error("a multipath step needs at least two alternatives, as in <0;1>");
    return out;
  }

  Result single(const PublicKey& key, bool compressed, bool print_x_only) {
    const util::Bytes bytes = compressed ? util::to_bytes(key.compressed()) : util::to_bytes(key.uncompressed());
    std::string text = origin_text() + util::to_hex(print_x_only ? util::ByteView(bytes).subspan(1) : bytes);
    return std::vector{KeyExpression(origin_, KeyExpression::FixedKey{key, compressed}, std::move(text))};
  }

  Result fixed_key(const util::Bytes& bytes, const std::vector<std::string_view>& steps) {
    if (steps.size() > 1) return error("only extended keys (xpub, tpub) can have a path");
    const bool x_only = bytes.size() == 32 && forms_ == KeyForms::XOnlyToo;
    const auto key = x_only ? PublicKey::from_x(bytes) : PublicKey::parse(bytes);
    if (!key) return error(shown_key(steps[0]) + " is not a valid public key");
    const bool compressed = bytes.size() != 65;
    if (!compressed && forms_ != KeyForms::Any) return uncompressed_error();
    return single(*key, compressed, x_only);
  }

  Result wif_key(const util::SecretBytes& payload, const std::vector<std::string_view>& steps) {
    if (steps.size() > 1) return error("only extended keys (xpub, tpub) can have a path");
    const bool compressed = payload.size() == 34 && payload.back() == 1;
    if (!compressed && payload.size() != 33) return error("this is neither a public key nor a WIF private key");
    if (payload.front() != params_.wif_prefix) {
      return error("this WIF private key is of another network than " + std::string(params_.name));
    }
    PrivateKey secret;
    std::copy_n(payload.begin() + 1, secret.bytes.size(), secret.bytes.begin());
    const auto key = PublicKey::of(secret);
    if (!key) return error("this WIF private key is not between 1 and n-1");
    if (!compressed && forms_ != KeyForms::Any) return uncompressed_error();
    return single(*key, compressed, forms_ == KeyForms::XOnlyToo);
  }

  static util::Unexpected<DescriptorError> no_private_keys() {
    return error("this build does not support private keys: use the public form of the descriptor");
  }

  static util::Unexpected<DescriptorError> uncompressed_error() {
    return error("uncompressed keys are not allowed in segwit scripts: use the compressed form (02… or 03…)");
  }

  Result extended_key(std::vector<std::string_view> steps) {
    const std::string_view text = steps[0];
    steps.erase(steps.begin());
    if (const auto path = read_path(steps); !path) return util::Unexpected{path.error()};
    const auto prefix = extended_key_prefix(text);
    if (prefix && prefix->is_private) {
      if constexpr (kTakesPrivateKeys) {
        return from_private(text);
      } else {
        return no_private_keys();
      }
    }
    if (prefix && prefix->is_slip132) return slip132_error(text, *prefix);
    const auto root = ExtendedPublicKey::parse(text, params_);
    if (!root) return error(root.error().message);
    std::vector<KeyExpression> out;
    for (const auto& path : alternatives()) {
      if (std::ranges::any_of(path, [](std::uint32_t number) { return number >= kHardened; })) {
        return error(
            "hardened derivation from a public key is impossible: derive with the private key, and put the "
            "step into the origin");
      }
      auto key = below(*root, origin_, path);
      if (!key) return util::Unexpected{key.error()};
      out.push_back(std::move(*key));
    }
    return out;
  }

  static util::Unexpected<DescriptorError> slip132_error(std::string_view text, const ExtendedKeyPrefix& prefix) {
    const auto plain = to_bip32_prefix(text);
    return error("descriptors do not support " + std::string(prefix.name) + " keys (SLIP-132): convert the key to " +
                 (plain ? *plain : std::string("xpub")));
  }

  Result from_private(std::string_view text) {
    const auto root = ExtendedPrivateKey::parse(text, params_);
    if (!root) return error(root.error().message);
    std::vector<KeyExpression> out;
    for (const auto& path : alternatives()) {
      auto key = below_private(*root, path);
      if (!key) return util::Unexpected{key.error()};
      out.push_back(std::move(*key));
    }
    return out;
  }

  /// Takes the steps up to the last hardened one with the private key; they move into the origin.
  util::Expected<KeyExpression, DescriptorError> below_private(const ExtendedPrivateKey& root, const KeyPath& path) {
    const auto last =
        std::find_if(path.rbegin(), path.rend(), [](std::uint32_t number) { return number >= kHardened; });
    const KeyPath hardened(path.begin(), last.base());
    if (hardened.empty()) return below(root.to_public(), origin_, path);
    const auto parent = root.descend(hardened);
    if (!parent) return error("the key path leads to a key that does not exist");
    KeyOrigin origin = origin_.value_or(KeyOrigin{root.fingerprint(), {}});
    origin.path.insert(origin.path.end(), hardened.begin(), hardened.end());
    return below(parent->to_public(), origin, KeyPath(last.base(), path.end()));
  }

  util::Expected<KeyExpression, DescriptorError> below(const ExtendedPublicKey& root,
                                                       const std::optional<KeyOrigin>& origin, const KeyPath& path) {
    const auto parent = root.descend(path);
    if (!parent) return error("the key path leads to a key that does not exist, or is deeper than 255 steps");
    std::string text = origin_text(origin) + root.to_string(params_) + to_string(path, mark_);
    if (wildcard_) text += "/*";
    return KeyExpression(origin, KeyExpression::DerivedKey{*parent, path, wildcard_, root.fingerprint()},
                         std::move(text));
  }

  util::Expected<void, DescriptorError> read_path(std::vector<std::string_view> parts) {
    if (!parts.empty() && parts.back() == "*") {
      wildcard_ = true;
      parts.pop_back();
    } else if (!parts.empty() && parts.back().size() == 2 && parts.back()[0] == '*' && is_mark(parts.back()[1])) {
      return error(
          "a hardened wildcard (*') needs the private key for each address: use the account's xpub with "
          "an unhardened wildcard");
    }
    if (parts.size() > kMaxDepth) return error("a key path has more than 255 steps");
    for (const auto part : parts) {
      auto parsed = step(part);
      if (!parsed) return util::Unexpected{parsed.error()};
      steps_.push_back(std::move(*parsed));
    }
    if (std::ranges::count_if(steps_, [](const Step& s) { return s.size() > 1; }) > 1) {
      return error("a key has more than one multipath step");
    }
    return {};
  }

  /// The paths that the steps stand for: one, or as many as the multipath step has numbers.
  [[nodiscard]] std::vector<KeyPath> alternatives() const {
    std::vector<KeyPath> out(1);
    for (const Step& step : steps_) {
      if (step.size() > out.size()) out.resize(step.size(), out[0]);
      for (std::size_t i = 0; i < out.size(); ++i) out[i].push_back(step.size() == 1 ? step[0] : step[i]);
    }
    return out;
  }

  [[nodiscard]] std::string origin_text() const { return origin_text(origin_); }
  [[nodiscard]] std::string origin_text(const std::optional<KeyOrigin>& origin) const {
    if (!origin) return {};
    return '[' + util::to_hex(origin->fingerprint) + to_string(origin->path, mark_) + ']';
  }

  KeyForms forms_;
  const chain::NetworkParams& params_;
  std::optional<KeyOrigin> origin_;
  std::vector<Step> steps_;
  bool wildcard_ = false;
  /// One mark for the whole key, the last that was read: as Bitcoin Core prints it.
  char mark_ = '\'';
};

util::Expected<std::vector<KeyExpression>, DescriptorError> KeyExpression::parse(std::string_view text, KeyForms forms,
                                                                                 const chain::NetworkParams& params) {
  return KeyExpressionParser(forms, params).parse(text);
}

bool KeyExpression::is_ranged() const {
  const auto* derived = std::get_if<DerivedKey>(&key_);
  return derived != nullptr && derived->wildcard;
}

std::optional<PublicKey> KeyExpression::key_at(std::uint32_t index, const GeneratorTable* table) const {
  if (const auto* fixed = std::get_if<FixedKey>(&key_)) return fixed->key;
  const auto* derived = std::get_if<DerivedKey>(&key_);
  return derived->wildcard ? derived->parent.child_key(index, table) : derived->parent.key();
}

std::optional<util::Bytes> KeyExpression::bytes_at(std::uint32_t index, const GeneratorTable* table) const {
  const auto key = key_at(index, table);
  if (!key) return std::nullopt;
  return byte_count() == 33 ? util::to_bytes(key->compressed()) : util::to_bytes(key->uncompressed());
}

std::size_t KeyExpression::byte_count() const {
  const auto* fixed = std::get_if<FixedKey>(&key_);
  return fixed != nullptr && !fixed->compressed ? 65 : 33;
}

KeyOrigin KeyExpression::origin_at(std::uint32_t index) const {
  KeyOrigin out = origin_.value_or(KeyOrigin{});
  if (const auto* derived = std::get_if<DerivedKey>(&key_)) {
    if (!origin_) out.fingerprint = derived->root;
    out.path.insert(out.path.end(), derived->path.begin(), derived->path.end());
    if (derived->wildcard) out.path.push_back(index);
  } else if (!origin_) {
    const util::Hash160 hash = util::hash160(*bytes_at(index));
    std::copy_n(hash.begin(), out.fingerprint.size(), out.fingerprint.begin());
  }
  return out;
}

std::string KeyExpression::path_at(std::uint32_t index) const {
  return origin_ ? "m" + wallet::to_string(origin_at(index).path) : std::string();
}

}  // namespace spv::wallet
