// The partial merkle tree of a merkleblock (BIP37): which transactions of a block matched, and the proof.
// Every check of CVE-2012-2459 and CVE-2017-12842 that a light client can make is made here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chain/types.h"
#include "util/bytes.h"
#include "util/codec.h"
#include "util/expected.h"

namespace spv::bip37 {

/// 4,000,000 weight units / 240: no block has more transactions.
inline constexpr std::uint32_t kMaxBlockTransactions = 16'666;

struct PartialMerkleTree {
  std::uint32_t transactions = 0;
  std::vector<util::Hash256> hashes;
  util::Bytes flags;  // one bit a node, depth first, least significant bit first

  void encode(util::Writer& out) const;
  static PartialMerkleTree decode(util::Reader& in);
  friend bool operator==(const PartialMerkleTree&, const PartialMerkleTree&) = default;
};

/// A transaction that the proof places in the block.
struct Match {
  std::uint32_t index = 0;
  chain::Txid txid;
  friend bool operator==(const Match&, const Match&) = default;
};

struct Matches {
  chain::MerkleRoot root;
  std::vector<Match> matches;  // in block order
};

enum class MerkleError {
  NoTransactions,
  TooManyTransactions,
  TooManyHashes,
  TooFewBits,
  BitsExhausted,
  HashesExhausted,
  UnusedBits,
  UnusedHashes,
  NonZeroPadding,
  DuplicateBranch,         // CVE-2012-2459
  InnerNodeIsTransaction,  // CVE-2017-12842
};
std::string_view to_string(MerkleError error);

/// The root that the tree comes to and the transactions that it marks. The caller compares the root with its header's.
util::Expected<Matches, MerkleError> extract_matches(const PartialMerkleTree& tree);

/// The tree that a node would send for these transactions and marks (equal in size).
PartialMerkleTree build_partial_tree(const std::vector<chain::Txid>& txids, const std::vector<bool>& matched);

/// The merkle root of all transactions of a block.
chain::MerkleRoot merkle_root(const std::vector<chain::Txid>& txids);

}  // namespace spv::bip37
