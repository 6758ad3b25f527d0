#include "wallet/anchors.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace spv::wallet {
namespace {

constexpr std::size_t kRecent = 12;
constexpr int kMaxBucket = static_cast<int>(kMaxAnchors - kRecent) - 1;

using ByHeight = std::map<chain::Height, chain::BlockHash>;

void add(ByHeight& anchors, const chain::BlockRef& block, chain::Height top) {
  if (block.height >= 0 && block.height <= top && !block.hash.is_zero()) anchors[block.height] = block.hash;
}

}  // namespace

std::vector<chain::BlockRef> updated_anchors(const ScanState& before, const ScanState& after) {
  const chain::Height top = after.scanned_to.height;
  ByHeight all;
  for (const auto& block : before.anchors) add(all, block, top);
  for (const auto& block : after.anchors) add(all, block, top);
  add(all, after.scanned_to, top);

  std::vector<chain::BlockRef> kept;
  std::size_t older = all.size() > kRecent ? all.size() - kRecent : 0;
  std::set<int> buckets;
  for (const auto& [height, hash] : all) {
    if (older > 0) {
      --older;
      // The lowest of each bucket stays until it has moved on to the next: so the far ones are never used up.
      const auto bucket = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(top - height)));
      if (!buckets.insert(std::min(bucket, kMaxBucket)).second) continue;
    }
    kept.push_back({.height = height, .hash = hash});
  }
  return kept;
}

}  // namespace spv::wallet
