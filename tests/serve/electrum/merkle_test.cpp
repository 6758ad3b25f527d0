#include <gtest/gtest.h>

#include "serve/electrum/header_tree.h"
#include "serve/electrum/tx_branch.h"
#include "util/hash.h"

namespace spv::serve::electrum {
namespace {

util::Hash256 leaf(std::size_t number) { return util::sha256d(util::as_bytes("leaf " + std::to_string(number))); }

/// The root by the book: all levels, the last one doubled where a level is odd.
util::Hash256 plain_root(std::vector<util::Hash256> level) {
  while (level.size() > 1) {
    if (level.size() % 2 == 1) level.push_back(level.back());
    std::vector<util::Hash256> above;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      above.push_back(util::sha256d_pair(level[i].view(), level[i + 1].view()));
    }
    level = std::move(above);
  }
  return level.front();
}

util::Hash256 climb_up(util::Hash256 node, std::size_t place, const std::vector<util::Hash256>& branch) {
  for (const auto& other : branch) {
    node =
        place % 2 == 1 ? util::sha256d_pair(other.view(), node.view()) : util::sha256d_pair(node.view(), other.view());
    place /= 2;
  }
  return node;
}

TEST(TxBranch, L6_EveryBranchComesToTheRoot) {
  for (std::uint32_t count = 1; count <= 40; ++count) {
    std::vector<chain::Txid> block;
    std::vector<util::Hash256> leaves;
    for (std::uint32_t i = 0; i < count; ++i) leaves.push_back(leaf(i));
    for (const auto& each : leaves) block.push_back(util::retag<chain::Txid>(each));
    const auto root = util::retag<util::Hash256>(bip37::merkle_root(block));
    for (std::uint32_t place = 0; place < count; ++place) {
      std::vector<bool> marked(count, false);
      marked[place] = true;
      marked[count / 2] = true;
      const auto tree = bip37::narrow_to(bip37::build_partial_tree(block, marked), block[place]);
      ASSERT_TRUE(tree);
      const auto proven = branch_of(*tree, block[place]);
      ASSERT_TRUE(proven) << count << " " << place;
      EXPECT_EQ(proven->branch, merkle_branch(leaves, place).branch);
      EXPECT_EQ(proven->position, place);
      EXPECT_EQ(climb_up(leaf(place), place, proven->branch), root) << count << " " << place;
      EXPECT_FALSE(branch_of(*tree, block[(place + 1) % count]) && count > 1);
    }
  }
}

TEST(HeaderTree, ProvesAnyHeaderByAnyCheckpoint) {
  std::vector<util::Hash256> chain;
  for (std::size_t i = 0; i < 10'000; ++i) chain.push_back(leaf(i));
  std::size_t reads = 0;
  const HeaderTree::Read read = [&](chain::Height from,
                                    std::size_t count) -> std::optional<std::vector<util::Hash256>> {
    reads += count;
    const auto first = chain.begin() + from;
    return std::vector<util::Hash256>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  HeaderTree tree;
  for (const int last : {0, 1, 2, 5, 2'047, 2'048, 2'049, 4'095, 4'096, 6'143, 6'144, 9'999}) {
    const auto root = plain_root({chain.begin(), chain.begin() + last + 1});
    for (const int height : {0, 1, 2, 1'000, 2'047, 2'048, 4'095, 4'096, 5'000, 9'999}) {
      if (height > last) continue;
      const auto proof = tree.prove(height, last, 7'000, read);
      ASSERT_TRUE(proof);
      EXPECT_EQ(proof->root, root) << height << " of " << last;
      EXPECT_EQ(climb_up(leaf(static_cast<std::size_t>(height)), static_cast<std::size_t>(height), proof->branch),
                root);
    }
  }
  reads = 0;
  ASSERT_TRUE(tree.prove(9'000, 9'999, 7'000, read));
  EXPECT_LT(reads, 5'000U) << "what is settled is read once";
}

TEST(HeaderTree, AReorganisationAboveWhatIsSettledCounts) {
  std::vector<util::Hash256> chain;
  for (std::size_t i = 0; i < 5'000; ++i) chain.push_back(leaf(i));
  const HeaderTree::Read read = [&](chain::Height from,
                                    std::size_t count) -> std::optional<std::vector<util::Hash256>> {
    const auto first = chain.begin() + from;
    return std::vector<util::Hash256>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  HeaderTree tree;
  ASSERT_TRUE(tree.prove(10, 4'999, 3'000, read));
  chain[3'500] = leaf(99'999);
  EXPECT_EQ(tree.prove(10, 4'999, 3'000, read)->root, plain_root(chain));
}

}  // namespace
}  // namespace spv::serve::electrum
