// What our reading of a partial merkle tree must have in common with a second implementation's.
#pragma once

#include "bip37/partial_merkle_tree.h"
#include "tests/differential/reference_merkle.h"
#include "util/ensure.h"

namespace spv::fuzz {

/// Reads a tree both ways and compares; gives what we read.
inline util::Expected<bip37::Matches, bip37::MerkleError> check_tree(const bip37::PartialMerkleTree& tree) {
  auto ours = bip37::extract_matches(tree);
  const auto theirs = reference::extract(tree);
  if (!ours) {
    const bool stricter = theirs && (theirs->has_padding || theirs->opens_in_vain || theirs->holds_transaction);
    util::ensure(!theirs || stricter, "an honest proof is refused");
    return ours;
  }
  util::ensure(theirs && !theirs->has_padding && !theirs->opens_in_vain, "a bad proof is taken");
  util::ensure(ours->root.bytes == theirs->root.bytes, "another root");
  util::ensure(ours->matches.size() == theirs->matches.size(), "another number of matches");
  for (std::size_t i = 0; i < ours->matches.size(); ++i) {
    util::ensure(ours->matches[i].index == theirs->matches[i].first, "a match at another place");
    util::ensure(ours->matches[i].txid.bytes == theirs->matches[i].second.bytes, "another match");
    util::ensure(ours->matches[i].index < tree.transactions, "a match outside of the block");
  }
  return ours;
}

}  // namespace spv::fuzz
