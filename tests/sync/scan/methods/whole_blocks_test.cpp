// Scanning by whole blocks as one method among others: what it takes, what it leaves, and what it makes of a block. The
// pipeline around it is in scan_lane_test.cpp.
#include "sync/scan/methods/whole_blocks.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class WholeBlocksTest : public testing::Test {
 protected:
  WholeBlocksTest() { mine_.block({payment_, TxBuilder(2).build()}).blocks(2); }

  void ask(const std::vector<chain::Height>& heights, BlockKind kind = BlockKind::Whole) {
    std::vector<chain::BlockRef> refs;
    for (const auto height : heights) refs.push_back({height, mine_.block(height).hash});
    queue_.add(refs, kind, 0, 77, now_);
  }
  [[nodiscard]] p2p::Block block(chain::Height height) const {
    auto body = mine_.block(height).serialize();
    body.erase(body.begin(), body.begin() + chain::BlockHeader::kSize);
    return p2p::Block::owning(mine_.block(height).header, body);
  }
  LaneStep offer(const p2p::Block& message, chain::Height next = 1) { return method_.on(message, next, queue_, now_); }

  chain::Transaction payment_ = TxBuilder(1).pays(test::p2wpkh(util::Bytes(20, 0x11)), 500).build();
  test::ChainBuilder mine_;
  int refreshed_ = 0;
  WholeMatcher matcher_{util::Rng(1), [this](BlockMatcher& matcher) {
                          ++refreshed_;
                          matcher.watch({payment_.outputs[0].script_pubkey}, {});
                        }};
  RequestQueue queue_{1};
  WholeBlocks blocks_{matcher_};
  ScanMethod& method_ = blocks_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(WholeBlocksTest, AsksForBlocksWithTheirWitnessUnderNoFilter) {
  EXPECT_EQ(method_.epoch(), 0U);
  const auto message = std::get<p2p::GetData>(method_.ask({mine_.tip()}));
  ASSERT_EQ(message.items.size(), 1U);
  EXPECT_EQ(message.items[0].type, p2p::InventoryType::WitnessBlock);
  EXPECT_EQ(message.items[0].hash, util::retag<util::Hash256>(mine_.tip().hash));
}

TEST_F(WholeBlocksTest, AMerkleblockIsLeftUntouched) {
  ask({1});
  const auto& mined = mine_.block(1);
  const auto payload = p2p::encode_payload(
      p2p::MerkleBlock{.header = mined.header, .tree = bip37::build_partial_tree(mined.txids, {false, true, false})});
  auto message = std::get<p2p::MerkleBlock>(*p2p::decode_payload("merkleblock", payload));
  EXPECT_FALSE(method_.on(message, queue_, now_).taken);
  EXPECT_EQ(message.payload, payload);
  EXPECT_EQ(p2p::encode_payload(message), payload);
  EXPECT_FALSE(queue_.at(0).answered);
}

TEST_F(WholeBlocksTest, ATransactionIsLeftUntouched) {
  ask({1});
  chain::Transaction tx = payment_;
  EXPECT_FALSE(method_.on(tx, tx.txid(), queue_, now_).taken);
  EXPECT_EQ(tx, payment_);
}

TEST_F(WholeBlocksTest, ABlockThatWasAskedForFilteredIsNotItsOwn) {
  ask({1}, BlockKind::Filtered);
  EXPECT_FALSE(offer(block(1)).taken);
  EXPECT_FALSE(queue_.at(0).answered);
  EXPECT_EQ(refreshed_, 0);
}

TEST_F(WholeBlocksTest, WhatABlockHoldsForUsIsProvenAsByAMerkleblock) {
  ask({1});
  EXPECT_TRUE(offer(block(1)).taken);
  const auto& result = queue_.at(0).result;
  EXPECT_EQ(result.transactions, 3U);
  EXPECT_EQ(result.time, mine_.block(1).header.time);
  ASSERT_EQ(result.matched.size(), 1U);
  EXPECT_EQ(result.matched[0].tx, payment_);
  const auto proof = p2p::decode_payload("merkleblock", result.proof);
  ASSERT_TRUE(proof);
  const auto proven = bip37::extract_matches(std::get<p2p::MerkleBlock>(*proof).tree);
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->root, mine_.block(1).header.merkle_root);
  EXPECT_EQ(proven->matches, (std::vector<bip37::Match>{{1, payment_.txid()}}));
}

TEST_F(WholeBlocksTest, ABlockWithNothingForUsHasNoProof) {
  ask({2});
  EXPECT_TRUE(offer(block(2), 2).taken);
  EXPECT_TRUE(queue_.at(0).result.proof.empty());
  EXPECT_EQ(queue_.held_bytes(), 0U);
}

TEST_F(WholeBlocksTest, WhatABlockSpendsIsNotedAndHeldWhereItWaits) {
  ask({1});
  EXPECT_TRUE(offer(block(1), 0).taken);
  const auto& result = queue_.at(0).result;
  ASSERT_FALSE(result.spends.empty());
  EXPECT_TRUE(matcher_.spends(result.spends, payment_.inputs[0].previous));
  EXPECT_EQ(queue_.held_bytes(), payment_.serialize().size() + result.spends.size() * sizeof(WatchSet::Fingerprint));
}

TEST_F(WholeBlocksTest, ABlockThatDoesNotHashToItsHeaderIsAFault) {
  ask({1});
  p2p::Block message = block(2);
  message.header = mine_.block(1).header;
  const LaneStep step = offer(message);
  EXPECT_TRUE(step.taken);
  EXPECT_EQ(step.fault, DisconnectReason::BadBlock);
}

TEST_F(WholeBlocksTest, ABlockThatNoLongerCountsIsTakenAndNotLookedAt) {
  ask({1});
  queue_.forget();
  EXPECT_TRUE(offer(block(1)).taken);
  EXPECT_TRUE(queue_.at(0).result.matched.empty());
  EXPECT_EQ(refreshed_, 0);
}

TEST_F(WholeBlocksTest, TheMatcherIsBroughtUpToDateWhenItIsNeededAndNotMoreOften) {
  ask({1, 2, 3});
  matcher_.renew();
  matcher_.renew();
  EXPECT_EQ(refreshed_, 0);
  EXPECT_TRUE(offer(block(1)).taken);
  EXPECT_EQ(refreshed_, 1);
  EXPECT_TRUE(offer(block(2)).taken);
  EXPECT_EQ(refreshed_, 1);
  matcher_.renew();
  EXPECT_TRUE(offer(block(3)).taken);
  EXPECT_EQ(refreshed_, 2);
}

}  // namespace
}  // namespace spv::sync
