// The small types that every layer above speaks in.
#pragma once

#include <cstdint>

#include "util/hash256.h"

namespace spv::chain {

using util::BlockHash;
using util::MerkleRoot;
using util::Txid;
using util::Wtxid;

/// A block's distance from genesis; -1 where there is no block.
using Height = std::int32_t;

/// Satoshis. Signed: net effects are negative.
using Amount = std::int64_t;
inline constexpr Amount kCoin = 100'000'000;
/// No valid amount or sum of amounts is above this.
inline constexpr Amount kMaxMoney = 21'000'000 * kCoin;
constexpr bool is_money(Amount amount) { return amount >= 0 && amount <= kMaxMoney; }

/// A coinbase output can be spent in the block this many heights above its own, and no earlier.
inline constexpr Height kCoinbaseMaturity = 100;

/// One block of the chain, named so that a reorganisation is noticed.
struct BlockRef {
  Height height = -1;
  BlockHash hash;
  friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

}  // namespace spv::chain
