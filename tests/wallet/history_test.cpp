// What the history lists, in which order, and what it says of each transaction.
#include "wallet/history.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bench/resources.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class HistoryTest : public ::testing::Test {
 protected:
  std::vector<chain::Txid> order() const {
    std::vector<chain::Txid> out;
    for (const auto& entry : wallet_.history()) out.push_back(entry.txid);
    return out;
  }
  static std::vector<chain::Txid> txids(const std::vector<chain::Transaction>& txs) {
    std::vector<chain::Txid> out;
    for (const auto& tx : txs) out.push_back(tx.txid());
    return out;
  }
  /// A block of this height with this time confirms it.
  void confirm_at(const chain::Transaction& tx, chain::Height height, std::uint32_t time) {
    auto confirmation = test::confirmed_at(height);
    confirmation.block_time = time;
    wallet_.apply_confirmed(tx, confirmation, {}, test::kNow);
  }
  static chain::Transaction payment(chain::Amount amount = 100) {
    return TxBuilder().pays(test::receive_script(0), amount).build();
  }

  Wallet wallet_ = test::sample_wallet();
  const chain::OutPoint foreign_ = test::outpoint(TxBuilder().build());
  const chain::Transaction paid_ = TxBuilder().spends(foreign_).pays(test::receive_script(0), 5'000).build();
  const chain::Transaction stolen_ = TxBuilder().spends(foreign_).pays(test::foreign_script(), 4'900).build();
};

// --- strangers ------------------------------------------------------------------------------------------------------

TEST_F(HistoryTest, TheDoubleSpendOfAPaymentToUsIsNoPartOfItAndThePaymentNamesIt) {
  test::see(wallet_, paid_);
  EXPECT_FALSE(wallet_.history().at(0).replaced_by);
  for (const bool confirmed : {false, true}) {
    confirmed ? test::confirm(wallet_, stolen_, 10) : test::see(wallet_, stolen_);
    const auto history = wallet_.history();
    ASSERT_EQ(history.size(), 1U) << "nothing of it is ours";
    EXPECT_EQ(history[0].txid, paid_.txid());
    EXPECT_EQ(history[0].status, TxStatus::Conflicted);
    EXPECT_EQ(history[0].replaced_by, stolen_.txid());
  }
  ASSERT_TRUE(wallet_.knows(stolen_.txid())) << "it is held, and can be asked for";
  EXPECT_EQ(wallet_.entry(stolen_.txid())->status, TxStatus::Confirmed);
  EXPECT_EQ(wallet_.entry(stolen_.txid())->net, 0);
  EXPECT_FALSE(wallet_.is_own(stolen_));
  EXPECT_FALSE(wallet_.entry(payment().txid())) << "that nobody has seen";
}

TEST_F(HistoryTest, AStrangersTransactionThatLosesIsNoConflictOfOurs) {
  test::see(wallet_, paid_), test::see(wallet_, stolen_);
  ASSERT_EQ(wallet_.conflicts().size(), 1U);
  EXPECT_EQ(wallet_.conflicts()[0].txid, paid_.txid());
  EXPECT_EQ(wallet_.conflicts()[0].replaced_by, stolen_.txid());
  test::confirm(wallet_, paid_, 10);
  EXPECT_TRUE(wallet_.conflicts().empty());
  EXPECT_EQ(wallet_.history().size(), 1U);
}

TEST_F(HistoryTest, WhatMovesOurCoinsWithoutChangingTheSumIsOurs) {
  test::confirm(wallet_, paid_, 10);
  const auto moved = TxBuilder().spends(paid_).pays(test::receive_script(1), 5'000).build();
  test::confirm(wallet_, moved, 11);
  ASSERT_EQ(wallet_.history().size(), 2U);
  EXPECT_EQ(wallet_.history()[0].net, 0);
  EXPECT_EQ(wallet_.history()[0].fee, 0);
}

TEST_F(HistoryTest, OfTwoThatCountInsteadTheConfirmedOneIsNamed) {
  const chain::OutPoint other = test::outpoint(TxBuilder().build());
  const auto joint = TxBuilder().spends(foreign_).spends(other).pays(test::receive_script(0), 70).build();
  const auto first = TxBuilder().spends(foreign_).pays(test::foreign_script(), 1).build();
  const auto second = TxBuilder().spends(other).pays(test::foreign_script(), 1).build();
  for (const auto* confirmed : {&first, &second}) {
    Wallet wallet = wallet_;
    test::see(wallet, joint), test::see(wallet, first), test::see(wallet, second);
    test::confirm(wallet, *confirmed, 10);
    EXPECT_EQ(wallet.history().at(0).replaced_by, confirmed->txid());
  }
}

// --- fees -----------------------------------------------------------------------------------------------------------

TEST_F(HistoryTest, AFeeIsThatOfATransactionThatWePaidAndOfNoOther) {
  // Its parent is held, since it paid us too: another copy of the wallet might not have it.
  const auto theirs = TxBuilder().pays(test::foreign_script(), 900).pays(test::receive_script(0), 50).build();
  const auto next = TxBuilder().spends(theirs, 0).pays(test::receive_script(1), 800).build();
  const auto joint = TxBuilder().spends(theirs, 1).spends(next, 0).pays(test::foreign_script(), 700).build();
  test::confirm(wallet_, theirs, 10);
  test::confirm(wallet_, next, 11);
  EXPECT_FALSE(wallet_.history()[0].fee) << "others paid it";
  test::confirm(wallet_, joint, 12);
  EXPECT_EQ(wallet_.history()[0].fee, 150) << "every input is ours";
}

// --- order ----------------------------------------------------------------------------------------------------------

TEST_F(HistoryTest, WhatCountsNowhereStandsAmongTheBlocksByTheTimeItWasSeen) {
  const auto low = payment();
  const auto high = payment();
  const auto waiting = payment();
  confirm_at(low, 10, 1'000);
  wallet_.apply_unconfirmed(paid_, 1'500);
  confirm_at(stolen_, 15, 1'800);
  confirm_at(high, 20, 2'000);
  wallet_.apply_unconfirmed(waiting, 900);
  EXPECT_EQ(order(), txids({waiting, high, paid_, low})) << "not on top for ever";
}

TEST_F(HistoryTest, HeightsDecideWhereTheTimesOfBlocksGoBack) {
  const auto first = payment();
  const auto second = payment();
  const auto third = payment();
  confirm_at(first, 10, 3'000);
  confirm_at(second, 11, 1'000);
  confirm_at(third, 12, 2'000);
  wallet_.apply_unconfirmed(paid_, 1'500);
  confirm_at(stolen_, 13, 4'000);
  EXPECT_EQ(order(), txids({third, second, first, paid_})) << "before all that is not older than block 10";
  wallet_.apply_unconfirmed(TxBuilder().pays(test::receive_script(2), 1).build(), 3'000);
}

TEST_F(HistoryTest, OfOneTimeTheDeadOneIsTheNewer) {
  const auto in_block = payment();
  confirm_at(in_block, 10, 1'500);
  wallet_.apply_unconfirmed(paid_, 1'500);
  confirm_at(stolen_, 11, 1'500);
  EXPECT_EQ(order(), txids({paid_, in_block}));
}

// Any heights, times and ends: blocks stay in their order, what waits stands on top, a dead one never stands above a
// block whose predecessors are all younger, and the order of arrival makes no difference.
RC_GTEST_PROP(HistoryOrder, IsTotalAndNewestFirst, ()) {
  struct Fact {
    chain::Transaction tx;
    std::optional<Confirmation> confirmation;
    util::UnixTime seen = 0;
    bool dead = false;
  };
  std::vector<Fact> facts;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const chain::OutPoint coin{chain::Txid{{static_cast<std::uint8_t>(i + 1)}}, 0};
    const auto nonce = static_cast<std::uint64_t>(i);
    Fact fact{.tx = TxBuilder(nonce).spends(coin).pays(test::receive_script(0), 1).build(),
              .confirmation = {},
              .seen = *rc::gen::inRange(1, 9),
              .dead = false};
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) {
      const auto height = *rc::gen::inRange(1, 6);  // several a block
      fact.confirmation = test::confirmed_at(height, static_cast<std::uint32_t>(i));
      fact.confirmation->block_time = static_cast<std::uint32_t>(1 + height * 7 % 5);  // up and down
    } else if (kind == 1) {
      fact.dead = true;
      facts.push_back({.tx = TxBuilder(100 + nonce).spends(coin).pays(test::foreign_script(), 1).build(),
                       .confirmation = test::confirmed_at(5, 50 + static_cast<std::uint32_t>(i))});
    }
    facts.push_back(std::move(fact));
  }
  const auto config = test::sample_config(1);
  const auto history_in = [&](const std::vector<Fact>& order) {
    WalletState state = Wallet::fresh_state(config);
    for (const Fact& fact : order) {
      state.transactions.push_back({.txid = fact.tx.txid(),
                                    .tx = fact.tx,
                                    .confirmation = fact.confirmation,
                                    .first_seen = fact.seen,
                                    .sequence = static_cast<std::uint64_t>(fact.seen),
                                    .proof = {}});
    }
    return Wallet(config, std::move(state)).history();
  };
  const auto history = history_in(facts);
  RC_ASSERT(history.size() == static_cast<std::size_t>(count));
  auto arrival = facts;
  for (std::size_t i = arrival.size() - 1; i > 0; --i) {
    std::swap(arrival[i], arrival[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  const auto again = history_in(arrival);
  for (std::size_t i = 0; i < history.size(); ++i) RC_ASSERT(history[i].txid == again[i].txid);

  std::size_t waiting = 0;
  while (waiting < history.size() && history[waiting].status == TxStatus::Unconfirmed) ++waiting;
  for (std::size_t newer = 0; newer < history.size(); ++newer) {
    const auto& a = history[newer];
    RC_ASSERT((a.status == TxStatus::Unconfirmed) == (newer < waiting));
    for (std::size_t older = newer + 1; older < history.size(); ++older) {
      const auto& b = history[older];
      if (a.status == b.status && a.confirmation) {
        RC_ASSERT(std::tie(a.confirmation->block.height, a.confirmation->index) >
                  std::tie(b.confirmation->block.height, b.confirmation->index));
      } else if (a.status == b.status) {
        RC_ASSERT(a.first_seen >= b.first_seen);
      } else if (a.status == TxStatus::Conflicted) {
        // Newer than this block, so than every block below it.
        RC_ASSERT(a.first_seen >= util::UnixTime{b.confirmation->block_time});
      }
    }
  }
}

// n log n: ten times the transactions may cost little more than ten times the work.
TEST(HistoryCost, GrowsWithTheNumberOfTransactionsAndNotItsSquare) {
  const auto config = test::sample_config();
  const auto fold = [&](std::uint64_t count) {
    WalletState state = Wallet::fresh_state(config);
    const auto add = [&](const chain::Transaction& tx, std::optional<Confirmation> confirmation, std::uint64_t i) {
      state.transactions.push_back({.txid = tx.txid(),
                                    .tx = tx,
                                    .confirmation = confirmation,
                                    .first_seen = 1'600'000'000 + static_cast<util::UnixTime>(i),
                                    .sequence = i,
                                    .proof = {}});
    };
    for (std::uint64_t i = 1; i <= count; i += 2) {  // each payment has lost to a stranger's transaction
      const auto paid = TxBuilder().pays(test::receive_script(0), 1'000).build();
      add(paid, std::nullopt, i);
      add(TxBuilder().spends(paid.inputs[0].previous).pays(test::foreign_script(), 1).build(),
          test::confirmed_at(static_cast<chain::Height>(i)), i);
    }
    const Wallet wallet(config, std::move(state));
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double start = bench::cpu_seconds();
      EXPECT_EQ(wallet.history().size(), count / 2);
      EXPECT_EQ(wallet.conflicts().size(), count / 2);
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
