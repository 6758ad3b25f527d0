#include "wallet/balance.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/resources.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

const chain::Txid kNowhere{{1, 2, 3}};

using test::TxBuilder;

class BalanceTest : public ::testing::Test {
 protected:
  Wallet wallet_ = test::sample_wallet();
  const chain::Transaction paid_ = TxBuilder().pays(test::receive_script(0), 5'000).build();
};

TEST_F(BalanceTest, AnEmptyWalletHoldsNothing) {
  EXPECT_EQ(wallet_.balance(), Balance{});
  EXPECT_TRUE(wallet_.coins().empty());
  EXPECT_TRUE(wallet_.history().empty());
}

TEST_F(BalanceTest, APaymentIsUnconfirmedThenConfirmed) {
  test::see(wallet_, paid_);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 0, .unconfirmed = 5'000, .immature = 0}));
  ASSERT_EQ(wallet_.coins().size(), 1U);
  EXPECT_FALSE(wallet_.coins()[0].spendable);
  EXPECT_EQ(wallet_.coins()[0].confirmations, 0U);
  test::confirm(wallet_, paid_, 10);
  wallet_.set_scan(test::scanned_to(12));
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 5'000, .unconfirmed = 0, .immature = 0}));
  const Coin coin = wallet_.coins().at(0);
  EXPECT_TRUE(coin.spendable);
  EXPECT_EQ(coin.confirmations, 3U);
  EXPECT_EQ(coin.height, 10);
  EXPECT_EQ(coin.outpoint, test::outpoint(paid_));
  EXPECT_EQ(coin.script, test::receive_script(0));
}

TEST_F(BalanceTest, AnUnconfirmedSpendCountsNetAndFreesItsChange) {
  test::confirm(wallet_, paid_, 10);
  const auto spend =
      TxBuilder().spends(paid_).pays(test::foreign_script(), 3'000).pays(test::change_script(0), 1'900).build();
  test::see(wallet_, spend);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 5'000, .unconfirmed = -3'100, .immature = 0}));
  EXPECT_EQ(wallet_.balance().total(), 1'900);
  ASSERT_EQ(wallet_.coins().size(), 1U);
  EXPECT_EQ(wallet_.coins()[0].chain, 1U);
}

TEST_F(BalanceTest, W9_AChainWithinOneBlockAndASpendWithoutChangeAreFollowed) {
  const auto first = TxBuilder().spends(paid_).pays(test::change_script(0), 4'000).build();
  const auto second = TxBuilder().spends(first).pays(test::foreign_script(), 3'900).build();
  test::confirm(wallet_, paid_, 10, 1), test::confirm(wallet_, first, 10, 2);
  EXPECT_EQ(wallet_.balance().confirmed, 4'000);
  test::confirm(wallet_, second, 10, 3);
  EXPECT_EQ(wallet_.balance(), Balance{});
  const auto history = wallet_.history();
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].txid, second.txid());
  EXPECT_EQ(history[0].net, -4'000);
  EXPECT_EQ(history[0].fee, 100);
  EXPECT_EQ(history[1].net, -1'000);
  EXPECT_EQ(history[2].net, 5'000);
  EXPECT_FALSE(history[2].fee) << "its input is not known";
}

TEST_F(BalanceTest, AFeeIsKnownOnlyWhereEveryInputIs) {
  test::confirm(wallet_, paid_, 10);
  const auto joint =
      TxBuilder().spends(paid_).spends(test::outpoint(TxBuilder().build())).pays(test::foreign_script(), 6'000).build();
  test::confirm(wallet_, joint, 11);
  EXPECT_FALSE(wallet_.history()[0].fee);
  EXPECT_EQ(wallet_.history()[0].net, -5'000);
}

TEST_F(BalanceTest, AForgedSpendOfMoreThanItHasShowsNoFee) {
  test::confirm(wallet_, paid_, 10);
  test::see(wallet_, TxBuilder().spends(paid_).pays(test::receive_script(1), 9'000).build());
  EXPECT_FALSE(wallet_.history()[0].fee);
}

TEST_F(BalanceTest, AFeeOfNothingIsAFee) {
  test::confirm(wallet_, paid_, 10);
  test::confirm(wallet_, TxBuilder().spends(paid_).pays(test::foreign_script(), 5'000).build(), 11);
  EXPECT_EQ(wallet_.history()[0].fee, 0);
}

TEST_F(BalanceTest, W3_ACoinbaseIsMatureWhenTheNextBlockMaySpendIt) {
  test::confirm(wallet_, TxBuilder::coinbase(10, test::receive_script(0), 700), 10, 0);
  wallet_.set_scan(test::scanned_to(108));
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 0, .unconfirmed = 0, .immature = 700}));
  EXPECT_FALSE(wallet_.coins().at(0).spendable);
  EXPECT_EQ(wallet_.coins().at(0).confirmations, 99U);
  wallet_.set_scan(test::scanned_to(109));
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 700, .unconfirmed = 0, .immature = 0}));
  EXPECT_TRUE(wallet_.coins().at(0).spendable);
  EXPECT_TRUE(wallet_.coins().at(0).coinbase);
  EXPECT_FALSE(wallet_.history()[0].fee);
}

TEST_F(BalanceTest, W3_AReorganisedCoinbaseCountsNowhere) {
  test::confirm(wallet_, TxBuilder::coinbase(10, test::receive_script(0), 700), 10, 0);
  wallet_.set_scan(test::scanned_to(10));
  wallet_.disconnect_above(test::block_at(9));
  EXPECT_EQ(wallet_.balance(), Balance{});
  EXPECT_TRUE(wallet_.coins().empty());
  EXPECT_EQ(wallet_.history()[0].status, TxStatus::Conflicted);
}

TEST_F(BalanceTest, W1_SumsOfForgedAmountsStopAtTwentyOneMillion) {
  const auto huge = [] { return TxBuilder().pays(test::receive_script(0), chain::kMaxMoney).build(); };
  TxBuilder spends_all;
  for (int i = 0; i < 2'000; ++i) {
    const auto tx = huge();
    test::see(wallet_, tx);
    spends_all.spends(tx);
  }
  EXPECT_EQ(wallet_.balance().unconfirmed, chain::kMaxMoney);
  const auto sweep = spends_all.pays(test::foreign_script(), 1).build();
  test::see(wallet_, sweep);
  EXPECT_EQ(wallet_.balance().unconfirmed, 0);
  EXPECT_EQ(wallet_.history().size(), 2'001U);
  // As a sum of its inputs it would not fit into 64 bits if there were three times as many.
  EXPECT_EQ(wallet_.net_of(sweep), -chain::kMaxMoney);
}

TEST_F(BalanceTest, R8_ForgedInputsCannotFillTheFilter) {
  TxBuilder forged;
  for (std::uint32_t i = 0; i < 2'000; ++i) forged.spends(chain::OutPoint{kNowhere, i});
  test::see(wallet_, forged.pays(test::receive_script(0), 1).build());
  EXPECT_EQ(wallet_.watched_outpoints().size(), 1U);  // its output, and none of its inputs
}

TEST_F(BalanceTest, R8_FiveHundredInputsOfUnconfirmedOnesAreWatchedAndNotOneMore) {
  TxBuilder most;
  for (std::uint32_t i = 0; i < 500; ++i) most.spends(chain::OutPoint{kNowhere, i});
  test::see(wallet_, most.pays(test::receive_script(0), 1).build());
  EXPECT_EQ(wallet_.watched_outpoints().size(), 501U);
  test::see(wallet_, TxBuilder().spends(chain::OutPoint{kNowhere, 777}).pays(test::receive_script(1), 1).build());
  EXPECT_EQ(wallet_.watched_outpoints().size(), 3U) << "the newest first, and then there is no room for 500";
}

TEST_F(BalanceTest, ASpentCoinIsWatchedForGoodWhereARivalOfTheSpendIsKnown) {
  test::confirm(wallet_, paid_, 10);
  test::see(wallet_, TxBuilder(1).spends(paid_).pays(test::foreign_script(), 4'000).build());
  test::confirm(wallet_, TxBuilder(2).spends(paid_).pays(test::foreign_script(), 3'000).build(), 11);
  wallet_.set_scan(test::scanned_to(5'000));
  EXPECT_EQ(wallet_.watched_outpoints(), std::vector{test::outpoint(paid_)});
}

TEST_F(BalanceTest, R8_WhatNoNodeRelaysIsNotTakenOutsideABlock) {
  TxBuilder large;
  for (std::uint32_t i = 0; i < 3'000; ++i) large.spends(chain::OutPoint{kNowhere, i});
  const auto tx = large.pays(test::receive_script(0), 1).build();
  test::see(wallet_, tx);
  EXPECT_TRUE(wallet_.history().empty());
  test::confirm(wallet_, tx, 5);
  EXPECT_EQ(wallet_.history().size(), 1U);
}

TEST_F(BalanceTest, ConfirmationsAreAtLeastOneWhereTheScanIsBehind) {
  wallet_.set_scan(test::scanned_to(5));
  test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(wallet_.history()[0].confirmations, 1U);
}

TEST_F(BalanceTest, HistoryIsNewestFirst) {
  const auto at = [&](chain::Height height, std::uint32_t index) {
    const auto tx = TxBuilder().pays(test::receive_script(0), 10).build();
    test::confirm(wallet_, tx, height, index);
    return tx.txid();
  };
  const auto low = at(5, 9);
  const auto high_second = at(8, 2);
  const auto high_first = at(8, 1);
  test::see(wallet_, paid_);
  const auto history = wallet_.history();
  EXPECT_EQ(history[0].txid, paid_.txid());
  EXPECT_EQ(history[1].txid, high_second);
  EXPECT_EQ(history[2].txid, high_first);
  EXPECT_EQ(history[3].txid, low);
}

TEST_F(BalanceTest, HistoryBeginsWithWhatWaitsForABlockHoweverEarlyItWasSeen) {
  const auto early = TxBuilder().pays(test::receive_script(1), 20).build();
  wallet_.apply_unconfirmed(early, test::kNow - 1'000);
  const auto late = TxBuilder().pays(test::receive_script(2), 30).build();
  test::confirm(wallet_, late, 7);
  test::confirm(wallet_, paid_, 9);
  const auto history = wallet_.history();
  EXPECT_EQ(history[0].txid, early.txid());
  EXPECT_EQ(history[1].txid, paid_.txid());
  EXPECT_EQ(history[2].txid, late.txid());
}

TEST_F(BalanceTest, WatchesOwnOutpointsUntilTheirSpendIsBuried) {
  const auto own = test::outpoint(paid_);
  const auto spend = TxBuilder().spends(paid_).pays(test::foreign_script(), 1).build();
  test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(wallet_.watched_outpoints(), std::vector{own});
  test::see(wallet_, spend);
  EXPECT_EQ(wallet_.watched_outpoints(), std::vector{own});
  test::confirm(wallet_, spend, 20);
  wallet_.set_scan(test::scanned_to(119));
  EXPECT_EQ(wallet_.watched_outpoints(), std::vector{own}) << "99 blocks above the spend";
  wallet_.set_scan(test::scanned_to(120));
  EXPECT_TRUE(wallet_.watched_outpoints().empty());
}

TEST_F(BalanceTest, WatchesTheInputsOfPendingPaymentsButNotOfConflictedOnes) {
  test::see(wallet_, paid_);
  std::vector<chain::OutPoint> expected{paid_.inputs[0].previous, test::outpoint(paid_)};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(wallet_.watched_outpoints(), expected);
  test::confirm(wallet_, TxBuilder().spends(paid_.inputs[0].previous).build(), 10);
  EXPECT_TRUE(wallet_.watched_outpoints().empty());
}

TEST_F(BalanceTest, AddressesGoUpToTheLastUsedOrIssuedOne) {
  ASSERT_EQ(wallet_.addresses()->size(), 2U) << "the first of each chain";
  test::confirm(wallet_, TxBuilder().pays(test::receive_script(2), 40).pays(test::receive_script(2), 2).build(), 10);
  for (int i = 0; i < 3; ++i) static_cast<void>(wallet_.issue_address(true, true));
  const auto addresses = *wallet_.addresses();
  ASSERT_EQ(addresses.size(), 6U);
  EXPECT_FALSE(addresses[1].used);
  EXPECT_TRUE(addresses[2].used);
  EXPECT_EQ(addresses[2].received, 42);
  EXPECT_EQ(addresses[5].chain, 1U);
  EXPECT_EQ(addresses[5].index, 2U);
}

// Linear folds: ten times the transactions may cost little more than ten times the work. The least processor time of
// three: what else the machine does makes no difference then.
TEST(BalanceCost, GrowsWithTheNumberOfTransactionsAndNotItsSquare) {
  const auto config = test::sample_config();
  const auto fold = [&](int count) {
    WalletState state = Wallet::fresh_state(config);
    chain::Transaction last = TxBuilder().pays(test::receive_script(0), 1'000).build();
    for (int i = 0; i < count; ++i) {
      state.transactions.push_back({.txid = last.txid(),
                                    .tx = last,
                                    .confirmation = {},
                                    .first_seen = 0,
                                    .sequence = static_cast<std::uint64_t>(i + 1),
                                    .proof = {}});
      last = TxBuilder().spends(last).pays(test::receive_script(0), 1'000).build();
    }
    const Wallet wallet(config, std::move(state));
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double start = bench::cpu_seconds();
      EXPECT_EQ(wallet.balance().total(), 1'000);
      least = std::min(least, bench::cpu_seconds() - start);
    }
    return least;
  };
  fold(1'000);
  const double small = fold(2'000);
  const double large = fold(20'000);
  EXPECT_LT(large, 60 * small + 0.05);
}

}  // namespace
}  // namespace spv::wallet
