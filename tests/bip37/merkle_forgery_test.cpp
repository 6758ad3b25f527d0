// The threats M7 and M8: nodes that pose as transactions and transactions that pose as nodes.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "bip37/merkle_shape.h"
#include "bip37/partial_merkle_tree.h"
#include "tests/bip37/samples.h"
#include "util/hex.h"

namespace spv::bip37 {
namespace {

using test::error_of;
using test::hex;
using test::proof_by_branch;
using test::proves;
using util::Hash256;

// --- M7: CVE-2017-12842

// The halves of a transaction of 64 bytes; its scripts have four bytes together.
struct Halves {
  Hash256 left;
  Hash256 right;
};
Halves posing_transaction(std::size_t script_sig, chain::Amount amount) {
  chain::Transaction tx;
  tx.inputs.resize(1);
  tx.inputs[0].previous.txid.bytes.fill(0x5A);
  tx.inputs[0].script_sig = util::Bytes(script_sig, 0x51);
  tx.outputs.push_back({.value = amount, .script_pubkey = util::Bytes(4 - script_sig, 0x52)});
  const util::Bytes bytes = tx.serialize();
  util::Reader in(bytes);
  const Halves halves{.left = in.hash(), .right = in.hash()};
  EXPECT_TRUE(in.done()) << "64 bytes";
  return halves;
}

std::vector<Hash256> random_hashes(std::size_t count, std::uint64_t seed) {
  util::Rng rng(seed);
  std::vector<Hash256> out;
  for (const auto& txid : test::random_txids(count, rng)) out.push_back(util::retag<Hash256>(txid));
  return out;
}

TEST(PartialMerkleTree, M7_AForgedProofIsRightButForThePosingTransaction) {
  // The block holds the 64-byte transaction as the last of four; the forgery claims eight and marks a half of it.
  const auto [left, right] = posing_transaction(2, 5'000);
  auto leaves = random_hashes(4, 8);
  leaves[3] = parent_of(left, right);
  const Hash256 root = parent_of(parent_of(leaves[0], leaves[1]), parent_of(leaves[2], leaves[3]));
  auto forged = proof_by_branch(right, 7, {left, leaves[2], parent_of(leaves[0], leaves[1])}, 8);
  EXPECT_EQ(error_of(forged), MerkleError::InnerNodeIsTransaction);
  EXPECT_EQ(error_of(proof_by_branch(left, 6, {right, leaves[2], parent_of(leaves[0], leaves[1])}, 8)),
            MerkleError::InnerNodeIsTransaction)
      << "mirrored";
  // With the honest count the same block proves.
  const auto honest = extract_matches(proof_by_branch(leaves[3], 3, {leaves[2], parent_of(leaves[0], leaves[1])}, 4));
  ASSERT_TRUE(honest);
  EXPECT_EQ(honest->root.bytes, root.bytes);
}

TEST(PartialMerkleTree, M7_RefusesEveryFormOfAPosingTransaction) {
  for (std::size_t script_sig = 0; script_sig <= 4; ++script_sig) {
    for (const chain::Amount amount : {chain::Amount{0}, chain::kMaxMoney, chain::Amount{-1}}) {
      const auto [left, right] = posing_transaction(script_sig, amount);
      EXPECT_EQ(error_of(proof_by_branch(right, 1, {left}, 2)), MerkleError::InnerNodeIsTransaction);
      EXPECT_EQ(error_of(proof_by_branch(left, 0, {right}, 2)), MerkleError::InnerNodeIsTransaction);
    }
  }
}

TEST(PartialMerkleTree, M7_RefusesAPosingTransactionAboveAForgedSubtree) {
  // A half may be the root of a whole forged subtree: then the pair is higher up. The left half needs its fifth byte
  // right, which a few hundred tries give.
  const Hash256 right = posing_transaction(1, 5'000).right;
  const auto siblings = random_hashes(3, 9);
  for (std::size_t depth = 1; depth <= 3; ++depth) {
    Hash256 leaf;
    Hash256 left;
    for (std::uint32_t nonce = 0; left.bytes[4] != 1; ++nonce) {
      std::memcpy(leaf.bytes.data(), &nonce, sizeof nonce);
      left = leaf;
      for (std::size_t level = 0; level < depth; ++level) left = parent_of(left, siblings[level]);
    }
    std::vector<Hash256> branch(siblings.begin(), siblings.begin() + static_cast<std::ptrdiff_t>(depth));
    branch.push_back(right);
    EXPECT_EQ(error_of(proof_by_branch(leaf, 0, branch, 2U << depth)), MerkleError::InnerNodeIsTransaction) << depth;
  }
}

TEST(PartialMerkleTree, M7_AboveTheLeavesParentsTheAmountMustBePossible) {
  // Keeps honest proofs from being refused by chance: no block holds a transaction with such an amount.
  const auto pair_at_root = [](const Halves& halves) {
    return PartialMerkleTree{.transactions = 4, .hashes = {halves.left, halves.right}, .flags = {0x01}};
  };
  EXPECT_EQ(error_of(pair_at_root(posing_transaction(2, chain::kMaxMoney))), MerkleError::InnerNodeIsTransaction);
  EXPECT_EQ(error_of(pair_at_root(posing_transaction(2, chain::kMaxMoney + 1))), MerkleError::MarkedWithoutMatch);
  EXPECT_EQ(error_of(pair_at_root(posing_transaction(2, -1))), MerkleError::MarkedWithoutMatch);
}

TEST(PartialMerkleTree, M7_ANodeThatStandsInForItsMissingSiblingIsCheckedToo) {
  // Both halves equal: bytes 4 and 36 are the input count and part of the outpoint, and so on through the 32.
  Hash256 half;
  half.bytes[4] = 1;        // input count
  half.bytes[41 - 32] = 0;  // script length
  half.bytes[46 - 32] = 1;  // output count
  half.bytes[55 - 32] = 4;  // output script length
  EXPECT_EQ(error_of(proof_by_branch(half, 2, {half, random_hashes(1, 10)[0]}, 3)),
            MerkleError::InnerNodeIsTransaction);
}

TEST(PartialMerkleTree, M7_OneByteOffIsAnHonestPair) {
  const auto [left, right] = posing_transaction(2, 5'000);
  for (const std::size_t at : {std::size_t{41 - 32}, std::size_t{48 - 32}, std::size_t{57 - 32}}) {
    auto other = right;
    other.bytes[at] = 9;
    EXPECT_TRUE(extract_matches(proof_by_branch(other, 1, {left}, 2))) << at;
  }
  auto other = left;
  other.bytes[4] = 2;
  EXPECT_TRUE(extract_matches(proof_by_branch(right, 1, {other}, 2)));
}

// --- M8: an inner node as txid

TEST(PartialMerkleTree, M8_AnInnerNodeOfferedAsTxidIsNoTransactionOfTheBlock) {
  // Nothing in the tree tells the levels apart; what saves us is that no transaction has such a txid ...
  const auto block = test::parse_block(test::small_block_bytes());
  std::vector<chain::Txid> nodes;
  for (std::size_t i = 0; i < 4; i += 2) {
    nodes.push_back(util::retag<chain::Txid>(
        parent_of(util::retag<Hash256>(block.txids[i]), util::retag<Hash256>(block.txids[i + 1]))));
  }
  const auto found = extract_matches(build_partial_tree(nodes, {false, true}));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->root, block.header.merkle_root) << "the attack as such";
  EXPECT_EQ(std::count(block.txids.begin(), block.txids.end(), found->matches.at(0).txid), 0);
}

TEST(PartialMerkleTree, M8_ATransactionMadeOfTwoTxidsIsRefusedByItsSize) {
  // ... but one of 64 bytes, which is two txids end to end.
  const auto [left, right] = posing_transaction(3, 1);
  const auto tx = chain::Transaction::parse(util::Writer().hash(left).hash(right).take());
  ASSERT_TRUE(tx);
  EXPECT_EQ(tx->txid().bytes, parent_of(left, right).bytes);
  EXPECT_EQ(chain::check_structure(*tx).error(), chain::TxError::AmbiguousSize);
}

TEST(PartialMerkleTree, M7_ThePublicForgeryIsRefused) {
  SPV_VECTOR_FILE_OR_SKIP(path, "merkle/forged_64byte.json");
  const auto file = test::read_json(path);
  const auto forged = test::parse_merkle_block(hex(file.at("forged_merkleblock")));
  ASSERT_TRUE(forged);
  EXPECT_EQ(error_of(forged->tree), MerkleError::InnerNodeIsTransaction);
  const auto honest = test::parse_merkle_block(hex(file.at("honest_merkleblock")));
  ASSERT_TRUE(honest);
  EXPECT_TRUE(proves(honest->tree, honest->header.merkle_root));
  const auto tx64 = chain::Transaction::parse(hex(file.at("tx64")));
  ASSERT_TRUE(tx64);
  EXPECT_FALSE(chain::check_structure(*tx64));
}

// The same written down: a regtest block of seven transactions, the last of which has 64 bytes. The forgery claims
// fourteen and places a payment of 21 BTC, which was never made, as the last of them.
constexpr std::string_view kForgeryHeader =
    "0000002006226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"
    "3c35a5f992002c3dd0329a839e00c871ba83f651c7d0449f05d84281dfd7950a32e8494dffff7f2003000000";
constexpr std::string_view kHonestProof =
    "07000000037645fd62dc81a701ceb2e6284058cdb25221a345162df9b2924ca77fa6b5a006"
    "fcbe563c188943a3b0690f5aad913a2b97e6590edb619f4429596c289fed7f9d"
    "3971e5c77a3839106f7d34ea7d0c017682f3c9df67585cf07490742b08ed43310135";
constexpr std::string_view kForgedProof =
    "0e000000047645fd62dc81a701ceb2e6284058cdb25221a345162df9b2924ca77fa6b5a006"
    "fcbe563c188943a3b0690f5aad913a2b97e6590edb619f4429596c289fed7f9d"
    "02000000014a7984b979724c160160cf5b0228e35dba5e397bf3556c3e4dda6233"
    "901e178e8955af3b0057a40f850106bdaa28cf83eec10480cf903910cf652b01b5";

TEST(PartialMerkleTree, M14_TheForgeryContradictsTheHonestProofInItsCountAndIsRefusedBeforeThat) {
  const auto block_of = [](std::string_view proof) {
    return test::parse_merkle_block(util::from_hex(std::string(kForgeryHeader) + std::string(proof)).value()).value();
  };
  const auto honest = block_of(kHonestProof);
  const auto forged = block_of(kForgedProof);
  EXPECT_TRUE(proves(honest.tree, honest.header.merkle_root));
  EXPECT_EQ(honest.tree.transactions, 7U);
  EXPECT_EQ(forged.tree.transactions, 14U);
  EXPECT_EQ(error_of(forged.tree), MerkleError::InnerNodeIsTransaction);
}

Hash256 hash_of(const boost::json::value& text) {
  return util::parse_hash<Hash256>(std::string_view(text.as_string())).value();
}

// A branch as Electrum has it, as a partial tree. A sibling equal to a left leaf is the leaf itself, at an odd edge.
PartialMerkleTree tree_of(const boost::json::value& txid, const boost::json::array& branch, std::uint32_t position) {
  std::vector<Hash256> siblings;
  for (const auto& sibling : branch) siblings.push_back(hash_of(sibling));
  const bool odd_edge = position % 2 == 0 && siblings.at(0) == hash_of(txid);
  return proof_by_branch(hash_of(txid), position, siblings, odd_edge ? position + 1 : 1U << siblings.size());
}

TEST(PartialMerkleTree, M5_M7_TheBranchesOfElectrumAreTakenOrRefusedAsThere) {
  SPV_VECTOR_FILE_OR_SKIP(path, "merkle/electrum_spv_proofs.json");
  const auto file = test::read_json(path);
  for (const auto& [name, value] : file.as_object()) {
    const auto& part = value.as_object();
    for (const auto& row_value : part.at("cases").as_array()) {
      const auto& row = row_value.as_object();
      const auto& txid = row.contains("txid") ? row.at("txid") : part.at("txid");
      const auto& branch = (row.contains("branch") ? row.at("branch") : part.at("branch")).as_array();
      const auto tree = tree_of(txid, branch, row.at("position").to_number<std::uint32_t>());
      EXPECT_EQ(proves(tree, util::retag<chain::MerkleRoot>(hash_of(part.at("root")))), row.at("accept").as_bool())
          << std::string_view(name) << " at " << row.at("position");
    }
  }
}

}  // namespace
}  // namespace spv::bip37
