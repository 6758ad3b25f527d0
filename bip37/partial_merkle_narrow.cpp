#include "bip37/merkle_shape.h"
#include "bip37/partial_merkle_tree.h"

namespace spv::bip37 {
namespace {

using util::Hash256;

// Reads the tree depth first and writes it again with a single mark. The depth is at most that of a block's tree.
class Narrower {
 public:
  Narrower(const PartialMerkleTree& tree, std::uint32_t index) : tree_(tree), wanted_(index) {}

  PartialMerkleTree run() {
    Part root = read(tree_height(tree_.transactions), 0);
    PartialMerkleTree out{.transactions = tree_.transactions, .hashes = std::move(root.hashes), .flags = {}};
    out.flags.resize((root.bits.size() + 7) / 8);
    for (std::size_t i = 0; i < root.bits.size(); ++i) {
      if (root.bits[i]) out.flags[i / 8] = static_cast<std::uint8_t>(out.flags[i / 8] | (1U << (i % 8)));
    }
    return out;
  }

 private:
  // A node, and how the new tree writes it.
  struct Part {
    Hash256 hash;
    std::vector<bool> bits;
    std::vector<Hash256> hashes;
    static Part closed(const Hash256& hash, bool mark) { return {hash, {mark}, {hash}}; }
  };

  Part read(std::uint32_t level, std::uint32_t index) {
    const bool marked = (tree_.flags.at(bit_ / 8) & (1U << (bit_ % 8))) != 0;
    ++bit_;
    if (level == 0 || !marked) return Part::closed(tree_.hashes.at(hash_++), level == 0 && index == wanted_);
    Part left = read(level - 1, 2 * index);
    if (2 * index + 1 >= width_at(tree_.transactions, level - 1)) return join(level, index, std::move(left), nullptr);
    const Part right = read(level - 1, 2 * index + 1);
    return join(level, index, std::move(left), &right);
  }

  Part join(std::uint32_t level, std::uint32_t index, Part left, const Part* right) const {
    const Hash256 hash = parent_of(left.hash, right != nullptr ? right->hash : left.hash);
    if (wanted_ >> level != index) return Part::closed(hash, false);
    Part out{hash, {true}, std::move(left.hashes)};
    out.bits.insert(out.bits.end(), left.bits.begin(), left.bits.end());
    if (right != nullptr) {
      out.bits.insert(out.bits.end(), right->bits.begin(), right->bits.end());
      out.hashes.insert(out.hashes.end(), right->hashes.begin(), right->hashes.end());
    }
    return out;
  }

  const PartialMerkleTree& tree_;
  std::uint32_t wanted_;
  std::size_t bit_ = 0;
  std::size_t hash_ = 0;
};

}  // namespace

std::optional<PartialMerkleTree> narrow_to(const PartialMerkleTree& tree, const chain::Txid& txid) {
  const auto found = extract_matches(tree);
  if (!found) return std::nullopt;
  for (const auto& match : found->matches) {
    if (match.txid == txid) return Narrower(tree, match.index).run();
  }
  return std::nullopt;
}

}  // namespace spv::bip37
