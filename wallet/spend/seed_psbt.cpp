#include "wallet/spend/seed_psbt.h"

#include <algorithm>

namespace spv::wallet::spend {

bool SeedPsbt::derives(const SpendKey& key) const {
  if (!key.origin || !is_ours(key.origin->fingerprint)) return false;
  const auto derived = master_.descend(key.origin->path);
  if (!derived) return false;
  const CompressedKey compressed = derived->to_public().key().compressed();
  if (key.public_key.size() == 32) return std::ranges::equal(key.public_key, util::ByteView(compressed).subspan(1));
  if (key.public_key.size() == compressed.size()) return std::ranges::equal(key.public_key, compressed);
  return std::ranges::equal(key.public_key, derived->to_public().key().uncompressed());
}

}  // namespace spv::wallet::spend
