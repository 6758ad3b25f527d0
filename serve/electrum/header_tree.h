// HeaderTree: the merkle tree over the hashes of all headers up to a height. Its branches prove headers to clients that
// have its root built in (the cp_height of the protocol).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "chain/types.h"
#include "util/hash256.h"

namespace spv::serve::electrum {

struct MerkleBranch {
  util::Hash256 root;
  std::vector<util::Hash256> branch;  // from the leaf up
  friend bool operator==(const MerkleBranch&, const MerkleBranch&) = default;
};

/// Of a list that is not empty. A node without a neighbour is its own.
MerkleBranch merkle_branch(std::vector<util::Hash256> leaves, std::size_t place);

class HeaderTree {
 public:
  /// So many hashes from a height on, or nothing if they are not all there.
  using Read = std::function<std::optional<std::vector<util::Hash256>>(chain::Height from, std::size_t count)>;

  /// Proves the header at `height` by the tree that ends at `last` (not below it). What lies at or below `settled` does
  /// not change any more: it is read once.
  std::optional<MerkleBranch> prove(chain::Height height, chain::Height last, chain::Height settled, const Read& read);

 private:
  static constexpr std::size_t kGroupLevels = 11;
  static constexpr std::size_t kGroup = std::size_t{1} << kGroupLevels;

  std::optional<util::Hash256> root_of(std::size_t group, std::size_t leaves, chain::Height settled, const Read& read);

  std::vector<util::Hash256> roots_;  // of the first groups, all settled
};

}  // namespace spv::serve::electrum
