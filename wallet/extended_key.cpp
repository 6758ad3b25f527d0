#include "wallet/extended_key.h"

#include <algorithm>

#include "util/ensure.h"
#include "util/hash.h"

namespace spv::wallet {
namespace {

/// HMAC-SHA512 over key or point and child number: what is added to the parent, and the child's chain code.
struct ChildSecret {
  util::SecretArray<32> tweak;
  util::SecretArray<32> chain_code;
};

ChildSecret split_hmac(util::ByteView key, util::ByteView data) {
  util::SecretArray<64> hash;
  hash.bytes = util::hmac_sha512(key, data);
  ChildSecret out;
  std::copy_n(hash.bytes.begin(), 32, out.tweak.bytes.begin());
  std::copy_n(hash.bytes.begin() + 32, 32, out.chain_code.bytes.begin());
  return out;
}

/// `key` is 33 bytes: a compressed point, or zero and a private key for hardened children.
ChildSecret child_secret(util::ByteView chain_code, util::ByteView key, std::uint32_t index) {
  util::SecretArray<37> data;
  std::copy(key.begin(), key.end(), data.bytes.begin());
  for (unsigned i = 0; i < 4; ++i) data.bytes[33 + i] = static_cast<std::uint8_t>((index >> (24U - 8U * i)) & 0xFFU);
  return split_hmac(chain_code, data.view());
}

template <typename Key>
std::optional<Key> descend_from(const Key& root, const KeyPath& path) {
  std::optional<Key> key = root;
  for (const std::uint32_t step : path) {
    key = key->child(step);
    if (!key) return std::nullopt;
  }
  return key;
}

}  // namespace

std::string to_string(const KeyPath& path, char hardened_mark) {
  std::string out;
  for (const std::uint32_t step : path) {
    out += '/' + std::to_string(step & ~kHardened);
    if (step >= kHardened) out += hardened_mark;
  }
  return out;
}

std::optional<PublicKey> ExtendedPublicKey::child_key(std::uint32_t index, const GeneratorTable* table) const {
  util::ensure(index < kHardened, "a public key has no hardened children");
  return key_.plus(child_secret(chain_code_, serialized_, index).tweak.view(), table);
}

std::optional<ExtendedPublicKey> ExtendedPublicKey::child(std::uint32_t index) const {
  util::ensure(index < kHardened, "a public key has no hardened children");
  if (position_.depth == kMaxDepth) return std::nullopt;
  const ChildSecret secret = child_secret(chain_code_, serialized_, index);
  const auto key = key_.plus(secret.tweak.view());
  if (!key) return std::nullopt;
  const auto depth = static_cast<std::uint8_t>(position_.depth + 1);
  return ExtendedPublicKey(*key, secret.chain_code.bytes, {depth, fingerprint(), index});
}

std::optional<ExtendedPublicKey> ExtendedPublicKey::descend(const KeyPath& path) const {
  return descend_from(*this, path);
}

Fingerprint ExtendedPublicKey::fingerprint() const {
  const util::Hash160 hash = util::hash160(serialized_);
  Fingerprint out{};
  std::copy_n(hash.begin(), out.size(), out.begin());
  return out;
}

std::optional<ExtendedPrivateKey> ExtendedPrivateKey::from_seed(util::ByteView seed) {
  const ChildSecret secret = split_hmac(util::as_bytes("Bitcoin seed"), seed);
  if (!is_valid(secret.tweak)) return std::nullopt;
  return ExtendedPrivateKey(secret.tweak, secret.chain_code, {});
}

std::optional<ExtendedPrivateKey> ExtendedPrivateKey::child(std::uint32_t index) const {
  if (position_.depth == kMaxDepth) return std::nullopt;
  const ExtendedPublicKey own = to_public();  // costs most of it all: once
  util::SecretArray<33> input;
  if (index >= kHardened) {
    std::copy(key_.bytes.begin(), key_.bytes.end(), input.bytes.begin() + 1);
  } else {
    input.bytes = own.key().compressed();
  }
  const ChildSecret secret = child_secret(chain_code_.view(), input.view(), index);
  const auto key = tweak_add(key_, secret.tweak.view());
  if (!key) return std::nullopt;
  const auto depth = static_cast<std::uint8_t>(position_.depth + 1);
  return ExtendedPrivateKey(*key, secret.chain_code, {depth, own.fingerprint(), index});
}

std::optional<ExtendedPrivateKey> ExtendedPrivateKey::descend(const KeyPath& path) const {
  return descend_from(*this, path);
}

ExtendedPublicKey ExtendedPrivateKey::to_public() const {
  const auto point = PublicKey::of(key_);
  util::ensure(point.has_value(), "an extended private key is valid");
  return {*point, chain_code_.bytes, position_};
}

}  // namespace spv::wallet
