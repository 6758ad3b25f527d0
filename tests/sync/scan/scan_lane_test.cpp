// One peer's pipeline, message by message: what a scenario would show only after a whole sync.
#include "sync/scan/scan_lane.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;
using test::ChainBuilder;
using test::TxBuilder;

class ScanLaneTest : public testing::Test {
 protected:
  ScanLaneTest() {
    mine_.block({payment_, TxBuilder(2).build()}).blocks(2);
    load();
  }

  void load() {
    bip37::BloomFilter filter(bip37::design_filter(10, 0.000001), 7, bip37::UpdateFlags::All);
    filter.insert(hash_);
    lane_.load_filter(filter, ++epoch_, out_);
    (void)out_.take();
  }
  void ask(chain::Height first, chain::Height last, std::uint64_t fence) {
    std::vector<chain::BlockRef> blocks;
    for (auto h = first; h <= last; ++h) blocks.push_back({h, mine_.block(h).hash});
    lane_.request(blocks, BlockKind::Filtered, fence, now_, out_);
  }
  p2p::MerkleBlock proof(chain::Height height, bool matched) const {
    const auto& block = mine_.block(height);
    std::vector<bool> picks(block.txs.size(), false);
    if (matched) picks[1] = true;
    return {block.header, bip37::build_partial_tree(block.txids, picks)};
  }
  std::optional<DisconnectReason> prove(p2p::MerkleBlock message) { return lane_.on(message, now_).fault; }
  std::optional<DisconnectReason> deliver(const chain::Transaction& tx) {
    chain::Transaction copy = tx;
    const LaneStep step = lane_.on(copy, tx.txid(), now_);
    EXPECT_TRUE(step.taken);
    return step.fault;
  }
  std::optional<DisconnectReason> pong(std::uint64_t nonce) { return lane_.on(p2p::Pong{nonce}, known_, now_).fault; }

  util::Bytes hash_ = util::Bytes(20, 0x11);
  chain::Transaction payment_ = TxBuilder(1).pays(test::p2wpkh(hash_), 500).build();
  ChainBuilder mine_;
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
  WholeMatcher matcher_{util::Rng(1), [](BlockMatcher&) {}};
  ScanLane lane_{1, true, matcher_};
  FilterEpoch epoch_ = 0;
  const chain::Transaction* held_ = nullptr;
  KnownTransactions known_ = [this](const chain::Txid&) { return held_; };
};

TEST_F(ScanLaneTest, ABatchIsAGetdataClosedByAPing) {
  ask(1, 3, 77);
  const auto actions = out_.take();
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_EQ(std::get<p2p::GetData>(std::get<Send>(actions[0]).message).items.size(), 3U);
  EXPECT_EQ(std::get<p2p::Ping>(std::get<Send>(actions[1]).message).nonce, 77U);
  EXPECT_EQ(lane_.in_flight(), 3U);
}

TEST_F(ScanLaneTest, ABlockIsTakenOnceItsTransactionsAreThere) {
  ask(1, 2, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(lane_.take().has_value());
  EXPECT_FALSE(deliver(payment_));
  const auto block = lane_.take();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->block.height, 1);
  ASSERT_EQ(block->matched.size(), 1U);
  EXPECT_EQ(block->matched[0].index, 1U);
  EXPECT_EQ(block->matched[0].tx, payment_);
  EXPECT_EQ(block->transactions, 3U);
}

TEST_F(ScanLaneTest, BlocksAreTakenInTheOrderOfTheRequests) {
  ask(1, 3, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(prove(proof(2, false)));
  EXPECT_FALSE(lane_.take().has_value());
  EXPECT_FALSE(deliver(payment_));
  EXPECT_EQ(lane_.take()->block.height, 1);
  EXPECT_EQ(lane_.take()->block.height, 2);
  EXPECT_EQ(lane_.in_flight(), 1U);
}

TEST_F(ScanLaneTest, M10_WhatIsMissingAtTheFenceIsAFault) {
  ask(1, 1, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_EQ(pong(77), DisconnectReason::MissingTransaction);
}

TEST_F(ScanLaneTest, M10_WhatWeHoldAlreadyMayBeMissing) {
  ask(1, 1, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  held_ = &payment_;
  EXPECT_FALSE(pong(77));
  EXPECT_EQ(lane_.take()->matched[0].tx, payment_);
}

TEST_F(ScanLaneTest, ABlockMissingAtTheFenceIsNotServed) {
  ask(1, 2, 77);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_EQ(pong(77), DisconnectReason::BlocksNotServed);
}

TEST_F(ScanLaneTest, ABlockPassedOverIsNotServed) {
  ask(1, 2, 77);
  EXPECT_EQ(prove(proof(2, false)), DisconnectReason::BlocksNotServed);
}

TEST_F(ScanLaneTest, M12_ABlockThatNobodyAskedForConfirmsNothing) {
  ask(2, 3, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(lane_.take().has_value());
}

TEST_F(ScanLaneTest, M11_ASecondCopyOfABlockChangesNothing) {
  ask(1, 2, 77);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_TRUE(lane_.take()->matched.empty());
}

TEST_F(ScanLaneTest, M11_ASecondCopyIsNoAnswerToALaterRequestForTheSameBlock) {
  ask(1, 1, 77);
  load();
  ask(1, 1, 78);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_EQ(lane_.take()->request.epoch, 1U);
  EXPECT_FALSE(lane_.take().has_value()) << "the copy was made under the first filter";
  EXPECT_FALSE(pong(77));
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(deliver(payment_));
  const auto again = lane_.take();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->request.epoch, 2U);
  EXPECT_EQ(again->matched.size(), 1U);
}

TEST_F(ScanLaneTest, ABlockSaysUnderWhichFilterItWasAskedFor) {
  ask(1, 1, 77);
  load();
  ask(2, 3, 78);
  EXPECT_EQ(lane_.in_flight(), 3U);
  EXPECT_EQ(lane_.in_flight_now(), 2U);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_FALSE(pong(77));
  for (chain::Height h = 2; h <= 3; ++h) EXPECT_FALSE(prove(proof(h, false)));
  EXPECT_EQ(lane_.take()->request, (RequestId{1, 1, 0}));
  EXPECT_EQ(lane_.take()->request, (RequestId{1, 2, 1}));
  EXPECT_EQ(lane_.take()->request, (RequestId{1, 2, 2}));
}

// The node still has the old filter when it serves what was asked for before the new one.
TEST_F(ScanLaneTest, ABlockIsHeldAgainstTheFilterItWasAskedForUnder) {
  ask(1, 1, 77);
  lane_.load_filter(bip37::BloomFilter(bip37::design_filter(10, 0.000001), 7, bip37::UpdateFlags::All), ++epoch_, out_);
  ask(1, 1, 78);
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(deliver(payment_));
  EXPECT_TRUE(lane_.take().has_value());
  EXPECT_FALSE(lane_.ignores_filter());
  EXPECT_FALSE(pong(77));
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(deliver(payment_));
  EXPECT_TRUE(lane_.take().has_value());
  EXPECT_TRUE(lane_.ignores_filter());
}

TEST_F(ScanLaneTest, AnswersToForgottenRequestsDoNotCount) {
  ask(1, 2, 77);
  lane_.forget_requests();
  ask(1, 2, 78);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_FALSE(prove(proof(2, false)));
  EXPECT_FALSE(pong(77));
  EXPECT_FALSE(lane_.take().has_value());
  EXPECT_FALSE(prove(proof(1, true)));
  EXPECT_FALSE(deliver(payment_));
  EXPECT_EQ(lane_.take()->matched.size(), 1U);
}

TEST_F(ScanLaneTest, TransactionsOfForgottenBlocksAreExcused) {
  ask(1, 1, 77);
  EXPECT_FALSE(prove(proof(1, true)));
  lane_.forget_requests();
  const auto foreign = TxBuilder(9).build();
  EXPECT_TRUE(lane_.excuses(foreign, foreign.txid()));
  EXPECT_FALSE(lane_.excuses(foreign, foreign.txid()));
  EXPECT_TRUE(lane_.excuses(payment_, payment_.txid()));  // matches
}

TEST_F(ScanLaneTest, AStrictPeerThatDeliversWhatTheFilterDoesNotMatchIgnoresIt) {
  ask(1, 1, 77);
  const auto& block = mine_.block(1);
  EXPECT_FALSE(prove({block.header, bip37::build_partial_tree(block.txids, {false, false, true})}));
  EXPECT_FALSE(deliver(block.txs[2]));
  ASSERT_TRUE(lane_.take().has_value());
  EXPECT_TRUE(lane_.ignores_filter());
}

TEST_F(ScanLaneTest, SilenceHasADeadlineAndProgressMovesIt) {
  EXPECT_FALSE(lane_.deadline().has_value());
  ask(1, 2, 77);
  EXPECT_EQ(lane_.deadline(), now_.monotonic + FilteredBlocks::kStallTimeout);
  now_.monotonic += seconds(8);
  EXPECT_FALSE(prove(proof(1, false)));
  EXPECT_EQ(lane_.deadline(), now_.monotonic + FilteredBlocks::kStallTimeout);
  EXPECT_FALSE(prove(proof(2, false)));
  while (lane_.take()) continue;
  EXPECT_TRUE(lane_.deadline().has_value());  // the fence is still out
  EXPECT_FALSE(pong(77));
  EXPECT_FALSE(lane_.deadline().has_value());
}

TEST_F(ScanLaneTest, APongThatClosesNothingChangesNothing) {
  ask(1, 1, 77);
  EXPECT_FALSE(pong(5));
  EXPECT_EQ(lane_.in_flight(), 1U);
}

class WholeLaneTest : public ScanLaneTest {
 protected:
  WholeLaneTest() { matcher_.fresh().watch({payment_.outputs[0].script_pubkey}, {}); }

  void ask_whole(chain::Height first, chain::Height last, std::uint64_t fence) {
    std::vector<chain::BlockRef> blocks;
    for (auto h = first; h <= last; ++h) blocks.push_back({h, mine_.block(h).hash});
    whole_.request(blocks, BlockKind::Whole, fence, now_, out_);
  }
  std::optional<DisconnectReason> deliver_whole(chain::Height height) {
    auto bytes = mine_.block(height).serialize();
    bytes.erase(bytes.begin(), bytes.begin() + chain::BlockHeader::kSize);
    const LaneStep step = whole_.on(p2p::Block::owning(mine_.block(height).header, bytes), 1, now_);
    asked_ = step.taken;
    return step.fault;
  }

  ScanLane whole_{2, true, matcher_};
  bool asked_ = false;
};

TEST_F(WholeLaneTest, NeedsNoFilterAndAsksForBlocksWithTheirWitness) {
  ask_whole(1, 3, 77);
  const auto actions = out_.take();
  ASSERT_EQ(actions.size(), 2U);
  for (const auto& item : std::get<p2p::GetData>(std::get<Send>(actions[0]).message).items) {
    EXPECT_EQ(item.type, p2p::InventoryType::WitnessBlock);
  }
  EXPECT_EQ(whole_.in_flight(BlockKind::Whole), 3U);
}

TEST_F(WholeLaneTest, ABlockIsCompleteAtOnce) {
  ask_whole(1, 2, 77);
  EXPECT_FALSE(deliver_whole(1));
  EXPECT_TRUE(asked_);
  const auto block = whole_.take();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->matched.size(), 1U);
  EXPECT_EQ(block->matched[0].tx, payment_);
  EXPECT_TRUE(block->spends.empty());  // its turn has come
  EXPECT_FALSE(deliver_whole(2));
  EXPECT_FALSE(whole_.take()->spends.empty());
  EXPECT_EQ(whole_.in_flight(), 0U);
}

TEST_F(WholeLaneTest, WhatNobodyAskedForIsNotTaken) {
  EXPECT_FALSE(deliver_whole(1));
  EXPECT_FALSE(asked_);
  ask_whole(1, 1, 77);
  p2p::MerkleBlock filtered = proof(1, false);
  EXPECT_FALSE(whole_.on(filtered, now_).taken) << "a merkleblock does not answer it";
  EXPECT_FALSE(whole_.take().has_value());
}

TEST_F(WholeLaneTest, ABlockPassedOverOrMissingAtTheFenceIsNotServed) {
  ask_whole(1, 2, 77);
  EXPECT_EQ(deliver_whole(2), DisconnectReason::BlocksNotServed);
  ScanLane other{3, true, matcher_};
  std::swap(whole_, other);
  ask_whole(1, 1, 78);
  EXPECT_EQ(whole_.on(p2p::Pong{78}, known_, now_).fault, DisconnectReason::BlocksNotServed);
}

TEST_F(WholeLaneTest, ABlockThatNoLongerCountsIsPassedOver) {
  ask_whole(1, 2, 77);
  whole_.forget_requests();
  EXPECT_FALSE(deliver_whole(1));
  EXPECT_TRUE(asked_);
  EXPECT_FALSE(whole_.take().has_value());
}

}  // namespace
}  // namespace spv::sync
