#include "sync/engine/lane_rules.h"

namespace spv::sync {

LaneUse lane_use(const Peer& peer, const SourceOptions& source) {
  return {.filtered = source.mode != SourceMode::Blocks && peer.offers_bloom(), .local = is_local(peer.address)};
}

bool can_serve(const LaneUse& use, const SourceOptions& source) {
  if (use.filtered || source.mode == SourceMode::Blocks) return true;
  return source.mode == SourceMode::Auto && (use.local || source.max_download > 0);
}

}  // namespace spv::sync
