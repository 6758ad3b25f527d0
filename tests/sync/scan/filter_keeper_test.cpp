// From which filter on a coin is held, whenever and wherever it was found.
#include "sync/scan/filter_keeper.h"

#include <gtest/gtest.h>

#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class FilterKeeperTest : public testing::Test {
 protected:
  static ProvenTransaction proven(const chain::Transaction& tx) { return {.index = 0, .txid = tx.txid(), .tx = tx}; }
  /// Pays us.
  [[nodiscard]] ProvenTransaction payment(std::uint64_t nonce) const {
    return proven(TxBuilder(nonce).pays(test::p2wpkh(hash_), 500).build());
  }
  static chain::OutPoint coin_of(const ProvenTransaction& payment) { return {.txid = payment.txid, .index = 0}; }
  void plan(const std::set<chain::OutPoint>& coins = {}) { plan_of({hash_}, coins); }
  void plan_of(const std::vector<util::Bytes>& elements, const std::set<chain::OutPoint>& coins = {}) {
    keeper_.plan(elements, {.tweak = 7, .decoy_seed = 9}, coins);
    window_.on_planned(*keeper_.planned());
  }
  [[nodiscard]] bool holds(const chain::OutPoint& coin) const { return keeper_.filter().contains(coin.bytes()); }
  /// A block is asked for under this filter.
  void ask(chain::Height height, FilterEpoch epoch) { board_.asked({height}, {.peer = 1, .epoch = epoch}, {}); }

  util::Bytes hash_ = util::Bytes(20, 0x11);
  FilterKeeper keeper_{0.000001};
  ScanWindow window_;
  ScanBoard board_;
};

TEST_F(FilterKeeperTest, EveryLoadIsAnEpochOfItsOwn) {
  EXPECT_EQ(keeper_.next_epoch(), 1U);
  EXPECT_EQ(keeper_.begin_epoch(), 1U);
  EXPECT_EQ(keeper_.begin_epoch(), 2U);
  EXPECT_EQ(keeper_.next_epoch(), 3U);
}

TEST_F(FilterKeeperTest, BeforeTheFirstPlanNoFilterHoldsAnything) {
  EXPECT_TRUE(keeper_.needs_plan(window_));
  EXPECT_FALSE(keeper_.planned().has_value());
  EXPECT_EQ(keeper_.learn(payment(1), board_), 1U);
  EXPECT_FALSE(keeper_.learn_ahead(payment(1)));
}

TEST_F(FilterKeeperTest, WhatIsLoadedIsThePlanOfAllElements) {
  plan();
  EXPECT_FALSE(keeper_.needs_plan(window_));
  EXPECT_TRUE(keeper_.filter().contains(hash_));
  EXPECT_EQ(keeper_.filter(), keeper_.planned()->filter);
}

TEST_F(FilterKeeperTest, ACoinThatABlockBringsIsHeldFromTheNextFilterOn) {
  plan();
  keeper_.begin_epoch();
  keeper_.begin_epoch();
  EXPECT_FALSE(holds(coin_of(payment(1))));
  EXPECT_EQ(keeper_.learn(payment(1), board_), 3U);
  EXPECT_TRUE(holds(coin_of(payment(1))));
}

TEST_F(FilterKeeperTest, ACoinThatIsFoundAgainIsHeldByAll) {
  plan();
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), 2U);
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), std::nullopt);
}

TEST_F(FilterKeeperTest, ATransactionWithoutACoinForUsChangesNothing) {
  plan();
  keeper_.begin_epoch();
  const auto before = keeper_.filter();
  const auto stranger = proven(TxBuilder(1).pays(test::p2wpkh(util::Bytes(20, 0x22)), 500).build());
  EXPECT_EQ(keeper_.learn(stranger, board_), std::nullopt);
  EXPECT_FALSE(keeper_.learn_ahead(stranger));
  EXPECT_EQ(keeper_.filter(), before);
}

TEST_F(FilterKeeperTest, ACoinThatWasPlannedForIsNewToTheFiltersBeforeThePlan) {
  board_.restart(10);
  keeper_.begin_epoch();
  keeper_.begin_epoch();
  ask(10, 2);
  const auto coin = coin_of(payment(1)).bytes();
  plan_of({hash_, util::Bytes(coin.begin(), coin.end())});
  EXPECT_EQ(keeper_.learn(payment(1), board_), 3U) << "a block is under way under an older one";
  board_.restart(10);
  ask(10, keeper_.begin_epoch());
  EXPECT_EQ(keeper_.learn(payment(1), board_), std::nullopt);
}

TEST_F(FilterKeeperTest, ACoinSeenAheadIsHeldFromTheFilterAfterItWasSeen) {
  plan();
  keeper_.begin_epoch();
  EXPECT_TRUE(keeper_.learn_ahead(payment(1)));
  EXPECT_TRUE(holds(coin_of(payment(1))));
  EXPECT_FALSE(keeper_.learn_ahead(payment(1))) << "it is known already";
  keeper_.begin_epoch();
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), 2U) << "when it is its block's turn";
}

TEST_F(FilterKeeperTest, ANewPlanKnowsNothingOfCoinsSeenAhead) {
  plan();
  keeper_.begin_epoch();
  EXPECT_TRUE(keeper_.learn_ahead(payment(1)));
  plan();
  EXPECT_FALSE(holds(coin_of(payment(1))));
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), 3U);
}

TEST_F(FilterKeeperTest, ACoinSeenAheadAgainUnderANewPlanIsHeldFromThenOn) {
  plan();
  keeper_.begin_epoch();
  EXPECT_TRUE(keeper_.learn_ahead(payment(1)));
  plan();
  keeper_.begin_epoch();
  EXPECT_TRUE(keeper_.learn_ahead(payment(1)));
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), 3U);
}

TEST_F(FilterKeeperTest, WhereSomethingElseIsWatchedItIsPlannedAgain) {
  plan();
  keeper_.begin_epoch();
  const auto before = keeper_.planned()->filter;
  keeper_.plan_again();
  EXPECT_TRUE(keeper_.needs_plan(window_));
  EXPECT_EQ(keeper_.planned()->filter, before) << "the last plan is still told";
  EXPECT_FALSE(keeper_.learn_ahead(payment(1)));
  EXPECT_EQ(keeper_.learn(payment(1), board_), 2U);
  plan_of({hash_, util::Bytes(20, 0x33)});
  EXPECT_FALSE(keeper_.needs_plan(window_));
  EXPECT_TRUE(keeper_.filter().contains(util::Bytes(20, 0x33)));
}

TEST_F(FilterKeeperTest, CoinsOfTheSliceAreLoadedButNotPlanned) {
  const auto coin = coin_of(payment(1));
  plan({coin});
  EXPECT_TRUE(holds(coin));
  EXPECT_FALSE(keeper_.planned()->filter.contains(coin.bytes()));
  keeper_.begin_epoch();
  EXPECT_EQ(keeper_.learn(payment(1), board_), std::nullopt);
}

TEST_F(FilterKeeperTest, ManyCoinsWearAPlanOut) {
  plan();
  std::uint64_t coins = 0;
  while (!keeper_.needs_plan(window_)) {
    ASSERT_LT(coins, 1'000U);
    (void)keeper_.learn(payment(coins++), board_);
  }
  EXPECT_GT(coins, 5U);
  plan();
  EXPECT_FALSE(keeper_.needs_plan(window_));
}

}  // namespace
}  // namespace spv::sync
