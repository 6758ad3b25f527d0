// The partial merkle tree of a merkleblock (BIP37): which transactions of a block matched, and the proof.
// Every check of CVE-2012-2459 and CVE-2017-12842 that a light client can make is made here.
#pragma once

#include <cstdint>
#include <optional>
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

  /// The part of a `merkleblock` behind the header.
  void encode(util::Writer& out) const;
  /// Reads that part; on bad input the reader fails. Whether it proves anything is for extract_matches to say.
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
  MarkedWithoutMatch,      // a branch is opened although nothing in it matched: no node builds that
  DuplicateBranch,         // CVE-2012-2459
  InnerNodeIsTransaction,  // CVE-2017-12842
};
std::string_view to_string(MerkleError error);

/// The root that the tree comes to and the transactions that it marks. The caller compares the root with its header's.
/// What passes is the one encoding that build_partial_tree gives for that block and those marks. Allocates nothing but
/// the matches. InnerNodeIsTransaction can in principle strike an honest proof: by chance once in 10^9 matched
/// transactions, or because someone ground two neighbouring txids for it (2^22 hashes, and both in the block). So a
/// caller that gets it from more than one peer for one block should ask for the whole block, not wait for a better
/// peer.
util::Expected<Matches, MerkleError> extract_matches(const PartialMerkleTree& tree);

/// The tree that a node would send for these transactions and marks (equal in size, at least one).
PartialMerkleTree build_partial_tree(const std::vector<chain::Txid>& txids, const std::vector<bool>& matched);

/// The tree that proves one of its marked transactions alone; nothing if the tree is bad or does not mark it.
std::optional<PartialMerkleTree> narrow_to(const PartialMerkleTree& tree, const chain::Txid& txid);

/// The merkle root of all transactions of a block (at least one).
chain::MerkleRoot merkle_root(const std::vector<chain::Txid>& txids);

}  // namespace spv::bip37
