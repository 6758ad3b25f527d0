#include "bip37/partial_merkle_tree.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bip37/merkle_shape.h"
#include "tests/bip37/samples.h"
#include "tests/support/vectors.h"

namespace spv::bip37 {
namespace {

using test::from_hex;
using test::hex;

std::vector<Match> marked_txids(const std::vector<chain::Txid>& txids, const std::vector<bool>& marks) {
  std::vector<Match> out;
  for (std::uint32_t i = 0; i < txids.size(); ++i) {
    if (marks[i]) out.push_back({i, txids[i]});
  }
  return out;
}

// The root by the definition, one level at a time.
chain::MerkleRoot plain_root(const std::vector<chain::Txid>& txids) {
  std::vector<util::Hash256> level;
  for (const auto& txid : txids) level.push_back(util::retag<util::Hash256>(txid));
  while (level.size() > 1) {
    if (level.size() % 2 == 1) level.push_back(level.back());
    for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = parent_of(level[2 * i], level[2 * i + 1]);
    level.resize(level.size() / 2);
  }
  return util::retag<chain::MerkleRoot>(level[0]);
}

void expect_round_trip(const std::vector<chain::Txid>& txids, const std::vector<bool>& marks) {
  const auto tree = build_partial_tree(txids, marks);
  const auto found = extract_matches(tree);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->root, plain_root(txids));
  EXPECT_EQ(found->root, merkle_root(txids));
  EXPECT_EQ(found->matches, marked_txids(txids, marks));
}

TEST(MerkleShape, CountsLevelsAndNodes) {
  EXPECT_EQ(tree_height(1), 0U);
  EXPECT_EQ(tree_height(2), 1U);
  EXPECT_EQ(tree_height(3), 2U);
  EXPECT_EQ(tree_height(kMaxBlockTransactions), 15U);
  EXPECT_EQ(width_at(7, 0), 7U);
  EXPECT_EQ(width_at(7, 1), 4U);
  EXPECT_EQ(width_at(7, 3), 1U);
}

TEST(PartialMerkleTree, ProvesEverySetOfMarksInSmallBlocks) {
  util::Rng rng(1);
  for (std::size_t count = 1; count <= 9; ++count) {
    const auto txids = test::random_txids(count, rng);
    for (unsigned set = 0; set < (1U << count); ++set) {
      std::vector<bool> marks(count);
      for (std::size_t i = 0; i < count; ++i) marks[i] = ((set >> i) & 1U) != 0;
      expect_round_trip(txids, marks);
    }
  }
}

RC_GTEST_PROP(PartialMerkleTree, ExtractGivesBackWhatBuildMarked, (std::uint64_t seed)) {
  util::Rng rng(seed);
  const auto count = static_cast<std::size_t>(1 + rng.below(600));
  const auto txids = test::random_txids(count, rng);
  expect_round_trip(txids, test::random_marks(count, static_cast<std::size_t>(rng.below(20)), rng));
}

TEST(PartialMerkleTree, ProvesTheLargestBlock) {
  util::Rng rng(2);
  const auto txids = test::random_txids(kMaxBlockTransactions, rng);
  auto marks = std::vector<bool>(txids.size());
  marks.front() = marks.back() = true;
  expect_round_trip(txids, marks);
  expect_round_trip(txids, std::vector<bool>(txids.size(), true));
}

TEST(PartialMerkleTree, HasTheBytesOfARealProof) {
  const auto block = test::parse_block(test::small_block_bytes());
  util::Writer out;
  build_partial_tree(block.txids, {true, true, false, true}).encode(out);
  EXPECT_EQ(
      out.data(),
      from_hex("0400000004703bb9ec7ab4f56d9e417a53ac19cef9c53513dc0352b9734e012d799ffe80e95f9a06d3acdceb56be1bfeaa3e8a"
               "25e62d182fa24fefe899d1c17f1dad4c2028e2274e5fea1bf29d963914bd301aa63b64daaf8a3e88f119b5046ca5738a0f6b23"
               "dbcd63ce3a6607706d04b4d803e4846e8b34b6e0f29d10e4582134827e1d3c015f"));
  EXPECT_EQ(merkle_root(block.txids), block.header.merkle_root);
}

TEST(PartialMerkleTree, OfABlockWithoutMatchesIsTheRootAlone) {
  util::Rng rng(3);
  const auto txids = test::random_txids(100, rng);
  const auto tree = build_partial_tree(txids, std::vector<bool>(100));
  EXPECT_EQ(tree.hashes, std::vector{util::retag<util::Hash256>(merkle_root(txids))});
  EXPECT_EQ(tree.flags, from_hex("00"));
}

RC_GTEST_PROP(PartialMerkleTree, DecodeGivesBackWhatWasEncoded, (std::uint64_t seed)) {
  util::Rng rng(seed);
  const auto count = static_cast<std::size_t>(1 + rng.below(300));
  const auto tree = build_partial_tree(test::random_txids(count, rng), test::random_marks(count, 3, rng));
  util::Writer out;
  tree.encode(out);
  util::Reader in(out.data());
  RC_ASSERT(PartialMerkleTree::decode(in) == tree);
  RC_ASSERT(in.done());
}

void expect_proof(const boost::json::value& merkleblock, const std::vector<Match>& wanted) {
  const auto block = test::parse_merkle_block(hex(merkleblock));
  ASSERT_TRUE(block);
  const auto found = extract_matches(block->tree);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->root, block->header.merkle_root);
  EXPECT_EQ(found->matches, wanted);
}

chain::Txid txid_of(const boost::json::value& text) {
  return util::parse_hash<chain::Txid>(std::string_view(text.as_string())).value();
}

std::vector<Match> matches_of(const boost::json::value& list) {
  std::vector<Match> out;
  for (const auto& pair : list.as_array()) out.push_back({pair.at(0).to_number<std::uint32_t>(), txid_of(pair.at(1))});
  return out;
}

TEST(PartialMerkleTree, ProvesMainnetTransactions) {
  SPV_VECTOR_FILE_OR_SKIP(path, "merkle/mainnet_proofs.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    SCOPED_TRACE(row.at("source").as_string());
    expect_proof(row.at("merkleblock"), matches_of(row.at("matches")));
  }
}

TEST(PartialMerkleTree, ProvesTheDerivedSets) {
  SPV_VECTOR_FILE_OR_SKIP(path, "merkle/derived_valid.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    std::vector<Match> wanted;
    const auto& indexes = row.at("match").as_array();
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      wanted.push_back({indexes[i].to_number<std::uint32_t>(), txid_of(row.at("matched_txids").at(i))});
    }
    expect_proof(row.at("merkleblock"), wanted);
  }
}

TEST(PartialMerkleTree, ProvesTheFilteredBlockOfBitcoinj) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/bitcoinj_filtered_block.json");
  const auto file = test::read_json(path);
  const auto wanted = matches_of(file.at("matches"));
  expect_proof(file.at("merkleblock"), wanted);

  const auto block = test::parse_block(hex(file.at("block")));
  std::vector<bool> marks(block.txids.size());
  for (const auto& match : wanted) marks[match.index] = true;
  const auto sent = test::parse_merkle_block(hex(file.at("merkleblock")));
  EXPECT_EQ(build_partial_tree(block.txids, marks), sent->tree);
}

TEST(PartialMerkleTree, ProvesTransactionsOfWholeBlocks) {
  for (const char* name : {"blocks/mainnet_169482.bin", "blocks/mainnet_300025.bin", "blocks/mainnet_363703.bin",
                           "blocks/mainnet_481829.bin", "blocks/mainnet_830000.bin", "blocks/testnet_700000.bin"}) {
    SPV_VECTOR_FILE_OR_SKIP(path, name);
    const auto block = test::parse_block(test::read_binary(path));
    EXPECT_EQ(merkle_root(block.txids), block.header.merkle_root) << name;
    util::Rng rng(4);
    expect_round_trip(block.txids, test::random_marks(block.txids.size(), 10, rng));
  }
}

TEST(PartialMerkleTree, EveryErrorHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int error = 0; error <= static_cast<int>(MerkleError::InnerNodeIsTransaction); ++error) {
    words.insert(to_string(static_cast<MerkleError>(error)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(MerkleError::InnerNodeIsTransaction) + 1);
  EXPECT_FALSE(words.contains("unknown proof error"));
}

}  // namespace
}  // namespace spv::bip37
