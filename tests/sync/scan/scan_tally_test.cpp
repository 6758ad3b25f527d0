// What a scan's summary counts, and that a second look is not counted again.
#include "sync/scan/scan_tally.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

class ScanTallyTest : public testing::Test {
 protected:
  void apply(chain::Height height, std::uint32_t transactions, BlockKind kind = BlockKind::Filtered) {
    ScannedBlock block;
    block.request.kind = kind;
    block.block.height = height;
    block.transactions = transactions;
    tally_.on_applied(block);
  }
  static chain::Txid txid(std::uint8_t number) {
    chain::Txid txid;
    txid.bytes[0] = number;
    return txid;
  }
  [[nodiscard]] const ScanCounters& counters() const { return tally_.counters(); }

  ScanTally tally_;
};

TEST_F(ScanTallyTest, TheLowestBlockThatWasAskedForIsRemembered) {
  EXPECT_EQ(counters().scanned_from, -1);
  tally_.on_asked(20);
  tally_.on_asked(30);
  EXPECT_EQ(counters().scanned_from, 20);
  tally_.on_asked(0);
  EXPECT_EQ(counters().scanned_from, 0);
}

TEST_F(ScanTallyTest, BlocksAreCountedByTheirKindAndOnceHoweverManyAnswersThereAre) {
  for (int i = 0; i < 6; ++i) tally_.on_answer();
  for (const chain::Height height : {1, 2, 2, 3, 1}) apply(height, 1);
  apply(4, 1, BlockKind::Whole);
  EXPECT_EQ(counters().answers, 6U);
  EXPECT_EQ(counters().merkleblocks, 3U);
  EXPECT_EQ(counters().blocks, 1U);
}

TEST_F(ScanTallyTest, ASecondLookIsNotCountedAgain) {
  tally_.on_strangers(10, 2);
  apply(10, 100);
  tally_.on_strangers(10, 2);
  apply(10, 100);
  tally_.on_strangers(9, 2);
  apply(9, 100);
  EXPECT_EQ(counters().transactions, 100U);
  EXPECT_EQ(counters().false_positives, 2U);
}

TEST_F(ScanTallyTest, BlocksInThePlaceOfThoseThatWereLeftAreCounted) {
  for (chain::Height height = 10; height <= 12; ++height) apply(height, 100);
  tally_.go_back_to(11);
  tally_.on_strangers(12, 1);
  apply(11, 7);
  apply(12, 7);
  EXPECT_EQ(counters().transactions, 307U);
  EXPECT_EQ(counters().false_positives, 1U);
}

TEST_F(ScanTallyTest, AForkAboveWhatWasCountedChangesNothing) {
  apply(10, 100);
  tally_.go_back_to(50);
  apply(11, 100);
  EXPECT_EQ(counters().transactions, 200U);
}

TEST_F(ScanTallyTest, ATransactionIsOursOnceAndMatchesAreOursAndStrangers) {
  EXPECT_TRUE(tally_.on_ours(txid(1)));
  EXPECT_FALSE(tally_.on_ours(txid(1)));
  EXPECT_TRUE(tally_.on_ours(txid(2)));
  tally_.on_strangers(10, 3);
  apply(10, 100);
  EXPECT_EQ(counters().relevant, 2U);
  EXPECT_EQ(counters().matched, 5U);
}

TEST_F(ScanTallyTest, RescansAndBlocksAskedForAgainAreCounted) {
  tally_.on_rescan();
  tally_.on_asked_again(4);
  tally_.on_asked_again(5);
  EXPECT_EQ(counters().rescans, 1U);
  EXPECT_EQ(counters().asked_again, 9U);
}

}  // namespace
}  // namespace spv::sync
