// The text form of extended keys: 78 bytes in Base58Check, of which the first four name network and kind.
#include <algorithm>
#include <array>

#include "util/ensure.h"
#include "util/secret.h"
#include "wallet/base58.h"
#include "wallet/extended_key.h"

namespace spv::wallet {
namespace {

constexpr std::size_t kPayloadSize = 78;
constexpr std::size_t kDepthOffset = 4;
constexpr std::size_t kParentOffset = 5;
constexpr std::size_t kChildOffset = 9;
constexpr std::size_t kChainCodeOffset = 13;
constexpr std::size_t kKeyOffset = 45;

constexpr std::uint32_t kXpub = 0x0488B21E;
constexpr std::uint32_t kTpub = 0x043587CF;

struct Version {
  std::uint32_t number;
  ExtendedKeyPrefix prefix;
};

constexpr ExtendedKeyPrefix bip32(std::string_view name, bool is_private, bool is_main) {
  return {name, is_private, is_main, false, std::nullopt};
}
constexpr ExtendedKeyPrefix slip132(std::string_view name, bool is_private, bool is_main,
                                    std::optional<ScriptKind> implies) {
  return {name, is_private, is_main, true, implies};
}

// SLIP-132's upper-case forms are for keys of a multisig, which no single-key script fits.
constexpr std::array kVersions{
    Version{kXpub, bip32("xpub", false, true)},
    Version{0x0488ADE4, bip32("xprv", true, true)},
    Version{kTpub, bip32("tpub", false, false)},
    Version{0x04358394, bip32("tprv", true, false)},
    Version{0x049D7CB2, slip132("ypub", false, true, ScriptKind::ShWpkh)},
    Version{0x049D7878, slip132("yprv", true, true, ScriptKind::ShWpkh)},
    Version{0x04B24746, slip132("zpub", false, true, ScriptKind::Wpkh)},
    Version{0x04B2430C, slip132("zprv", true, true, ScriptKind::Wpkh)},
    Version{0x044A5262, slip132("upub", false, false, ScriptKind::ShWpkh)},
    Version{0x044A4E28, slip132("uprv", true, false, ScriptKind::ShWpkh)},
    Version{0x045F1CF6, slip132("vpub", false, false, ScriptKind::Wpkh)},
    Version{0x045F18BC, slip132("vprv", true, false, ScriptKind::Wpkh)},
    Version{0x0295B43F, slip132("Ypub", false, true, std::nullopt)},
    Version{0x0295B005, slip132("Yprv", true, true, std::nullopt)},
    Version{0x02AA7ED3, slip132("Zpub", false, true, std::nullopt)},
    Version{0x02AA7A99, slip132("Zprv", true, true, std::nullopt)},
    Version{0x024289EF, slip132("Upub", false, false, std::nullopt)},
    Version{0x024285B5, slip132("Uprv", true, false, std::nullopt)},
    Version{0x02575483, slip132("Vpub", false, false, std::nullopt)},
    Version{0x02575048, slip132("Vprv", true, false, std::nullopt)},
};

util::Unexpected<ExtendedKeyError> error(std::string message) {
  return util::Unexpected{ExtendedKeyError{std::move(message)}};
}

std::uint32_t big_endian32(util::ByteView bytes, std::size_t offset) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = (out << 8U) | bytes[offset + i];
  return out;
}

void put_big_endian32(std::uint32_t value, std::uint8_t* out) {
  for (unsigned i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>((value >> (24U - 8U * i)) & 0xFFU);
}

const ExtendedKeyPrefix* find_prefix(util::ByteView payload) {
  const auto found =
      std::ranges::find(kVersions, big_endian32(payload, 0), [](const Version& version) { return version.number; });
  return found == kVersions.end() ? nullptr : &found->prefix;
}

util::Expected<util::SecretBytes, ExtendedKeyError> decode(std::string_view text) {
  auto payload = base58check_decode(text, kPayloadSize);
  if (payload && payload->size() == kPayloadSize) return std::move(*payload);
  if (!payload && payload.error() == Base58Error::BadChecksum) {
    return error("the checksum of the extended key is wrong: a character is mistyped or missing");
  }
  if (!payload && payload.error() == Base58Error::BadCharacter) {
    return error("invalid extended key: it contains a character that Base58 does not use");
  }
  return error("invalid extended key: wrong length (an xpub or tpub has 111 characters)");
}

std::string other_network(const ExtendedKeyPrefix& found, const chain::NetworkParams& params) {
  const bool on_main = params.xpub_version == kXpub;
  return "this " + std::string(found.name) + " is a key of " + (found.is_main ? "main" : "the test networks") +
         ", but the wallet is on " + std::string(params.name) + ", where keys begin with " +
         (on_main ? "xpub" : "tpub");
}

/// The checks on the first four bytes, for a reader that wants `version`.
util::Expected<void, ExtendedKeyError> check_version(util::ByteView payload, bool want_private,
                                                     const chain::NetworkParams& params) {
  if (big_endian32(payload, 0) == (want_private ? params.xprv_version : params.xpub_version)) return {};
  const ExtendedKeyPrefix* found = find_prefix(payload);
  if (found == nullptr) return error("this extended key has a version that no Bitcoin network uses");
  const std::string name(found->name);
  if (found->is_private && !want_private) {
    return error("this " + name + " is a private key; give the public key");
  }
  if (!found->is_private && want_private) return error("this " + name + " is a public key; a private one is needed");
  if (found->is_main != (params.xpub_version == kXpub)) return error(other_network(*found, params));
  if (found->is_slip132) {
    return error("this " + name + " is a SLIP-132 key, which implies a script type: convert it to " +
                 (found->is_main ? "xpub" : "tpub") + " and give the script type");
  }
  return error("this extended key has a version that the network does not use");
}

util::Expected<KeyPosition, ExtendedKeyError> read_position(util::ByteView payload) {
  KeyPosition position{.depth = payload[kDepthOffset], .child_number = big_endian32(payload, kChildOffset)};
  std::copy_n(payload.begin() + kParentOffset, position.parent.size(), position.parent.begin());
  if (position.depth == 0 && position.parent != Fingerprint{}) {
    return error("this extended key is invalid: depth zero but a parent fingerprint");
  }
  if (position.depth == 0 && position.child_number != 0) {
    return error("this extended key is invalid: depth zero but a child number");
  }
  return position;
}

/// Version, position and chain code; the 33 bytes of the key are left to the caller.
util::SecretArray<kPayloadSize> payload_of(std::uint32_t version, const KeyPosition& position,
                                           util::ByteView chain_code) {
  util::SecretArray<kPayloadSize> out;
  put_big_endian32(version, out.bytes.data());
  out.bytes[kDepthOffset] = position.depth;
  std::ranges::copy(position.parent, out.bytes.begin() + kParentOffset);
  put_big_endian32(position.child_number, out.bytes.data() + kChildOffset);
  std::ranges::copy(chain_code, out.bytes.begin() + kChainCodeOffset);
  return out;
}

/// What both kinds of key have in common, checked; the 33 bytes of the key are left to the caller.
struct Payload {
  util::SecretBytes bytes;
  KeyPosition position;

  [[nodiscard]] util::ByteView chain_code() const {
    return util::ByteView(bytes).subspan(kChainCodeOffset, kKeyOffset - kChainCodeOffset);
  }
};

util::Expected<Payload, ExtendedKeyError> read_payload(std::string_view text, bool want_private,
                                                       const chain::NetworkParams& params) {
  auto bytes = decode(text);
  if (!bytes) return util::Unexpected{bytes.error()};
  if (const auto version = check_version(*bytes, want_private, params); !version) {
    return util::Unexpected{version.error()};
  }
  const auto position = read_position(*bytes);
  if (!position) return util::Unexpected{position.error()};
  return Payload{std::move(*bytes), *position};
}

util::Expected<PublicKey, ExtendedKeyError> read_public_key(util::ByteView payload) {
  const auto key = PublicKey::parse(payload.subspan(kKeyOffset));
  if (!key) return error("this extended key is invalid: it is not a point on the curve");
  return *key;
}

}  // namespace

util::Expected<ExtendedPublicKey, ExtendedKeyError> ExtendedPublicKey::parse(std::string_view text,
                                                                             const chain::NetworkParams& params) {
  const auto payload = read_payload(text, false, params);
  if (!payload) return util::Unexpected{payload.error()};
  const auto key = read_public_key(payload->bytes);
  if (!key) return util::Unexpected{key.error()};
  ChainCode chain_code{};
  std::ranges::copy(payload->chain_code(), chain_code.begin());
  return ExtendedPublicKey(*key, chain_code, payload->position);
}

std::string ExtendedPublicKey::to_string(const chain::NetworkParams& params) const {
  auto payload = payload_of(params.xpub_version, position_, chain_code_);
  std::ranges::copy(serialized_, payload.bytes.begin() + kKeyOffset);
  return base58check_encode(payload.view());
}

util::Expected<ExtendedPrivateKey, ExtendedKeyError> ExtendedPrivateKey::parse(std::string_view text,
                                                                               const chain::NetworkParams& params) {
  const auto payload = read_payload(text, true, params);
  if (!payload) return util::Unexpected{payload.error()};
  const util::ByteView bytes(payload->bytes);
  if (bytes[kKeyOffset] != 0) return error("this extended key is invalid: a private key starts with a zero byte");
  PrivateKey key;
  std::copy(bytes.begin() + kKeyOffset + 1, bytes.end(), key.bytes.begin());
  if (!is_valid(key)) return error("this extended key is invalid: its private key is not between 1 and n-1");
  util::SecretArray<32> chain_code;
  std::ranges::copy(payload->chain_code(), chain_code.bytes.begin());
  return ExtendedPrivateKey(key, chain_code, payload->position);
}

util::SecretBytes ExtendedPrivateKey::to_text(const chain::NetworkParams& params) const {
  auto payload = payload_of(params.xprv_version, position_, chain_code_.view());
  std::ranges::copy(key_.bytes, payload.bytes.begin() + kKeyOffset + 1);
  return base58check_encode_secret(payload.view());
}

std::optional<ExtendedKeyPrefix> extended_key_prefix(std::string_view text) {
  const auto payload = decode(text);
  if (!payload) return std::nullopt;
  const ExtendedKeyPrefix* found = find_prefix(*payload);
  if (found == nullptr) return std::nullopt;
  return *found;
}

util::Expected<std::string, ExtendedKeyError> to_bip32_prefix(std::string_view text) {
  auto payload = decode(text);
  if (!payload) return util::Unexpected{payload.error()};
  const ExtendedKeyPrefix* found = find_prefix(*payload);
  if (found == nullptr) return error("this extended key has a version that no Bitcoin network uses");
  if (found->is_private) {
    return error("this " + std::string(found->name) + " is a private key; give the public key");
  }
  put_big_endian32(found->is_main ? kXpub : kTpub, payload->data());
  return base58check_encode(*payload);
}

}  // namespace spv::wallet
