// How far our headers can be relied on, and whether that is far enough for the wallet to be scanned.
#pragma once

#include "chain/header_chain.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

/// Up to here our headers are the true chain's: by the work behind them, or by a checkpoint above; -1: not at all.
chain::Height proven_height(const chain::HeaderChain& chain);

/// True if the wallet's place on our chain can be found: the headers reach as far as it has scanned, and its birthday.
/// `all_headers`: our peers have no more.
bool can_align(const Watcher& watcher, const chain::HeaderChain& chain, bool all_headers);

}  // namespace spv::sync
