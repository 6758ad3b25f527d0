#include "sync/engine/lane_rules.h"

namespace spv::sync {

LaneUse lane_use(const Peer& peer, const SourceOptions& source) {
  const bool bloom = source.mode == SourceMode::Filter || source.mode == SourceMode::Auto;
  const bool compact =
      source.mode == SourceMode::Compact || source.mode == SourceMode::Auto || (bloom && source.or_compact);
  return {.filtered = bloom && peer.offers_bloom(),
          .local = is_local(peer.address),
          .compact = compact && peer.offers_compact_filters()};
}

bool can_serve(const LaneUse& use, const SourceOptions& source) {
  if (use.filtered || use.compact || source.mode == SourceMode::Blocks) return true;
  return source.mode == SourceMode::Auto && (use.local || source.max_download > 0);
}

bool is_makeshift(const LaneUse& use, const SourceOptions& source) {
  const bool bloom = source.mode == SourceMode::Filter || source.mode == SourceMode::Auto;
  return bloom && !use.filtered && !use.local;
}

}  // namespace spv::sync
