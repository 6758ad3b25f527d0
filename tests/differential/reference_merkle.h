// The partial merkle tree of BIP37 once more: recursive, from the description in the BIP, with whole lists copied at
// every step. Shares no code with bip37/.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bip37/partial_merkle_tree.h"
#include "util/hash256.h"

namespace spv::reference {

struct Extracted {
  util::Hash256 root;
  std::vector<std::pair<std::uint32_t, util::Hash256>> matches;
  // What BIP37 leaves open and we refuse:
  bool has_padding = false;        // a bit behind the last one used is set
  bool opens_in_vain = false;      // a branch is opened although nothing in it matches
  bool holds_transaction = false;  // two children side by side read as a transaction of 64 bytes (CVE-2017-12842)
};

/// What a node that knows BIP37 makes of the tree; nothing if it is bad.
std::optional<Extracted> extract(const bip37::PartialMerkleTree& tree);
/// The tree for these leaves and marks, as many as there are leaves and at least one.
bip37::PartialMerkleTree build(const std::vector<util::Hash256>& leaves, const std::vector<bool>& marks);
util::Hash256 merkle_root(const std::vector<util::Hash256>& leaves);

}  // namespace spv::reference
