// What a user should know about a sync although it ended well, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chain/header_chain.h"
#include "sync/headers/header_sync.h"
#include "sync/peers/peer_pool.h"
#include "sync/scan/cross_check.h"
#include "util/time.h"

namespace spv::sync {

/// How far the blocks of a sync were checked by a second peer.
struct CheckedBlocks {
  CrossCheckMode mode = CrossCheckMode::Off;
  std::uint64_t filtered = 0;  // scanned by filters, of either kind
  std::uint64_t checked = 0;   // of those
};

/// "claims block 130, but serves headers only up to block 119 (another chain, or still syncing)"
std::string doubt_text(const HeaderSync::Claim& claim);

/// One sentence each. `birthday`: the first block that is to be scanned for any wallet.
std::vector<std::string> describe_warnings(const PeerPool& pool, const chain::HeaderChain& chain,
                                           const CheckedBlocks& blocks, chain::Height birthday, util::UnixTime now);

}  // namespace spv::sync
