// The root of a whole block's merkle tree, computed in place, level by level.
#pragma once

#include <vector>

#include "util/hash256.h"

namespace spv::bip37 {

struct MerkleFold {
  util::Hash256 root;
  /// Two neighbours are equal somewhere: a list with a repeated tail has the root of the shorter one, so this may be
  /// one that no block has (CVE-2012-2459).
  bool repeats = false;
};

/// Folds the leaves (at least one), which are used up.
MerkleFold fold_merkle_tree(std::vector<util::Hash256>& leaves);

}  // namespace spv::bip37
