// The hashes of many headers at once, which are quicker than one after the other.
#pragma once

#include <span>
#include <vector>

#include "chain/block_header.h"

namespace spv::chain {

/// The hash of each, in their order.
std::vector<BlockHash> hashes_of(std::span<const BlockHeader> headers);

}  // namespace spv::chain
