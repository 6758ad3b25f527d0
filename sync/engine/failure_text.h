// Why a sync could not be finished, in words for the user.
#pragma once

#include "chain/header_chain.h"
#include "sync/peers/peer_pool.h"
#include "sync/types/types.h"

namespace spv::sync {

/// No peer is left: what was wrong with those that we tried, and what to do about it.
Failure describe_failure(const PeerPool& pool, const chain::HeaderChain& chain);

}  // namespace spv::sync
