// ScannedBlock: a block that is proven and complete, however it was asked for: filtered by the peer (BIP37), or whole
// and matched here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "sync/types/types.h"
#include "sync/watch/watch_set.h"

namespace spv::sync {

/// What is asked for, and with it how the answer is proven.
enum class BlockKind {
  Filtered,  // a merkleblock: the peer picks, and proves what it has picked
  Whole,     // a block: all of it hashes to the header's root, and we pick
  Compact,   // its compact filter (BIP158): if that matches, the block is asked for whole
};

inline constexpr std::array kBlockKinds{BlockKind::Filtered, BlockKind::Whole, BlockKind::Compact};

/// One filterload, at whatever peer; never used twice.
using FilterEpoch = std::uint64_t;

/// One block asked for at one peer, under one filter unless it is asked for whole. A peer's numbers grow in the order
/// in which it serves.
struct RequestId {
  PeerId peer = 0;
  FilterEpoch epoch = 0;
  std::uint64_t number = 0;
  BlockKind kind = BlockKind::Filtered;
  friend bool operator==(const RequestId&, const RequestId&) = default;
};

/// A transaction that a proof places in a block.
struct ProvenTransaction {
  std::uint32_t index = 0;
  chain::Txid txid;
  chain::Transaction tx;
};

/// A block that is proven and complete.
struct ScannedBlock {
  RequestId request;
  chain::BlockRef block;
  std::uint32_t time = 0;
  std::uint32_t transactions = 0;  // how many the block has in all
  std::vector<ProvenTransaction> matched;
  std::size_t bytes = 0;     // of the matched transactions
  bool needs_whole = false;  // its compact filter matched: the block itself must be looked through
  util::Bytes proof;         // a merkleblock's payload; filled only if something matched
  /// All that a whole block spends, where it has to wait for others below it.
  std::vector<WatchSet::Fingerprint> spends;
};

}  // namespace spv::sync
