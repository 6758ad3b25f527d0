// Partial merkle trees, honest and damaged, against a second implementation.
#include <algorithm>

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/differential/cases.h"
#include "tests/differential/reference_merkle.h"

namespace spv::test {
namespace {

using bip37::MerkleError;
using bip37::PartialMerkleTree;
using util::Hash256;

struct Sample {
  std::vector<Hash256> leaves;
  std::vector<chain::Txid> txids;
  std::vector<bool> marks;
};

Sample random_sample(util::Rng& rng) {
  Sample out;
  const std::uint64_t count = 1 + rng.below(rng.below(50) == 0 ? 200 : 20);
  const std::uint64_t density = 1 + rng.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    Hash256 leaf;
    const auto bytes = rng.bytes(leaf.bytes.size());
    std::copy(bytes.begin(), bytes.end(), leaf.bytes.begin());
    if (i > 0 && rng.below(200) == 0) leaf = out.leaves[rng.below(i)];
    out.leaves.push_back(leaf);
    out.txids.push_back(util::retag<chain::Txid>(leaf));
    out.marks.push_back(rng.below(density) == 0);
  }
  return out;
}

void damage(PartialMerkleTree& tree, util::Rng& rng) {
  const auto flag = [&] { return rng.below(tree.flags.size()); };
  const auto hash = [&] { return rng.below(tree.hashes.size()); };
  switch (rng.below(9)) {
    case 0:
      if (!tree.flags.empty()) tree.flags[flag()] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      break;
    case 1:
      if (!tree.hashes.empty())
        tree.hashes[hash()].bytes[rng.below(32)] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      break;
    case 2:
      tree.flags.push_back(static_cast<std::uint8_t>(rng.below(4)));
      break;
    case 3:
      if (!tree.flags.empty()) tree.flags.pop_back();
      break;
    case 4:
      if (!tree.hashes.empty()) tree.hashes.push_back(tree.hashes[hash()]);
      break;
    case 5:
      if (!tree.hashes.empty()) tree.hashes.erase(tree.hashes.begin() + static_cast<std::ptrdiff_t>(hash()));
      break;
    case 6:
      tree.transactions = static_cast<std::uint32_t>(rng.below(rng.below(20) == 0 ? 0xFFFF'FFFF : 40));
      break;
    case 7:
      if (!tree.hashes.empty()) std::swap(tree.hashes[hash()], tree.hashes[hash()]);
      break;
    default:
      tree.transactions += static_cast<std::uint32_t>(rng.below(3)) - 1;
      break;
  }
}

// Empty if both come to the same, and ours is stricter only where it says it is.
std::string difference(const PartialMerkleTree& tree) {
  const auto ours = bip37::extract_matches(tree);
  const auto theirs = reference::extract(tree);
  if (!ours) {
    if (!theirs || theirs->has_padding || theirs->opens_in_vain || theirs->holds_transaction) return "";
    return "refused: " + std::string(bip37::to_string(ours.error()));
  }
  if (!theirs) return "taken";
  if (theirs->has_padding || theirs->opens_in_vain) return "taken although it is not the one form";
  if (ours->root.bytes != theirs->root.bytes) return "another root";
  if (ours->matches.size() != theirs->matches.size()) return "another number of matches";
  for (std::size_t i = 0; i < ours->matches.size(); ++i) {
    if (ours->matches[i].index != theirs->matches[i].first) return "another place";
    if (ours->matches[i].txid.bytes != theirs->matches[i].second.bytes) return "another transaction";
  }
  return "";
}

TEST(Differential, PartialMerkleTreesAreBuiltAndReadAsByASecondImplementation) {
  const auto cases = differential_cases(10'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const auto sample = random_sample(rng);
    auto tree = bip37::build_partial_tree(sample.txids, sample.marks);
    ASSERT_EQ(tree, reference::build(sample.leaves, sample.marks)) << "case " << number;
    ASSERT_EQ(bip37::merkle_root(sample.txids).bytes, reference::merkle_root(sample.leaves).bytes) << "case " << number;
    ASSERT_EQ(difference(tree), "") << "case " << number;
  }
}

TEST(Differential, DamagedMerkleTreesAreJudgedAsByASecondImplementation) {
  const auto cases = differential_cases(20'000);
  std::uint64_t taken = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const auto sample = random_sample(rng);
    auto tree = bip37::build_partial_tree(sample.txids, sample.marks);
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) damage(tree, rng);
    ASSERT_EQ(difference(tree), "") << "case " << number;
    if (bip37::extract_matches(tree)) ++taken;
  }
  EXPECT_GT(taken, cases / 50) << "some damage must pass, or the second half of the comparison means nothing";
}

}  // namespace
}  // namespace spv::test
