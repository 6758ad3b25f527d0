#include "tests/differential/reference_merkle.h"

#include <algorithm>

#include "chain/transaction.h"
#include "util/hash.h"

namespace spv::reference {
namespace {

using util::Hash256;

Hash256 pair_hash(const Hash256& left, const Hash256& right) {
  return util::sha256d(util::Writer().bytes(left.view()).bytes(right.view()).data());
}

std::uint32_t width(std::uint32_t leaves, unsigned height) {
  std::uint32_t out = leaves;
  for (unsigned i = 0; i < height; ++i) out = (out + 1) / 2;
  return out;
}

unsigned height_of(std::uint32_t leaves) {
  unsigned height = 0;
  while (width(leaves, height) > 1) ++height;
  return height;
}

// A transaction of 64 bytes has one input and one output: counts at bytes 4 and 5 + 36 + 1 + script + 4.
bool reads_as_transaction(const Hash256& left, const Hash256& right) {
  const auto tx = chain::Transaction::parse(util::Writer().bytes(left.view()).bytes(right.view()).data());
  return tx && !tx->outputs.empty();
}

struct Walk {
  const bip37::PartialMerkleTree& tree;
  std::size_t bits = 0;
  std::size_t hashes = 0;
  bool bad = false;
  Extracted out{};

  // Gives the node's hash and says whether anything below it matches.
  Hash256 node(unsigned height, std::uint32_t position, bool& matches) {
    matches = false;
    if (bits >= tree.flags.size() * 8) {
      bad = true;
      return {};
    }
    const bool flag = (tree.flags[bits / 8] >> (bits % 8) & 1) != 0;
    ++bits;
    if (height == 0 || !flag) {
      if (hashes >= tree.hashes.size()) {
        bad = true;
        return {};
      }
      const Hash256 hash = tree.hashes[hashes++];
      matches = height == 0 && flag;
      if (matches) out.matches.emplace_back(position, hash);
      return hash;
    }
    bool left_matches = false;
    bool right_matches = false;
    const Hash256 left = node(height - 1, 2 * position, left_matches);
    Hash256 right = left;
    if (2 * position + 1 < width(tree.transactions, height - 1)) {
      if (!bad) right = node(height - 1, 2 * position + 1, right_matches);
      if (left == right) bad = true;
    }
    if (bad) return {};
    matches = left_matches || right_matches;
    if (!matches) out.opens_in_vain = true;
    if (reads_as_transaction(left, right)) out.holds_transaction = true;
    return pair_hash(left, right);
  }
};

void add_node(const std::vector<Hash256>& leaves, const std::vector<bool>& marks, std::vector<bool>& bits,
              bip37::PartialMerkleTree& tree, unsigned height, std::size_t position) {
  const std::size_t first = position << height;
  const std::size_t last = std::min(leaves.size(), (position + 1) << height);
  bool marked = false;
  for (std::size_t i = first; i < last; ++i) marked = marked || marks[i];
  bits.push_back(marked);
  if (height > 0 && marked) {
    add_node(leaves, marks, bits, tree, height - 1, 2 * position);
    if ((2 * position + 1) << (height - 1) < leaves.size()) {
      add_node(leaves, marks, bits, tree, height - 1, 2 * position + 1);
    }
    return;
  }
  // The subtree's root, with the right edge filled up by repeating, as deep as the subtree is.
  std::vector<Hash256> level(leaves.begin() + static_cast<std::ptrdiff_t>(first),
                             leaves.begin() + static_cast<std::ptrdiff_t>(last));
  for (unsigned i = 0; i < height; ++i) {
    std::vector<Hash256> above;
    for (std::size_t n = 0; n < level.size(); n += 2) {
      above.push_back(pair_hash(level[n], level[std::min(n + 1, level.size() - 1)]));
    }
    level = above;
  }
  tree.hashes.push_back(level[0]);
}

}  // namespace

std::optional<Extracted> extract(const bip37::PartialMerkleTree& tree) {
  if (tree.transactions == 0 || tree.transactions > 4'000'000 / 240) return std::nullopt;
  if (tree.hashes.size() > tree.transactions || tree.flags.size() * 8 < tree.hashes.size()) return std::nullopt;
  Walk walk{.tree = tree};
  bool matches = false;
  walk.out.root = walk.node(height_of(tree.transactions), 0, matches);
  if (walk.bad || (walk.bits + 7) / 8 != tree.flags.size() || walk.hashes != tree.hashes.size()) return std::nullopt;
  for (std::size_t i = walk.bits; i < tree.flags.size() * 8; ++i) {
    if ((tree.flags[i / 8] >> (i % 8) & 1) != 0) walk.out.has_padding = true;
  }
  return std::move(walk.out);
}

bip37::PartialMerkleTree build(const std::vector<Hash256>& leaves, const std::vector<bool>& marks) {
  bip37::PartialMerkleTree tree;
  tree.transactions = static_cast<std::uint32_t>(leaves.size());
  std::vector<bool> bits;
  add_node(leaves, marks, bits, tree, height_of(tree.transactions), 0);
  while (bits.size() % 8 != 0) bits.push_back(false);
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    unsigned byte = 0;
    for (unsigned n = 0; n < 8; ++n) byte += bits[i + n] ? 1U << n : 0U;
    tree.flags.push_back(static_cast<std::uint8_t>(byte));
  }
  return tree;
}

Hash256 merkle_root(const std::vector<Hash256>& leaves) {
  return build(leaves, std::vector<bool>(leaves.size())).hashes.at(0);
}

}  // namespace spv::reference
