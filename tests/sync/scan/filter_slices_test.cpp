// What is shared out over several filters, what waits for the last of them, and when a stretch ends.
#include "sync/scan/filter_slices.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "bip37/filter_plan.h"
#include "sync/scan/scan_window.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/rng.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class FilterSlicesTest : public testing::Test {
 protected:
  /// Public key hashes, as a wallet of wpkh scripts has them.
  static std::vector<util::Bytes> some_elements(std::size_t count) {
    util::Rng rng(count);
    std::vector<util::Bytes> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(rng.bytes(20));
    return elements;
  }
  static ScannedBlock found(chain::Height height, std::size_t bytes = 100) {
    ScannedBlock block;
    block.block.height = height;
    block.matched.push_back(proven(TxBuilder(1).pays(util::Bytes(bytes), 1).build()));
    return block;
  }
  static ProvenTransaction proven(const chain::Transaction& tx) { return {.index = 0, .txid = tx.txid(), .tx = tx}; }
  void plan() {
    const auto plan = bip37::plan_filter(slices_.elements(), 0.000001, 7, 9, bip37::UpdateFlags::All);
    slices_.on_planned(plan.filter);
  }

  FilterSlices slices_;
};

TEST_F(FilterSlicesTest, EveryElementIsInOneSliceAndNoSliceIsMuchLargerThanOthers) {
  const auto elements = some_elements(50'000);
  slices_.begin(10, 100, elements, 7'380);
  ASSERT_EQ(slices_.count(), 7U);
  std::multiset<util::Bytes> all;
  do {
    EXPECT_NEAR(static_cast<double>(slices_.elements().size()), 50'000.0 / 7, 400);
    all.insert(slices_.elements().begin(), slices_.elements().end());
  } while (slices_.next());
  EXPECT_EQ(all, std::multiset<util::Bytes>(elements.begin(), elements.end()));
  EXPECT_FALSE(slices_.active());
}

TEST_F(FilterSlicesTest, AnElementStaysInItsSliceWhateverComesBesideIt) {
  auto elements = some_elements(200);
  slices_.begin(10, 100, elements, 101);
  const std::set<util::Bytes> first(slices_.elements().begin(), slices_.elements().end());
  std::ranges::reverse(elements);
  elements.push_back(util::Bytes(36, 7));
  slices_.begin(10, 100, elements, 101);
  for (const auto& element : slices_.elements()) EXPECT_TRUE(first.contains(element) || element == util::Bytes(36, 7));
}

TEST_F(FilterSlicesTest, AStretchIsNoLongerThanTwoThousandBlocks) {
  slices_.begin(10, 1'000'000, some_elements(20), 10);
  EXPECT_EQ(slices_.first(), 10);
  EXPECT_EQ(slices_.last(), 2'009);
  slices_.begin(10, 12, some_elements(20), 10);
  EXPECT_EQ(slices_.last(), 12);
}

TEST_F(FilterSlicesTest, WhatEarlierPassesFoundWaitsForTheLast) {
  slices_.begin(10, 100, some_elements(30), 10);
  slices_.hold(found(20));
  slices_.hold(found(21));
  ASSERT_TRUE(slices_.next());
  EXPECT_TRUE(slices_.holds());
  EXPECT_TRUE(slices_.has_found(20));
  EXPECT_FALSE(slices_.has_found(22));
  slices_.hold(found(20));
  ASSERT_TRUE(slices_.next());
  EXPECT_FALSE(slices_.holds());
  const auto parts = slices_.take(20);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].pass, 0U);
  EXPECT_EQ(parts[1].pass, 1U);
  EXPECT_TRUE(slices_.take(20).empty());
  EXPECT_EQ(slices_.take(21).size(), 1U);
}

// A node sends none; from another one they would only take room.
TEST_F(FilterSlicesTest, WhatWaitsHasNoWitness) {
  slices_.begin(10, 100, some_elements(20), 10);
  ScannedBlock block = found(20, 1'000);
  block.matched.front().tx.inputs.front().witness = {util::Bytes(7'000'000)};
  block.bytes = 7'001'000;
  slices_.hold(block);
  slices_.on_block(20);
  EXPECT_FALSE(slices_.was_cut());
  const auto parts = slices_.take(20);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_FALSE(parts.front().block.matched.front().tx.has_witness());
  EXPECT_LT(parts.front().block.bytes, 1'200U);
}

// Each of two passes has half of the room: what the first leaves over is the second's.
TEST_F(FilterSlicesTest, WhereMuchIsFoundTheStretchEndsEarlyAndKeepsNothingAbove) {
  slices_.begin(10, 100, some_elements(20), 10);
  slices_.hold(found(20, 3'000'000));
  slices_.on_block(20);
  EXPECT_EQ(slices_.last(), 100);
  EXPECT_FALSE(slices_.was_cut());
  slices_.hold(found(30, 1'500'000));
  slices_.on_block(30);
  EXPECT_EQ(slices_.last(), 30);
  EXPECT_TRUE(slices_.was_cut());
  ASSERT_TRUE(slices_.next());
  slices_.hold(found(25, 4'000'000));
  slices_.on_block(25);
  EXPECT_EQ(slices_.last(), 25);
  EXPECT_TRUE(slices_.take(30).empty());
  EXPECT_EQ(slices_.take(20).size(), 1U);
}

TEST_F(FilterSlicesTest, ACoinOfThePresentSliceIsRememberedAndOneOfAnotherIsNot) {
  const auto elements = some_elements(20);
  slices_.begin(10, 100, elements, 10);
  plan();
  const auto mine = slices_.elements().front();
  const auto other = *std::ranges::find_if(elements, [&](const auto& element) {
    return std::ranges::find(slices_.elements(), element) == slices_.elements().end();
  });
  const auto tx = TxBuilder(1).pays(test::p2wpkh(mine), 1).pays(test::p2wpkh(other), 2).build();
  slices_.note_coins(proven(tx));
  EXPECT_EQ(slices_.coins(), (std::set<chain::OutPoint>{{tx.txid(), 0}}));
  const auto spend = TxBuilder(2).spends({tx.txid(), 0}).pays(test::p2wpkh(util::Bytes(20, 1)), 1).build();
  EXPECT_TRUE(slices_.spends_coin(spend));
  EXPECT_TRUE(slices_.covers(proven(spend)));
  EXPECT_TRUE(slices_.covers(proven(tx)));
  const auto foreign = TxBuilder(3).spends({tx.txid(), 1}).pays(test::p2wpkh(other), 1).build();
  EXPECT_FALSE(slices_.covers(proven(foreign))) << "a peer that leaves it out in this pass does not lie";
  ASSERT_TRUE(slices_.next());
  EXPECT_FALSE(slices_.spends_coin(spend));
}

// Where a pass has found as many coins as it may, its filters, which no new plan can shed them from, have room yet.
TEST_F(FilterSlicesTest, CoinsUpToTheEndOfAStretchDoNotWearItsFiltersOut) {
  for (const double rate : {0.01, 0.0001, 0.000001, 0.00000001}) {
    const std::size_t capacity = bip37::filter_capacity(rate);
    slices_.begin(10, 100, some_elements(2 * capacity), capacity);
    const auto plan = bip37::plan_filter(slices_.elements(), rate, 7, 9, bip37::UpdateFlags::All);
    slices_.on_planned(plan.filter);
    ScanWindow window;
    window.on_planned(plan);
    bip37::BloomFilter filter = plan.filter;
    for (std::uint64_t i = 0; slices_.last() == 100; ++i) {
      EXPECT_FALSE(window.is_worn(bip37::FilterMirror(filter))) << rate << ", " << i << " coins";
      slices_.note_coins(proven(TxBuilder(i).pays(test::p2wpkh(slices_.elements().front()), 1).build()));
      filter.insert(
          chain::OutPoint{TxBuilder(i).pays(test::p2wpkh(slices_.elements().front()), 1).build().txid(), 0}.bytes());
      slices_.on_block(50);
    }
  }
}

TEST_F(FilterSlicesTest, WhatAPassMustHaveMatchedIsMissedThere) {
  const auto elements = some_elements(20);
  slices_.begin(10, 100, elements, 10);
  plan();
  const auto tx = TxBuilder(1).pays(test::p2wpkh(slices_.elements().front()), 1).build();
  EXPECT_TRUE(slices_.was_left_out(proven(tx), {}));
  EXPECT_FALSE(slices_.was_left_out(proven(tx), {0}));
  ASSERT_TRUE(slices_.next());
  plan();
  EXPECT_TRUE(slices_.was_left_out(proven(tx), {1})) << "by whatever chance it came in another pass";
  EXPECT_FALSE(slices_.was_left_out(proven(tx), {0, 1}));
}

TEST_F(FilterSlicesTest, ManyCoinsEndTheStretchSoThatTheNextFiltersHoldThem) {
  slices_.begin(10, 100, some_elements(4'000), 3'200);
  plan();
  const auto element = slices_.elements().front();
  for (std::uint64_t i = 0; i < 100; ++i)
    slices_.note_coins(proven(TxBuilder(i).pays(test::p2wpkh(element), 1).build()));
  slices_.on_block(50);
  EXPECT_EQ(slices_.last(), 100);
  slices_.note_coins(proven(TxBuilder(100).pays(test::p2wpkh(element), 1).build()));
  slices_.on_block(51);
  EXPECT_EQ(slices_.last(), 51);
}

TEST_F(FilterSlicesTest, ABlockIsAttestedOnceTwoPeersGaveItAlikeInEveryPass) {
  EXPECT_TRUE(slices_.attest(5)) << "with one filter there is one pass";
  slices_.begin(10, 100, some_elements(20), 10);
  EXPECT_FALSE(slices_.attest(20));
  EXPECT_FALSE(slices_.attest(21));
  ASSERT_TRUE(slices_.next());
  EXPECT_TRUE(slices_.attest(20));
}

}  // namespace
}  // namespace spv::sync
