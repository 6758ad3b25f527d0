// Scanning by BIP37 as one method among others: what it takes, what it leaves, and what it keeps of what it takes. The
// pipeline around it is in scan_lane_test.cpp.
#include "sync/scan/methods/filtered_blocks.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class FilteredBlocksTest : public testing::Test {
 protected:
  FilteredBlocksTest() { mine_.block({payment_, TxBuilder(2).build()}).blocks(1); }

  static bip37::BloomFilter filter() { return {bip37::design_filter(10, 0.000001), 7, bip37::UpdateFlags::All}; }
  void load(FilterEpoch epoch) { blocks_.load(filter(), epoch, queue_); }
  void ask(const std::vector<chain::Height>& heights, BlockKind kind = BlockKind::Filtered) {
    std::vector<chain::BlockRef> refs;
    for (const auto height : heights) refs.push_back({height, mine_.block(height).hash});
    queue_.add(refs, kind, blocks_.epoch(), 77, now_);
  }
  /// As it comes from the wire, with the second transaction marked or none.
  p2p::MerkleBlock proof(chain::Height height, bool matched) const {
    const auto& block = mine_.block(height);
    std::vector<bool> picks(block.txs.size(), false);
    if (matched) picks[1] = true;
    const auto payload = p2p::encode_payload(
        p2p::MerkleBlock{.header = block.header, .tree = bip37::build_partial_tree(block.txids, picks)});
    return std::get<p2p::MerkleBlock>(*p2p::decode_payload("merkleblock", payload));
  }
  LaneStep offer(p2p::MerkleBlock message) { return method_.on(message, queue_, now_); }
  LaneStep offer(const chain::Transaction& tx) {
    chain::Transaction copy = tx;
    return method_.on(copy, tx.txid(), queue_, now_);
  }

  chain::Transaction payment_ = TxBuilder(1).pays(test::p2wpkh(util::Bytes(20, 0x11)), 500).build();
  test::ChainBuilder mine_;
  RequestQueue queue_{1};
  FilteredBlocks blocks_{true};
  ScanMethod& method_ = blocks_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(FilteredBlocksTest, AsksForFilteredBlocksUnderThePresentFilter) {
  EXPECT_EQ(method_.epoch(), 0U);
  load(4);
  load(5);
  EXPECT_EQ(method_.epoch(), 5U);
  const auto message = std::get<p2p::GetData>(method_.ask({mine_.tip(), {1, mine_.block(1).hash}}));
  ASSERT_EQ(message.items.size(), 2U);
  EXPECT_EQ(message.items[0].type, p2p::InventoryType::FilteredBlock);
  EXPECT_EQ(message.items[0].hash, util::retag<util::Hash256>(mine_.tip().hash));
  EXPECT_EQ(message.items[1].hash, util::retag<util::Hash256>(mine_.block(1).hash));
}

TEST_F(FilteredBlocksTest, AMerkleblockThatNobodyAskedForIsLeftUntouched) {
  load(1);
  ask({2});
  p2p::MerkleBlock message = proof(1, true);
  EXPECT_FALSE(method_.on(message, queue_, now_).taken);
  EXPECT_EQ(message, proof(1, true));
  EXPECT_EQ(message.payload, proof(1, true).payload);
}

TEST_F(FilteredBlocksTest, AMerkleblockOfABlockThatWasAskedForWholeIsLeftUntouched) {
  ask({1}, BlockKind::Whole);
  p2p::MerkleBlock message = proof(1, true);
  EXPECT_FALSE(method_.on(message, queue_, now_).taken);
  EXPECT_EQ(message.payload, proof(1, true).payload);
  EXPECT_FALSE(queue_.at(0).answered);
}

TEST_F(FilteredBlocksTest, AWholeBlockIsNotItsOwn) {
  load(1);
  ask({1});
  auto body = mine_.block(1).serialize();
  body.erase(body.begin(), body.begin() + chain::BlockHeader::kSize);
  EXPECT_FALSE(method_.on(p2p::Block::owning(mine_.block(1).header, body), 1, queue_, now_).taken);
  EXPECT_FALSE(queue_.at(0).answered);
}

TEST_F(FilteredBlocksTest, ATransactionThatNoProofPromisedIsLeftUntouched) {
  load(1);
  ask({1});
  chain::Transaction tx = payment_;
  EXPECT_FALSE(method_.on(tx, tx.txid(), queue_, now_).taken);
  EXPECT_EQ(tx, payment_);
}

TEST_F(FilteredBlocksTest, APromisedTransactionIsTakenOnce) {
  load(1);
  ask({1});
  EXPECT_TRUE(offer(proof(1, true)).taken);
  EXPECT_EQ(queue_.at(0).missing, 1U);
  EXPECT_TRUE(offer(payment_).taken);
  EXPECT_EQ(queue_.at(0).missing, 0U);
  EXPECT_EQ(queue_.at(0).result.matched.at(0).tx, payment_);
  EXPECT_FALSE(offer(payment_).taken);
}

TEST_F(FilteredBlocksTest, TheProofIsKeptAsItCameWhereSomethingMatched) {
  load(1);
  ask({1});
  EXPECT_TRUE(offer(proof(1, true)).taken);
  EXPECT_EQ(queue_.at(0).result.proof, proof(1, true).payload);
  EXPECT_FALSE(queue_.at(0).result.proof.empty());
}

TEST_F(FilteredBlocksTest, WhereNothingMatchedNoProofIsKept) {
  load(1);
  ask({1});
  EXPECT_TRUE(offer(proof(1, false)).taken);
  EXPECT_TRUE(queue_.at(0).result.proof.empty());
  EXPECT_EQ(queue_.at(0).result.transactions, 3U);
  EXPECT_EQ(queue_.at(0).result.time, mine_.block(1).header.time);
}

TEST_F(FilteredBlocksTest, AProofOfAnotherRootIsAFault) {
  load(1);
  ask({1});
  p2p::MerkleBlock message = proof(1, true);
  message.tree = proof(2, false).tree;
  const LaneStep step = method_.on(message, queue_, now_);
  EXPECT_TRUE(step.taken);
  EXPECT_EQ(step.fault, DisconnectReason::BadProof);
}

TEST_F(FilteredBlocksTest, ATransactionIsHeldByItsSizeUntilItsBlockIsTaken) {
  load(1);
  ask({1});
  offer(proof(1, true));
  offer(payment_);
  EXPECT_EQ(queue_.held_bytes(), payment_.serialize().size());
  EXPECT_EQ(queue_.at(0).result.bytes, payment_.serialize().size());
  queue_.take();
  EXPECT_EQ(queue_.held_bytes(), 0U);
}

TEST_F(FilteredBlocksTest, WhatPilesUpBehindAGapIsAFault) {
  const util::Bytes half(FilteredBlocks::kMaxHeldBytes / 2, 0x51);
  const auto first = TxBuilder(3).pays(half, 1).build();
  const auto second = TxBuilder(4).pays(half, 1).build();
  mine_.block({first}).block({second});
  load(1);
  ask({1, 3, 4});
  EXPECT_FALSE(offer(proof(1, true)).fault);
  EXPECT_FALSE(offer(proof(3, true)).fault);
  EXPECT_FALSE(offer(first).fault) << "the first block's transaction may come yet";
  EXPECT_FALSE(offer(proof(4, true)).fault);
  EXPECT_EQ(offer(second).fault, DisconnectReason::MissingTransaction);
}

TEST_F(FilteredBlocksTest, ATransactionThatOnlyLooksLikeOneIsLeftOutOfItsBlock) {
  // 64 bytes without witness: it could be an inner node of the tree.
  chain::Transaction small = TxBuilder(5).pays(util::Bytes(4, 0x51), 1).build();
  ASSERT_EQ(small.serialize(chain::Witness::Strip).size(), 64U);
  mine_.block({small});
  load(1);
  ask({3});
  EXPECT_TRUE(offer(proof(3, true)).taken);
  const LaneStep step = offer(small);
  EXPECT_TRUE(step.taken);
  EXPECT_FALSE(step.fault);
  ASSERT_EQ(queue_.at(0).missing, 0U);
  ScannedBlock taken = queue_.take().result;
  method_.on_taken(taken);
  EXPECT_TRUE(taken.matched.empty());
}

TEST_F(FilteredBlocksTest, ATransactionThatBreaksTheRulesIsAFault) {
  chain::Transaction bad = TxBuilder(6).pays(test::op_true(), -1).build();
  mine_.block({bad});
  load(1);
  ask({3});
  EXPECT_TRUE(offer(proof(3, true)).taken);
  EXPECT_EQ(offer(bad).fault, DisconnectReason::BadTransaction);
}

TEST_F(FilteredBlocksTest, ABlockThatNoLongerCountsKeepsNothing) {
  load(1);
  ask({1});
  queue_.forget();
  method_.forget();
  EXPECT_TRUE(offer(proof(1, true)).taken);
  EXPECT_TRUE(queue_.at(0).result.proof.empty());
  EXPECT_FALSE(offer(payment_).taken);
  EXPECT_TRUE(blocks_.excuses(payment_, payment_.txid())) << "it was promised all the same";
}

}  // namespace
}  // namespace spv::sync
