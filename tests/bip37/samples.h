// Blocks and merkleblocks as the tests of this folder need them, and one small real block.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bip37/bloom_filter.h"
#include "bip37/partial_merkle_tree.h"
#include "chain/block_header.h"
#include "chain/transaction.h"
#include "tests/support/long_tests.h"
#include "tests/support/vectors.h"
#include "util/rng.h"

namespace spv::test {

struct SampleBlock {
  chain::BlockHeader header;
  std::vector<chain::Transaction> txs;
  std::vector<chain::Txid> txids;
};
/// Reads a whole block; a broken one is a mistake in a test.
SampleBlock parse_block(util::ByteView bytes);

struct MerkleBlock {
  chain::BlockHeader header;
  bip37::PartialMerkleTree tree;
  friend bool operator==(const MerkleBlock&, const MerkleBlock&) = default;
};
/// Nothing if the bytes are short, too many, or not canonical.
std::optional<MerkleBlock> parse_merkle_block(util::ByteView bytes);
/// The transactions that the filter picks from a block, in its order, and what a node would send for them.
struct Filtered {
  std::vector<bool> matched;
  MerkleBlock proof;
};
Filtered filter_block(const SampleBlock& block, bip37::BloomFilter& filter);

/// A mainnet block of January 2009 with four transactions: the third spends both outputs of the second, the fourth
/// both of the third (Core's merkle_block_2).
util::Bytes small_block_bytes();

/// Bytes of a hex literal.
inline util::Bytes from_hex(std::string_view text) { return hex(text); }
/// The reason for which a proof is refused; a proof that is accepted fails the test.
bip37::MerkleError error_of(const bip37::PartialMerkleTree& tree);
/// True if the proof is accepted and comes to the root, as for a header that has it.
bool proves(const bip37::PartialMerkleTree& tree, const chain::MerkleRoot& root);
/// The proof that `leaf` is at `index`, by its siblings from below; those beyond an odd edge are passed over.
bip37::PartialMerkleTree proof_by_branch(const util::Hash256& leaf, std::uint32_t index,
                                         const std::vector<util::Hash256>& branch, std::uint32_t transactions);

util::Bytes payload(const bip37::BloomFilter& filter);
std::vector<chain::Txid> random_txids(std::size_t count, util::Rng& rng);
/// `thorough` in every run but one with a sanitizer, which makes it slow: there as repeats(). `usual` where
/// SPV_QUICK_TESTS is set.
std::uint64_t quick_repeats(std::uint64_t usual, std::uint64_t thorough);
std::vector<bool> random_marks(std::size_t count, std::size_t marks, util::Rng& rng);

}  // namespace spv::test
