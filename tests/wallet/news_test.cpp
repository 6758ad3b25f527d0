#include "wallet/news.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/resources.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class NewsTest : public ::testing::Test {
 protected:
  /// What was sync'ed before is old.
  void mark() { before_ = HistorySnapshot(wallet_.history()); }
  News news() const { return before_.until(wallet_.history()); }

  Wallet wallet_ = test::sample_wallet();
  HistorySnapshot before_;
  const chain::OutPoint foreign_ = test::outpoint(TxBuilder().build());
  const chain::Transaction paid_ = TxBuilder().spends(foreign_).pays(test::receive_script(0), 5'000).build();
  const chain::Transaction stolen_ = TxBuilder().spends(foreign_).pays(test::foreign_script(), 4'900).build();
  const chain::Transaction spend_ = TxBuilder().spends(paid_).pays(test::foreign_script(), 4'000).build();
};

TEST_F(NewsTest, NothingHappened) {
  EXPECT_TRUE(news().empty());
  test::see(wallet_, paid_);
  mark();
  EXPECT_TRUE(news().empty());
}

TEST_F(NewsTest, NewOnesAreSummedUpWhereverTheyStand) {
  test::confirm(wallet_, paid_, 10);
  test::see(wallet_, spend_);
  EXPECT_EQ(news(), (News{.fresh = {2, 0}, .confirmed = {}, .unconfirmed_again = {}, .conflicted = {}}));
  test::see(wallet_, TxBuilder().pays(test::receive_script(1), 7).build());
  EXPECT_EQ(news().fresh, (NewsItem{3, 7}));
}

TEST_F(NewsTest, APaymentIsConfirmed) {
  test::see(wallet_, paid_);
  mark();
  test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {1, 5'000}, .unconfirmed_again = {}, .conflicted = {}}));
}

TEST_F(NewsTest, AReorganisationUnconfirmsAPayment) {
  test::confirm(wallet_, paid_, 10);
  mark();
  wallet_.disconnect_above(test::block_at(9));
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {}, .unconfirmed_again = {1, 5'000}, .conflicted = {}}));
  test::confirm(wallet_, paid_, 11);
  EXPECT_TRUE(news().empty()) << "confirmed as before, if elsewhere";
}

TEST_F(NewsTest, ADoubleSpendTakesAPaymentAndGivesBackWhatWasSpent) {
  test::see(wallet_, paid_);
  mark();
  test::confirm(wallet_, stolen_, 10);
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {}, .unconfirmed_again = {}, .conflicted = {1, -5'000}}));

  Wallet other = test::sample_wallet();
  test::confirm(other, paid_, 10), test::see(other, spend_);
  const HistorySnapshot before(other.history());
  const auto cheaper = TxBuilder().spends(paid_).pays(test::foreign_script(), 4'500).build();
  test::see(other, cheaper);
  const News news = before.until(other.history());
  EXPECT_EQ(news.fresh, (NewsItem{1, -5'000})) << "the replacement";
  EXPECT_EQ(news.conflicted, (NewsItem{1, 5'000})) << "what it replaces takes nothing any more";
}

TEST_F(NewsTest, WhatCameAndWasReplacedSinceTookNothing) {
  test::see(wallet_, paid_), test::see(wallet_, stolen_);
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {}, .unconfirmed_again = {}, .conflicted = {1, 0}}));
}

TEST_F(NewsTest, AConflictedOneComesBackOrIsMined) {
  test::see(wallet_, paid_), test::see(wallet_, stolen_);
  mark();
  test::see(wallet_, paid_);
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {}, .unconfirmed_again = {1, 5'000}, .conflicted = {}}));
  test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(news(), (News{.fresh = {}, .confirmed = {1, 5'000}, .unconfirmed_again = {}, .conflicted = {}}));
}

TEST_F(NewsTest, StrangersAreNoNews) {
  test::confirm(wallet_, paid_, 10);
  mark();
  test::see(wallet_, stolen_);
  EXPECT_TRUE(news().empty());
}

TEST_F(NewsTest, SumsOfForgedAmountsStopAtTwentyOneMillion) {
  for (int i = 0; i < 3; ++i) {
    test::see(wallet_, TxBuilder().pays(test::receive_script(0), chain::kMaxMoney).build());
  }
  EXPECT_EQ(news().fresh, (NewsItem{3, chain::kMaxMoney}));
}

// The balance moves by what is new and what is gone: in all, the news explain it.
TEST_F(NewsTest, ExplainTheBalance) {
  const auto check = [&](const Balance& then) {
    const News now = news();
    EXPECT_EQ(wallet_.balance().total() - then.total(), now.fresh.net + now.conflicted.net);
  };
  Balance then = wallet_.balance();
  test::see(wallet_, paid_);
  check(then);
  mark(), then = wallet_.balance();
  test::confirm(wallet_, paid_, 10), test::see(wallet_, spend_);
  check(then);
  mark(), then = wallet_.balance();
  wallet_.disconnect_above(test::block_at(9));
  check(then);
  test::confirm(wallet_, stolen_, 10);
  check(then);
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_EQ(news().conflicted, (NewsItem{2, 0})) << "the payment, and what was paid with it";
}

TEST(NewsCost, GrowsWithTheNumberOfTransactionsAndNotItsSquare) {
  const auto compare = [](std::uint64_t count) {
    std::vector<HistoryEntry> history(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::size_t n = 0; n < 8; ++n) history[i].txid.bytes[n] = static_cast<std::uint8_t>(i * 7'919 >> (8 * n));
    }
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double start = bench::cpu_seconds();
      EXPECT_TRUE(HistorySnapshot(history).until(history).empty());
      least = std::min(least, bench::cpu_seconds() - start);
    }
    return least;
  };
  const double small = compare(5'000);
  EXPECT_LT(compare(50'000), 60 * small + 0.05);
}

}  // namespace
}  // namespace spv::wallet
