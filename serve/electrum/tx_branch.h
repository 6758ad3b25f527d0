// TxBranch: where a block holds a transaction, and the merkle branch that proves it, out of the proof that came with
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bip37/partial_merkle_tree.h"
#include "chain/types.h"

namespace spv::serve::electrum {

struct TxBranch {
  std::uint32_t position = 0;
  std::vector<util::Hash256> branch;  // from the transaction up
  friend bool operator==(const TxBranch&, const TxBranch&) = default;
};

/// Of a tree that proves this transaction alone, see bip37::narrow_to(); nothing if it does not.
std::optional<TxBranch> branch_of(const bip37::PartialMerkleTree& tree, const chain::Txid& txid);

}  // namespace spv::serve::electrum
