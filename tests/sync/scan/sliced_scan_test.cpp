// When a stretch is worth several passes, how long it is, and in which order its passes come.
#include "sync/scan/sliced_scan.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/rng.h"

namespace spv::sync {
namespace {

class SlicedScanTest : public testing::Test {
 protected:
  static constexpr std::size_t kCapacity = 10;
  static constexpr chain::Height kFar = 1'000'000;

  static std::vector<util::Bytes> some_elements(std::size_t count) {
    util::Rng rng(count);
    std::vector<util::Bytes> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(rng.bytes(20));
    return elements;
  }
  /// A plan of so many elements; `capped`: its rate is out of reach.
  static bip37::FilterPlan plan_of(std::size_t elements, bool capped) {
    auto plan = bip37::plan_filter({}, 0.001, 1, 2, bip37::UpdateFlags::All);
    plan.elements = elements;
    plan.capped = capped;
    return plan;
  }
  void begin(chain::Height first, chain::Height last) { slices_.begin(first, last, some_elements(2 * kCapacity)); }
  /// Ends every pass of the stretch; gives what lies behind.
  chain::Height end_stretch() {
    chain::Height next = 0;
    while (slices_.active()) next = slices_.end_pass();
    return next;
  }
  [[nodiscard]] chain::Height length() const { return slices_.passes().last() - slices_.passes().first() + 1; }

  SlicedScan slices_{kCapacity, 1'000};
};

// --- when -----------------------------------------------------------------------------------------------------------

TEST_F(SlicedScanTest, WhatOneFilterHoldsNeedsNoSlices) {
  EXPECT_FALSE(slices_.is_due(0, kFar)) << "nothing is planned yet";
  slices_.on_planned(plan_of(1'000, false));
  EXPECT_FALSE(slices_.is_due(0, kFar));
}

TEST_F(SlicedScanTest, WhereTheRateIsOutOfReachSlicesAreDue) {
  slices_.on_planned(plan_of(25, true));
  EXPECT_TRUE(slices_.is_due(0, kFar));
}

TEST_F(SlicedScanTest, WhereAFilterMayHoldFewerThanItCouldSlicesAreDue) {
  SlicedScan slices(kCapacity, 5);
  slices.on_planned(plan_of(5, false));
  EXPECT_FALSE(slices.is_due(0, kFar));
  slices.on_planned(plan_of(6, false));
  EXPECT_TRUE(slices.is_due(0, kFar));
  slices.begin(0, kFar, some_elements(6));
  EXPECT_EQ(slices.passes().count(), 2U);
}

TEST_F(SlicedScanTest, FewBlocksAreNotWorthIt) {
  slices_.on_planned(plan_of(25, true));  // three slices
  EXPECT_FALSE(slices_.is_due(100, 110));
  EXPECT_TRUE(slices_.is_due(100, 111)) << "four blocks for each";
}

TEST_F(SlicedScanTest, ItMayTurnOutThatOneFilterDoes) {
  slices_.on_planned(plan_of(25, true));
  slices_.begin(0, kFar, some_elements(kCapacity));
  EXPECT_FALSE(slices_.active());
  EXPECT_FALSE(slices_.is_due(0, kFar)) << "until the next plan";
}

TEST_F(SlicedScanTest, APlanOfOneSliceDoesNotSayHowManyThereAre) {
  slices_.on_planned(plan_of(25, true));
  slices_.begin(0, kFar, some_elements(25));
  slices_.on_planned(plan_of(kCapacity, false));
  slices_.clear();
  EXPECT_FALSE(slices_.active());
  EXPECT_TRUE(slices_.is_due(0, kFar));
}

TEST_F(SlicedScanTest, APlanOfOneSliceSaysWhatItsPassCovers) {
  begin(0, kFar);
  const auto element = slices_.passes().elements().front();
  slices_.on_planned(bip37::plan_filter(slices_.passes().elements(), 0.000001, 7, 9, bip37::UpdateFlags::All));
  const auto tx = test::TxBuilder(1).pays(test::p2wpkh(element), 1).build();
  EXPECT_TRUE(slices_.passes().covers({.index = 0, .txid = tx.txid(), .tx = tx}));
}

// --- how long -------------------------------------------------------------------------------------------------------

TEST_F(SlicedScanTest, AStretchIsAsLongAsItMayBeAtFirst) {
  begin(10, kFar);
  EXPECT_EQ(length(), FilterSlices::kStretch);
}

TEST_F(SlicedScanTest, AfterACutTheNextStretchIsAsLongAsWhatWasLeft) {
  begin(10, kFar);
  slices_.passes().cut(49);
  EXPECT_EQ(end_stretch(), 50);
  begin(50, kFar);
  EXPECT_EQ(length(), 40);
}

TEST_F(SlicedScanTest, AfterEveryStretchWithoutACutTheNextIsTwiceAsLongUpToTheMost) {
  begin(0, kFar);
  slices_.passes().cut(399);
  chain::Height next = end_stretch();
  for (const chain::Height expected : {400, 800, 1'600, 2'000, 2'000}) {
    begin(next, kFar);
    EXPECT_EQ(length(), expected);
    next = end_stretch();
  }
}

TEST_F(SlicedScanTest, AShortStretchAtTheEndDoesNotMakeTheNextOneShort) {
  begin(10, 20);
  EXPECT_EQ(end_stretch(), 21);
  begin(21, kFar);
  EXPECT_EQ(length(), FilterSlices::kStretch);
}

TEST_F(SlicedScanTest, ACutInALaterPassCountsToo) {
  begin(10, kFar);
  slices_.end_pass();
  slices_.passes().cut(29);
  EXPECT_EQ(slices_.end_pass(), 30);
  begin(30, kFar);
  EXPECT_EQ(length(), 20);
}

// --- in which order -------------------------------------------------------------------------------------------------

TEST_F(SlicedScanTest, EveryPassBeginsAtTheFirstBlockAndTheLastLeadsBehindTheStretch) {
  slices_.begin(10, 59, some_elements(25));
  std::multiset<util::Bytes> looked_for;
  const auto look = [&] { looked_for.insert(slices_.passes().elements().begin(), slices_.passes().elements().end()); };
  look();
  EXPECT_EQ(slices_.end_pass(), 10);
  look();
  EXPECT_EQ(slices_.end_pass(), 10);
  look();
  EXPECT_EQ(slices_.end_pass(), 60);
  EXPECT_FALSE(slices_.active());
  const auto all = some_elements(25);
  EXPECT_EQ(looked_for, std::multiset<util::Bytes>(all.begin(), all.end()));
}

TEST_F(SlicedScanTest, TheWalletsHearOfNothingBeforeTheLastPass) {
  EXPECT_EQ(slices_.position(15), 15);
  begin(10, 59);
  EXPECT_TRUE(slices_.holds());
  EXPECT_EQ(slices_.position(15), 10);
  slices_.end_pass();
  EXPECT_FALSE(slices_.holds());
  EXPECT_EQ(slices_.position(15), 15);
}

TEST_F(SlicedScanTest, APassGoesOnUpToItsLastBlock) {
  EXPECT_TRUE(slices_.goes_on(kFar)) << "without slices there is no end";
  begin(10, 59);
  EXPECT_TRUE(slices_.goes_on(59));
  EXPECT_FALSE(slices_.goes_on(60));
  slices_.passes().cut(40);
  EXPECT_TRUE(slices_.goes_on(40));
  EXPECT_FALSE(slices_.goes_on(41));
}

}  // namespace
}  // namespace spv::sync
