// The rules that a single field of a PSBT keeps, as tables: one line a field that the BIPs name. All others are kept as
// they are.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "util/codec.h"
#include "wallet/public_key.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/signature.h"

namespace spv::wallet::spend {
namespace {

enum class KeyRule {
  Empty,
  PublicKey,
  Point,
  XOnly,
  Hash160,
  Hash256,
  XOnlyAndLeaf,
  ControlBlock,
  Musig,
  Xpub,
  Proprietary
};
enum class ValueRule {
  Any,
  Byte,
  Number,
  Amount,
  Count,
  Hash,
  UnsignedTx,
  PreviousTx,
  Output,
  Witness,
  EcdsaSignature,
  SchnorrSignature,
  Path,
  TapPath,
  TapTree,
  LeafScript,
  Points,
  Nonce,
  Time,
  Height
};
enum class Versions { Both, Only0, Only2 };

struct FieldRule {
  std::uint64_t type;
  std::string_view name;
  KeyRule key = KeyRule::Empty;
  ValueRule value = ValueRule::Any;
  Versions versions = Versions::Both;
};

constexpr FieldRule kGlobalRules[] = {
    {0x00, "unsigned transaction", KeyRule::Empty, ValueRule::UnsignedTx, Versions::Only0},
    {0x01, "xpub", KeyRule::Xpub, ValueRule::Path},
    {0x02, "transaction version", KeyRule::Empty, ValueRule::Number, Versions::Only2},
    {0x03, "fallback lock time", KeyRule::Empty, ValueRule::Number, Versions::Only2},
    {0x04, "input count", KeyRule::Empty, ValueRule::Count, Versions::Only2},
    {0x05, "output count", KeyRule::Empty, ValueRule::Count, Versions::Only2},
    {0x06, "modifiable flags", KeyRule::Empty, ValueRule::Byte, Versions::Only2},
    {0xFB, "version", KeyRule::Empty, ValueRule::Number},
    {kPsbtProprietary, "proprietary field", KeyRule::Proprietary},
};

constexpr FieldRule kInputRules[] = {
    {0x00, "non_witness_utxo", KeyRule::Empty, ValueRule::PreviousTx},
    {0x01, "witness_utxo", KeyRule::Empty, ValueRule::Output},
    {0x02, "partial signature", KeyRule::PublicKey, ValueRule::EcdsaSignature},
    {0x03, "sighash type", KeyRule::Empty, ValueRule::Number},
    {0x04, "redeem script"},
    {0x05, "witness script"},
    {0x06, "key path", KeyRule::PublicKey, ValueRule::Path},
    {0x07, "final script"},
    {0x08, "final witness", KeyRule::Empty, ValueRule::Witness},
    {0x09, "proof of reserves commitment"},
    {0x0A, "RIPEMD160 preimage", KeyRule::Hash160},
    {0x0B, "SHA256 preimage", KeyRule::Hash256},
    {0x0C, "HASH160 preimage", KeyRule::Hash160},
    {0x0D, "HASH256 preimage", KeyRule::Hash256},
    {0x0E, "previous txid", KeyRule::Empty, ValueRule::Hash, Versions::Only2},
    {0x0F, "output index", KeyRule::Empty, ValueRule::Number, Versions::Only2},
    {0x10, "sequence", KeyRule::Empty, ValueRule::Number, Versions::Only2},
    {0x11, "time-based lock time", KeyRule::Empty, ValueRule::Time, Versions::Only2},
    {0x12, "height-based lock time", KeyRule::Empty, ValueRule::Height, Versions::Only2},
    {0x13, "taproot key signature", KeyRule::Empty, ValueRule::SchnorrSignature},
    {0x14, "taproot script signature", KeyRule::XOnlyAndLeaf, ValueRule::SchnorrSignature},
    {0x15, "taproot leaf script", KeyRule::ControlBlock, ValueRule::LeafScript},
    {0x16, "taproot key path", KeyRule::XOnly, ValueRule::TapPath},
    {0x17, "taproot internal key", KeyRule::Empty, ValueRule::Hash},
    {0x18, "taproot merkle root", KeyRule::Empty, ValueRule::Hash},
    {0x1A, "musig2 participants", KeyRule::Point, ValueRule::Points},
    {0x1B, "musig2 public nonce", KeyRule::Musig, ValueRule::Nonce},
    {0x1C, "musig2 partial signature", KeyRule::Musig, ValueRule::Hash},
    {kPsbtProprietary, "proprietary field", KeyRule::Proprietary},
};

constexpr FieldRule kOutputRules[] = {
    {0x00, "redeem script"},
    {0x01, "witness script"},
    {0x02, "key path", KeyRule::PublicKey, ValueRule::Path},
    {0x03, "amount", KeyRule::Empty, ValueRule::Amount, Versions::Only2},
    {0x04, "script", KeyRule::Empty, ValueRule::Any, Versions::Only2},
    {0x05, "taproot internal key", KeyRule::Empty, ValueRule::Hash},
    {0x06, "taproot tree", KeyRule::Empty, ValueRule::TapTree},
    {0x07, "taproot key path", KeyRule::XOnly, ValueRule::TapPath},
    {0x08, "musig2 participants", KeyRule::Point, ValueRule::Points},
    {kPsbtProprietary, "proprietary field", KeyRule::Proprietary},
};

constexpr std::size_t kPointSize = 33;
constexpr std::size_t kMaxTapDepth = 128;  // BIP341
constexpr std::uint32_t kFirstLockTime = 500'000'000;

bool is_point(util::ByteView bytes) { return bytes.size() == kPointSize && PublicKey::parse(bytes); }

bool is_proprietary_key(util::ByteView key) {
  util::Reader in(key);
  in.var_view(key.size());
  in.compact_size();
  return in.ok();
}

bool is_control_block(util::ByteView key) {
  return key.size() >= kPointSize && (key.size() - kPointSize) % 32 == 0 &&
         key.size() <= kPointSize + 32 * kMaxTapDepth;
}

/// Participant and aggregate key, and the leaf where a script is signed for (BIP373).
bool is_musig_key(util::ByteView key) {
  if (key.size() != 2 * kPointSize && key.size() != 2 * kPointSize + 32) return false;
  return is_point(key.first(kPointSize)) && is_point(key.subspan(kPointSize, kPointSize));
}

bool is_xpub(util::ByteView key) { return key.size() == 78 && is_point(key.last(kPointSize)); }

bool key_holds(KeyRule rule, util::ByteView key) {
  switch (rule) {
    case KeyRule::Empty:
      return key.empty();
    case KeyRule::PublicKey:
      return PublicKey::parse(key).has_value();
    case KeyRule::Point:
      return is_point(key);
    case KeyRule::XOnly:
    case KeyRule::Hash256:
      return key.size() == 32;
    case KeyRule::Hash160:
      return key.size() == 20;
    case KeyRule::XOnlyAndLeaf:
      return key.size() == 64;
    case KeyRule::ControlBlock:
      return is_control_block(key);
    case KeyRule::Musig:
      return is_musig_key(key);
    case KeyRule::Xpub:
      return is_xpub(key);
    case KeyRule::Proprietary:
      return is_proprietary_key(key);
  }
  return false;
}

bool is_ecdsa_signature(util::ByteView value) {
  return !value.empty() && is_strict_der(value.first(value.size() - 1));  // the last byte is the sighash type
}

bool is_path(util::ByteView value) {
  return value.size() >= 4 && value.size() % 4 == 0 && value.size() <= 4 + 4 * kMaxDepth;
}

bool is_tap_path(util::ByteView value) {
  util::Reader in(value);
  const std::size_t leaves = in.count(32);
  in.view(32 * leaves);
  return in.ok() && is_path(in.rest());
}

/// Leaves in the order of a depth-first walk, which together must make one whole tree.
bool is_tap_tree(util::ByteView value) {
  util::Reader in(value);
  std::array<bool, kMaxTapDepth + 1> half{};  // by depth: a left branch that waits for its sibling
  std::size_t deepest = 0;
  while (in.remaining() != 0) {
    std::size_t depth = in.integer<std::uint8_t>();
    const auto leaf_version = in.integer<std::uint8_t>();
    in.var_view(value.size());
    if (!in.ok() || depth > kMaxTapDepth || (leaf_version & 1U) != 0 || half[0] || deepest > depth) return false;
    for (; depth > 0 && half[depth]; --depth) half[depth] = false;
    half[depth] = true;
    deepest = depth;
  }
  return in.ok() && half[0];
}

bool is_points(util::ByteView value) {
  if (value.empty() || value.size() % kPointSize != 0) return false;
  for (; !value.empty(); value = value.subspan(kPointSize)) {
    if (!is_point(value.first(kPointSize))) return false;
  }
  return true;
}

bool is_output(util::ByteView value) {
  util::Reader in(value);
  in.integer<chain::Amount>();
  in.var_view(value.size());
  return in.done();
}

bool is_witness(util::ByteView value) {
  util::Reader in(value);
  const std::size_t items = in.count(1);
  for (std::size_t i = 0; i < items && in.ok(); ++i) in.var_view(value.size());
  return in.done();
}

bool is_lock_time(util::ByteView value, bool is_time) {
  if (value.size() != 4) return false;
  const auto number = util::Reader(value).integer<std::uint32_t>();
  return is_time ? number >= kFirstLockTime : number > 0 && number < kFirstLockTime;
}

bool is_count(util::ByteView value) {
  util::Reader in(value);
  in.compact_size();
  return in.done();
}

/// The values of one size.
std::optional<std::size_t> fixed_size(ValueRule rule) {
  switch (rule) {
    case ValueRule::Byte:
      return 1;
    case ValueRule::Number:
      return 4;
    case ValueRule::Amount:
      return 8;
    case ValueRule::Hash:
      return 32;
    case ValueRule::Nonce:
      return 66;
    default:
      return std::nullopt;
  }
}

bool value_holds(ValueRule rule, util::ByteView value) {
  if (const auto size = fixed_size(rule)) return value.size() == *size;
  switch (rule) {
    case ValueRule::Count:
      return is_count(value);
    case ValueRule::PreviousTx:
      return chain::Transaction::parse(value).has_value();
    case ValueRule::Output:
      return is_output(value);
    case ValueRule::Witness:
      return is_witness(value);
    case ValueRule::EcdsaSignature:
      return is_ecdsa_signature(value);
    case ValueRule::SchnorrSignature:
      return value.size() == 64 || value.size() == 65;
    case ValueRule::Path:
      return is_path(value);
    case ValueRule::TapPath:
      return is_tap_path(value);
    case ValueRule::TapTree:
      return is_tap_tree(value);
    case ValueRule::LeafScript:
      return !value.empty();
    case ValueRule::Points:
      return is_points(value);
    case ValueRule::Time:
    case ValueRule::Height:
      return is_lock_time(value, rule == ValueRule::Time);
    default:
      return true;
  }
}

std::span<const FieldRule> rules_of(PsbtMapKind kind) {
  if (kind == PsbtMapKind::Global) return kGlobalRules;
  if (kind == PsbtMapKind::Input) return kInputRules;
  return kOutputRules;
}

}  // namespace

util::Expected<void, PsbtError> check_fields(const PsbtMap& map, PsbtMapKind kind, std::uint32_t version,
                                             const std::string& where) {
  const auto rules = rules_of(kind);
  for (const auto& field : map.fields()) {
    const auto rule = std::ranges::find(rules, field.type, &FieldRule::type);
    if (rule == rules.end()) continue;
    const std::string name = std::string(rule->name) + " in " + where + " of the PSBT";
    if (rule->versions != Versions::Both && (rule->versions == Versions::Only2) != (version == 2)) {
      const std::string message = "the " + name + " does not belong into version " + std::to_string(version);
      return util::Unexpected{PsbtError{PsbtErrorCode::WrongField, message}};
    }
    if (!key_holds(rule->key, field.key_data)) {
      return util::Unexpected{PsbtError{PsbtErrorCode::WrongField, "the key of the " + name + " is invalid"}};
    }
    if (!value_holds(rule->value, field.value)) {
      return util::Unexpected{PsbtError{PsbtErrorCode::WrongField, "the " + name + " has a wrong size or form"}};
    }
  }
  return {};
}

}  // namespace spv::wallet::spend
