#include "sync/scan/methods/compact_blocks.h"

#include "util/ensure.h"

namespace spv::sync {

p2p::Message CompactBlocks::ask(const std::vector<chain::BlockRef>& blocks) const {
  const auto length = static_cast<std::size_t>(blocks.back().height - blocks.front().height) + 1;
  util::ensure(scan_ != nullptr && length == blocks.size(), "filters are asked for in one range");
  return p2p::GetCFilters{{bip158::kBasicType, static_cast<std::uint32_t>(blocks.front().height), blocks.back().hash}};
}

LaneStep CompactBlocks::on(const p2p::CFilter& message, RequestQueue& queue, util::Now now) {
  const auto number = queue.find(message.block, BlockKind::Compact);
  if (!number) return {};
  if (message.filter_type != bip158::kBasicType) return {.fault = DisconnectReason::BadFilter, .taken = true};
  if (const auto fault = queue.on_answer(*number, now)) return {.fault = fault, .taken = true};
  PendingBlock& request = queue.at(*number);
  if (!request.counts) return {.taken = true};
  const auto found = scan_->look_at(request.result.block, message.filter);
  if (!found) return {.fault = found.error(), .taken = true};
  request.result.needs_whole = *found;
  return {.taken = true};
}

}  // namespace spv::sync
