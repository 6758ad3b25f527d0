#include "sync/scan/source_choice.h"

#include "p2p/net_address.h"

namespace spv::sync {

bool is_local(const PeerAddress& address) {
  if (address.host == "localhost") return true;
  const auto parsed = p2p::parse_net_address(address.host, address.port);
  return parsed && !p2p::is_public(*parsed);
}

SourceChoice::Pick SourceChoice::pick(const LanePace& filtered, const LanePace& whole, bool may_whole) const {
  if (!can_filter_) return {.kind = BlockKind::Whole};
  if (mode_ == SourceMode::Filter || !may_whole) return {.kind = BlockKind::Filtered};
  if (filtered_asked_ < kTrial) return {.kind = BlockKind::Filtered, .most = kTrial - filtered_asked_};
  if (whole_asked_ < kTrial) return {.kind = BlockKind::Whole, .most = kTrial - whole_asked_};
  if (!filtered.block_time() || !whole.block_time()) return {.kind = BlockKind::Filtered};
  return {.kind = *whole.block_time() < *filtered.block_time() ? BlockKind::Whole : BlockKind::Filtered};
}

void SourceChoice::begin_trial(BlockKind kind) {
  asked(kind) = 0;
  since_trial_ = 0;
}

void SourceChoice::on_asked(BlockKind kind, std::size_t blocks) {
  asked(kind) += blocks;
  since_trial_ += blocks;
}

}  // namespace spv::sync
