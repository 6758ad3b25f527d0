// What recent blocks earned in fees, from their coinbase: its outputs less the subsidy. No proof says that a coinbase
// belongs to its block, so it is a peer's word: checked for sense, bounded, and of all blocks only the median counts.
// The size of a block is not known either: each is taken as full. Where blocks are not full the rate comes out too
// low, and then the floor that peers announce is enough to get into one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/params.h"
#include "chain/transaction.h"

namespace spv::sync {

struct FeeEstimate {
  std::int64_t sat_per_kvb = 0;
  std::size_t blocks = 0;
};

/// The virtual size of a full block (BIP141).
inline constexpr std::int64_t kFullBlockBytes = 1'000'000;
/// More than that is a lie, or somebody's accident.
inline constexpr chain::Amount kMaxBlockFees = 50 * chain::kCoin;
/// A coinbase may be larger, but none is.
inline constexpr std::size_t kMaxCoinbaseBytes = 100'000;
/// A median of less says nothing.
inline constexpr std::size_t kMinFeeBlocks = 3;

/// What the block at this height earned; nothing if that cannot be its coinbase.
std::optional<chain::Amount> fees_claimed(const chain::Transaction& coinbase, chain::Height height,
                                          const chain::NetworkParams& params);
/// From what some blocks earned; nothing if there are too few, or they earned nothing.
std::optional<FeeEstimate> estimate_fees(std::vector<chain::Amount> earned);

}  // namespace spv::sync
