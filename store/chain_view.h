// ChainView: the best chain as a process knows it, for Store::tell_tip(); and which events follow from it. Several
// processes share a log and come to a block at different times: the first one with more work than what was told last
// tells it, those that lag behind tell nothing.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "chain/types.h"
#include "chain/uint256.h"
#include "store/logged_event.h"

namespace spv::store {

struct ChainView {
  chain::BlockRef tip;
  chain::Uint256 work;  // of all blocks up to the tip
  /// Of its best chain; nothing for blocks that it does not know.
  std::function<std::optional<chain::BlockHash>(chain::Height)> hash_at;
};

/// The tip that was told last.
struct ToldTip {
  chain::BlockRef block;
  chain::Uint256 work;
};

/// Of the chain that was told so many of the last blocks are kept: where a reorganisation begins is found by them.
inline constexpr chain::Height kToldBlocks = 2'016;

[[nodiscard]] bool is_news(const ChainView& view, const std::optional<ToldTip>& told);
/// True also for a block below all that the process knows: its headers may begin above it.
[[nodiscard]] bool is_on_chain(const ChainView& view, const chain::BlockRef& block);
/// The highest of these blocks that is on the chain; they are given from the highest down. Where none is, the block
/// below them.
[[nodiscard]] chain::Height fork_below(const ChainView& view, const std::vector<chain::BlockRef>& told);
/// What to keep: the blocks above this height, at most kToldBlocks of them.
[[nodiscard]] std::vector<chain::BlockRef> blocks_above(const ChainView& view, chain::Height height);
/// In order; `fork`: where the chain leaves the one that was told.
[[nodiscard]] std::vector<EventData> chain_events(const ChainView& view, const std::optional<ToldTip>& told,
                                                  std::optional<chain::Height> fork);

/// The values of a stored tip. Throws Corrupt.
[[nodiscard]] chain::BlockRef checked_block(std::int64_t height, util::ByteView hash);
[[nodiscard]] ToldTip checked_tip(std::int64_t height, util::ByteView hash, std::string_view work);

}  // namespace spv::store
