#include "serve/electrum/tx_branch.h"

#include "util/hash.h"

namespace spv::serve::electrum {
namespace {

std::uint64_t width_at(std::uint32_t transactions, std::uint32_t level) {
  return (std::uint64_t{transactions} + (std::uint64_t{1} << level) - 1) >> level;
}

std::uint32_t tree_levels(std::uint32_t transactions) {
  std::uint32_t level = 0;
  while (width_at(transactions, level) > 1) ++level;
  return level;
}

}  // namespace

// The tree lists the nodes beside the path depth first: those on the left from the top down, then the transaction, then
// those on the right from the bottom up. Where there is none on the right, the node is its own neighbour.
std::optional<TxBranch> branch_of(const bip37::PartialMerkleTree& tree, const chain::Txid& txid) {
  const auto known = bip37::extract_matches(tree);
  if (!known || known->matches.size() != 1 || known->matches.front().txid != txid) return std::nullopt;
  TxBranch out{.position = known->matches.front().index, .branch = {}};
  auto left = tree.hashes.begin();
  auto right = tree.hashes.end();
  std::vector<std::optional<util::Hash256>> beside;  // from the top down
  for (std::uint32_t level = tree_levels(tree.transactions); level-- > 0;) {
    const std::uint32_t place = out.position >> level;
    if (place % 2 == 1) {
      beside.emplace_back(*left++);
    } else if (place + 1 < width_at(tree.transactions, level)) {
      beside.emplace_back(*--right);
    } else {
      beside.emplace_back(std::nullopt);
    }
  }
  auto node = util::retag<util::Hash256>(txid);
  std::uint32_t place = out.position;
  for (auto it = beside.rbegin(); it != beside.rend(); ++it, place /= 2) {
    const auto& other = out.branch.emplace_back(it->value_or(node));
    node =
        place % 2 == 1 ? util::sha256d_pair(other.view(), node.view()) : util::sha256d_pair(node.view(), other.view());
  }
  if (util::retag<chain::MerkleRoot>(node) != known->root) return std::nullopt;
  return out;
}

}  // namespace spv::serve::electrum
