#include "store/chain_view.h"

#include <algorithm>
#include <limits>

#include "store/checks.h"

namespace spv::store {

bool is_news(const ChainView& view, const std::optional<ToldTip>& told) { return !told || view.work > told->work; }

bool is_on_chain(const ChainView& view, const chain::BlockRef& block) {
  if (block.height > view.tip.height) return false;
  const auto hash = view.hash_at(block.height);
  return !hash || *hash == block.hash;
}

chain::Height fork_below(const ChainView& view, const std::vector<chain::BlockRef>& told) {
  const auto found = std::ranges::find_if(told, [&](const auto& block) { return is_on_chain(view, block); });
  if (found != told.end()) return found->height;
  return told.empty() ? 0 : std::max(told.back().height - 1, 0);
}

std::vector<chain::BlockRef> blocks_above(const ChainView& view, chain::Height height) {
  std::vector<chain::BlockRef> out;
  for (auto at = std::max({height + 1, view.tip.height - kToldBlocks + 1, 0}); at <= view.tip.height; ++at) {
    if (const auto hash = view.hash_at(at)) out.push_back({.height = at, .hash = *hash});
  }
  return out;
}

std::vector<EventData> chain_events(const ChainView& view, const std::optional<ToldTip>& told,
                                    std::optional<chain::Height> fork) {
  std::vector<EventData> out;
  if (told && fork) out.emplace_back(ReorgEvent{told->block.hash, view.tip.hash, *fork});
  out.emplace_back(TipEvent{view.tip});
  return out;
}

chain::BlockRef checked_block(std::int64_t height, util::ByteView hash) {
  chain::BlockRef block;
  require_sound(
      height >= 0 && height <= std::numeric_limits<chain::Height>::max() && hash.size() == block.hash.bytes.size(),
      "a block that was told");
  block.height = static_cast<chain::Height>(height);
  std::ranges::copy(hash, block.hash.bytes.begin());
  return block;
}

ToldTip checked_tip(std::int64_t height, util::ByteView hash, std::string_view work) {
  const auto number = chain::Uint256::from_hex(work);
  require_sound(number.has_value(), "the work of a block that was told");
  return {.block = checked_block(height, hash), .work = *number};
}

}  // namespace spv::store
