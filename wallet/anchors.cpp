#include "wallet/anchors.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

namespace spv::wallet {
namespace {

constexpr std::size_t kRecent = 12;
/// More ways to stand are not worth a search.
constexpr std::size_t kMaxKnown = 16;
constexpr int kMaxBucket = static_cast<int>(kMaxAnchors - kRecent) - 1;

using ByHeight = std::map<chain::Height, chain::BlockHash>;

void add(ByHeight& anchors, const chain::BlockRef& block, chain::Height top) {
  if (block.height >= 0 && block.height <= top && !block.hash.is_zero()) anchors[block.height] = block.hash;
}

}  // namespace

Anchors::Anchors(Blocks blocks) {
  if (!blocks.empty()) blocks_ = std::make_shared<const Blocks>(std::move(blocks));
}

const Anchors::Blocks& Anchors::blocks() const {
  static const Blocks kNone;
  return blocks_ ? *blocks_ : kNone;
}

Anchors Anchors::up_to(chain::Height height) const {
  const auto is_above = [&](const chain::BlockRef& block) { return block.height > height; };
  if (std::ranges::none_of(blocks(), is_above)) return *this;
  Blocks kept = blocks();
  std::erase_if(kept, is_above);
  return kept;
}

Anchors updated_anchors(const Anchors& before, const Anchors& added, const chain::BlockRef& top) {
  ByHeight all;
  for (const auto& block : before) add(all, block, top.height);
  for (const auto& block : added) add(all, block, top.height);
  add(all, top, top.height);

  Anchors::Blocks kept;
  std::size_t older = all.size() > kRecent ? all.size() - kRecent : 0;
  std::set<int> buckets;
  for (const auto& [height, hash] : all) {
    if (older > 0) {
      --older;
      // The lowest of each bucket stays until it has moved on to the next: so the far ones are never used up.
      const auto bucket = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(top.height - height)));
      if (!buckets.insert(std::min(bucket, kMaxBucket)).second) continue;
    }
    kept.push_back({.height = height, .hash = hash});
  }
  return kept;
}

Anchors AnchorUpdates::updated(const Anchors& before, const Anchors& added, const chain::BlockRef& top) {
  if (std::exchange(top_, top) != top) known_.clear();
  const auto known = std::ranges::find_if(
      known_, [&](const Update& update) { return update.before == before && update.added == added; });
  if (known != known_.end()) return known->after;
  if (known_.size() == kMaxKnown) known_.clear();
  known_.push_back({.before = before, .added = added, .after = updated_anchors(before, added, top)});
  return known_.back().after;
}

}  // namespace spv::wallet
