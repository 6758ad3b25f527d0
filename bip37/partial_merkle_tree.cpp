#include "bip37/partial_merkle_tree.h"

#include "bip37/merkle_fold.h"
#include "bip37/merkle_shape.h"
#include "util/ensure.h"

namespace spv::bip37 {
namespace {

// A level of the whole tree: the nodes' hashes, and whether a matched transaction is below each.
struct Level {
  std::vector<util::Hash256> hashes;
  std::vector<bool> matched;
};

Level level_above(const Level& below) {
  Level above;
  const std::size_t width = below.hashes.size();
  for (std::size_t left = 0; left < width; left += 2) {
    const std::size_t right = left + 1 < width ? left + 1 : left;
    above.hashes.push_back(parent_of(below.hashes[left], below.hashes[right]));
    above.matched.push_back(below.matched[left] || below.matched[right]);
  }
  return above;
}

std::vector<Level> all_levels(const std::vector<chain::Txid>& txids, const std::vector<bool>& matched) {
  util::ensure(!txids.empty() && txids.size() == matched.size(), "a block has transactions, each with its mark");
  std::vector<Level> levels(1);
  for (const auto& txid : txids) levels[0].hashes.push_back(util::retag<util::Hash256>(txid));
  levels[0].matched = matched;
  while (levels.back().hashes.size() > 1) levels.push_back(level_above(levels.back()));
  return levels;
}

util::Bytes pack_bits(const std::vector<bool>& bits) {
  util::Bytes out((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | (1U << (i % 8)));
  }
  return out;
}

}  // namespace

void PartialMerkleTree::encode(util::Writer& out) const {
  out.integer(transactions).compact_size(hashes.size());
  for (const auto& hash : hashes) out.hash(hash);
  out.var_bytes(flags);
}

PartialMerkleTree PartialMerkleTree::decode(util::Reader& in) {
  PartialMerkleTree tree;
  tree.transactions = in.integer<std::uint32_t>();
  const std::size_t count = in.count(util::Hash256::kSize);
  tree.hashes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) tree.hashes.push_back(in.hash());
  tree.flags = in.var_bytes(in.remaining());
  return tree;
}

std::string_view to_string(MerkleError error) {
  switch (error) {
    case MerkleError::NoTransactions:
      return "proof for a block without transactions";
    case MerkleError::TooManyTransactions:
      return "proof states more transactions than fit in a block";
    case MerkleError::TooManyHashes:
      return "proof has more hashes than transactions";
    case MerkleError::TooFewBits:
      return "proof has fewer flag bits than hashes";
    case MerkleError::BitsExhausted:
      return "proof runs out of flag bits";
    case MerkleError::HashesExhausted:
      return "proof runs out of hashes";
    case MerkleError::UnusedBits:
      return "proof has unused flag bytes";
    case MerkleError::UnusedHashes:
      return "proof has unused hashes";
    case MerkleError::NonZeroPadding:
      return "proof has nonzero padding bits";
    case MerkleError::MarkedWithoutMatch:
      return "proof expands a branch without a match";
    case MerkleError::DuplicateBranch:
      return "proof has two identical branches";
    case MerkleError::InnerNodeIsTransaction:
      return "inner node of the proof could be a transaction";
  }
  return "unknown proof error";
}

PartialMerkleTree build_partial_tree(const std::vector<chain::Txid>& txids, const std::vector<bool>& matched) {
  const std::vector<Level> levels = all_levels(txids, matched);
  struct Position {
    std::size_t level;
    std::size_t index;
  };
  PartialMerkleTree tree{.transactions = static_cast<std::uint32_t>(txids.size()), .hashes = {}, .flags = {}};
  std::vector<bool> bits;
  std::vector<Position> open{{levels.size() - 1, 0}};
  while (!open.empty()) {
    const auto [level, index] = open.back();
    open.pop_back();
    const bool marked = levels[level].matched[index];
    bits.push_back(marked);
    if (level == 0 || !marked) {
      tree.hashes.push_back(levels[level].hashes[index]);
      continue;
    }
    const std::size_t left = 2 * index;
    if (left + 1 < levels[level - 1].hashes.size()) open.push_back({level - 1, left + 1});
    open.push_back({level - 1, left});
  }
  tree.flags = pack_bits(bits);
  return tree;
}

chain::MerkleRoot merkle_root(const std::vector<chain::Txid>& txids) {
  std::vector<util::Hash256> leaves;
  leaves.reserve(txids.size());
  for (const auto& txid : txids) leaves.push_back(util::retag<util::Hash256>(txid));
  return util::retag<chain::MerkleRoot>(fold_merkle_tree(leaves).root);
}

}  // namespace spv::bip37
