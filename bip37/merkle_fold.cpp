#include "bip37/merkle_fold.h"

#include "bip37/merkle_shape.h"
#include "util/ensure.h"
#include "util/hash_batch.h"

namespace spv::bip37 {

MerkleFold fold_merkle_tree(std::vector<util::Hash256>& leaves) {
  util::ensure(!leaves.empty(), "a block has transactions");
  MerkleFold fold;
  for (std::size_t width = leaves.size(); width > 1; width = (width + 1) / 2) {
    for (std::size_t left = 0; left + 1 < width; left += 2) {
      fold.repeats = fold.repeats || leaves[left] == leaves[left + 1];
    }
    const util::Hash256 last = leaves[width - 1];
    util::sha256d_neighbours(leaves.data(), width / 2, leaves.data());
    if (width % 2 != 0) leaves[width / 2] = parent_of(last, last);
  }
  fold.root = leaves[0];
  return fold;
}

}  // namespace spv::bip37
