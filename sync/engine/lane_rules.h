// What a peer may be asked for, by what it offers and by what the user wants.
#pragma once

#include "sync/peers/peer_pool.h"
#include "sync/scan/source_choice.h"

namespace spv::sync {

/// How a ready peer can serve the scan.
LaneUse lane_use(const Peer& peer, const SourceOptions& source);
/// True if it can serve at all: with filters, or with whole blocks where those are wanted.
bool can_serve(const LaneUse& use, const SourceOptions& source);
/// True if it serves without bloom filters where we would rather have them: it may not keep one that offers them out.
bool is_makeshift(const LaneUse& use, const SourceOptions& source);

}  // namespace spv::sync
