#include "wallet/spend/seed_keys.h"

#include <algorithm>

#include "wallet/spend/private_signature.h"

namespace spv::wallet::spend {
namespace {

/// A wallet has two chains a script type; a PSBT that names more parents than this costs time, not memory.
constexpr std::size_t kMaxParents = 64;

/// Whether the public half of a key is the one that a script names, in whichever form.
bool is_public_half(const PrivateKey& key, util::ByteView named) {
  const auto point = PublicKey::of(key);
  if (!point) return false;
  const CompressedKey compressed = point->compressed();
  if (named.size() == 32) return std::ranges::equal(util::ByteView(compressed).subspan(1), named);
  if (named.size() == 65) return std::ranges::equal(point->uncompressed(), named);
  return std::ranges::equal(compressed, named);
}

}  // namespace

const ExtendedPrivateKey* SeedKeys::parent_of(const KeyPath& path) const {
  const KeyPath above(path.begin(), path.end() - 1);
  if (const auto found = parents_.find(above); found != parents_.end()) return &found->second;
  const auto parent = master_.descend(above);
  if (!parent) return nullptr;
  if (parents_.size() == kMaxParents) parents_.clear();
  return &parents_.emplace(above, *parent).first->second;
}

std::optional<PrivateKey> SeedKeys::find(const SpendKey& key) const {
  if (!key.origin || key.origin->fingerprint != fingerprint_ || key.origin->path.size() > kMaxDepth) {
    return std::nullopt;
  }
  const KeyPath& path = key.origin->path;
  PrivateKey found = master_.key();
  if (!path.empty()) {
    const ExtendedPrivateKey* parent = parent_of(path);
    const auto child = parent != nullptr ? parent->child(path.back()) : std::nullopt;
    if (!child) return std::nullopt;
    found = child->key();
  }
  if (!is_public_half(found, key.public_key)) return std::nullopt;
  return found;
}

std::optional<util::Bytes> SeedKeys::ecdsa(const SpendKey& key, const util::Hash256& digest) const {
  const auto found = find(key);
  if (!found) return std::nullopt;
  return sign_ecdsa(*found, digest);
}

std::optional<std::array<std::uint8_t, 64>> SeedKeys::schnorr(const SpendKey& key, const util::Hash256& digest) const {
  const auto internal = find(key);
  const auto output = internal ? taproot_private_key(*internal) : std::nullopt;
  if (!output) return std::nullopt;
  return sign_schnorr(*output, digest);
}

}  // namespace spv::wallet::spend
