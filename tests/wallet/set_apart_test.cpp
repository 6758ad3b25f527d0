// Unconfirmed transactions that count nowhere for a reason of their own: nobody tells of them any more, or no block may
// hold them yet. And small coins, which count like others.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class SetApartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::confirm(wallet_, paid_, 10);
    wallet_.set_scan(test::scanned_to(100));
  }
  void scan_to(chain::Height height) { wallet_.set_scan(test::scanned_to(height)); }
  SetApart reason_of(const chain::Transaction& tx) const {
    const auto entry = wallet_.entry(tx.txid());
    if (entry) return entry->set_apart;
    ADD_FAILURE() << "not held";
    return SetApart::No;
  }
  TxBuilder spend(std::int64_t amount) const { return TxBuilder().spends(paid_).pays(test::foreign_script(), amount); }

  /// From somebody else's coin, by an input that a lock time holds for.
  static TxBuilder payment(std::int64_t amount) {
    return TxBuilder().spends(TxBuilder().build()).sequence(0xFFFF'FFFE).pays(test::receive_script(1), amount);
  }

  Wallet wallet_ = test::sample_wallet();
  const chain::Transaction paid_ = TxBuilder().pays(test::receive_script(0), 5'000).build();
};

TEST_F(SetApartTest, W5_AMadeUpSpendHidesACoinForTwoWeeksOfBlocksAtMost) {
  const auto forged = spend(4'000).build();
  test::see(wallet_, forged);
  scan_to(100 + kForgetAfter);
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_TRUE(wallet_.coins().empty());
  scan_to(101 + kForgetAfter);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 5'000, .unconfirmed = 0, .immature = 0}));
  EXPECT_EQ(wallet_.coins().size(), 1U);
  EXPECT_EQ(reason_of(forged), SetApart::Forgotten);
  EXPECT_EQ(test::status_of(wallet_, forged), TxStatus::Conflicted);
}

TEST_F(SetApartTest, W5_AMadeUpPaymentAndAllThatDescendsFromItIsForgotten) {
  const auto forged = TxBuilder().pays(test::receive_script(1), 7'000).build();
  const auto child = TxBuilder().spends(forged).pays(test::receive_script(2), 6'000).build();
  test::see(wallet_, forged), test::see(wallet_, child);
  EXPECT_EQ(wallet_.balance().unconfirmed, 6'000);
  scan_to(101 + kForgetAfter);
  EXPECT_EQ(wallet_.balance().unconfirmed, 0);
}

TEST_F(SetApartTest, W5_ASightingKeepsItAndBringsItBack) {
  const auto tx = spend(4'000).build();
  test::see(wallet_, tx);
  EXPECT_TRUE(test::see(wallet_, tx).empty()) << "no news within a day";
  scan_to(2'000);
  EXPECT_FALSE(test::see(wallet_, tx).empty()) << "to be committed";
  scan_to(4'000);
  EXPECT_EQ(reason_of(tx), SetApart::No);
  scan_to(4'017);
  EXPECT_EQ(reason_of(tx), SetApart::Forgotten);
  test::see(wallet_, tx);
  EXPECT_EQ(reason_of(tx), SetApart::No);
  EXPECT_EQ(wallet_.balance().total(), 0);
}

TEST_F(SetApartTest, W5_ASightingIsAsNewAsTheBestChainEvenIfTheScanIsBehind) {
  const auto tx = spend(4'000).build();
  wallet_.note_tip(9'000);
  test::see(wallet_, tx);
  scan_to(9'000);
  EXPECT_EQ(reason_of(tx), SetApart::No);
}

TEST_F(SetApartTest, W5_ABlockConfirmsAForgottenOneAndAReorganisationMakesItNew) {
  const auto tx = spend(4'000).build();
  test::see(wallet_, tx);
  scan_to(5'000);
  test::confirm(wallet_, tx, 5'000);
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_EQ(test::status_of(wallet_, tx), TxStatus::Confirmed);
  wallet_.disconnect_above(test::block_at(4'999));
  EXPECT_EQ(test::status_of(wallet_, tx), TxStatus::Unconfirmed);
}

TEST_F(SetApartTest, W5_AForgottenReplacementReplacesNothing) {
  const auto first = spend(4'000).build();
  const auto replacement = spend(3'000).build();
  test::see(wallet_, first), test::see(wallet_, replacement);
  wallet_.note_tip(3'000);
  EXPECT_EQ(test::status_of(wallet_, first), TxStatus::Conflicted);
  test::see(wallet_, first);  // a node tells of it again, of the other nobody does
  scan_to(3'000);
  EXPECT_EQ(test::status_of(wallet_, first), TxStatus::Unconfirmed);
  EXPECT_EQ(reason_of(replacement), SetApart::Conflict) << "the other one counts";
}

TEST_F(SetApartTest, W5_WhatAConfirmedTransactionDoubleSpentStaysConflictedForEver) {
  const chain::OutPoint coin = test::outpoint(TxBuilder().build());
  const auto payment = TxBuilder().spends(coin).pays(test::receive_script(1), 7'000).build();
  const auto child = TxBuilder().spends(payment).pays(test::receive_script(2), 6'000).build();
  test::see(wallet_, payment), test::see(wallet_, child);
  test::confirm(wallet_, TxBuilder().spends(coin).pays(test::foreign_script(), 6'900).build(), 101);
  for (const chain::Height height : {101, 200, 101 + kForgetAfter, 100'000}) {
    scan_to(height);
    EXPECT_EQ(reason_of(payment), SetApart::Conflict) << height;
    EXPECT_EQ(reason_of(child), SetApart::Conflict) << "and so does what was to be paid with it: " << height;
  }
}

TEST_F(SetApartTest, W5_WhatWasReplacedIsConflictedForAsLongAsTheReplacementCounts) {
  const auto first = spend(4'000).build();
  const auto replacement = spend(3'000).build();
  test::see(wallet_, first), test::see(wallet_, replacement);
  scan_to(2'000);
  test::see(wallet_, replacement);
  scan_to(4'000);
  EXPECT_EQ(reason_of(replacement), SetApart::No);
  EXPECT_EQ(reason_of(first), SetApart::Conflict);
  scan_to(4'017);
  EXPECT_EQ(reason_of(replacement), SetApart::Forgotten);
  EXPECT_EQ(reason_of(first), SetApart::Forgotten) << "nothing spends its coin any more";
}

TEST_F(SetApartTest, W5_WhatDescendsFromAForgottenOneIsForgottenWithIt) {
  const auto forged = TxBuilder().pays(test::receive_script(1), 7'000).build();
  test::see(wallet_, forged);
  scan_to(2'000);
  const auto child = TxBuilder().spends(forged).pays(test::receive_script(2), 6'000).build();
  test::see(wallet_, child);
  scan_to(101 + kForgetAfter);
  EXPECT_EQ(reason_of(forged), SetApart::Forgotten);
  EXPECT_EQ(reason_of(child), SetApart::Forgotten) << "nothing conflicts with it";
  EXPECT_FALSE(wallet_.entry(child.txid())->replaced_by);
}

TEST_F(SetApartTest, W7_ALockTimeAheadIsShownApartAndNotSpendable) {
  const auto locked = payment(900).lock_time(102).build();
  const auto next = payment(90).lock_time(100).build();
  test::see(wallet_, locked), test::see(wallet_, next);
  EXPECT_EQ(wallet_.balance().unconfirmed, 90) << "a block of height 101 may hold what is locked until 100";
  EXPECT_EQ(reason_of(locked), SetApart::Locked);
  scan_to(102);
  EXPECT_EQ(reason_of(locked), SetApart::No);
  EXPECT_EQ(wallet_.balance().unconfirmed, 990);
  for (const auto& coin : wallet_.coins()) EXPECT_EQ(coin.spendable, coin.height.has_value());
}

TEST_F(SetApartTest, W7_FinalInputsHaveNoLockTime) {
  const auto tx =
      TxBuilder().spends(paid_).sequence(0xFFFF'FFFF).pays(test::receive_script(1), 900).lock_time(5'000).build();
  test::see(wallet_, tx);
  EXPECT_EQ(reason_of(tx), SetApart::No);
}

TEST_F(SetApartTest, W7_ALockTimeInSecondsIsComparedWithTheSighting) {
  const auto locked = payment(900).lock_time(static_cast<std::uint32_t>(test::kNow + 5)).build();
  test::see(wallet_, locked);
  EXPECT_EQ(reason_of(locked), SetApart::Locked);
  wallet_.apply_unconfirmed(locked, test::kNow + 5);
  EXPECT_EQ(reason_of(locked), SetApart::No);
}

TEST_F(SetApartTest, W7_LockTimesAreSecondsFromFiveHundredMillionOn) {
  const auto last_height = payment(900).lock_time(499'999'999).build();
  const auto first_second = payment(90).lock_time(500'000'000).build();
  test::see(wallet_, last_height), test::see(wallet_, first_second);
  EXPECT_EQ(reason_of(last_height), SetApart::Locked);
  EXPECT_EQ(reason_of(first_second), SetApart::No) << "of the year 1985";
}

TEST_F(SetApartTest, W7_ARelativeLockOfTimeIsNotOneOfBlocks) {
  const auto tx = TxBuilder().spends(paid_).sequence((1U << 22U) | 95).pays(test::receive_script(1), 900).build();
  test::see(wallet_, tx);
  EXPECT_EQ(reason_of(tx), SetApart::No) << "no node relays it before its time";
}

TEST_F(SetApartTest, W7_ARelativeLockCountsFromTheCoinsBlock) {
  const auto tx = TxBuilder().spends(paid_).sequence(95).pays(test::receive_script(1), 900).build();
  test::see(wallet_, tx);  // its coin is of block 10: the first block that may hold it is 105
  EXPECT_EQ(reason_of(tx), SetApart::Locked);
  scan_to(103);
  EXPECT_EQ(reason_of(tx), SetApart::Locked);
  scan_to(104);
  EXPECT_EQ(reason_of(tx), SetApart::No);
  const auto old = TxBuilder().spends(paid_).sequence(200).version(1).pays(test::receive_script(1), 900).build();
  test::see(wallet_, old);
  EXPECT_EQ(reason_of(old), SetApart::No) << "version 1 has no relative locks";
}

TEST_F(SetApartTest, W8_TenThousandCoinsOfDustAreCountedOneByOne) {
  chain::Amount sum = 5'000;
  for (std::uint32_t block = 0; block < 10; ++block) {
    TxBuilder dust;
    for (std::uint32_t n = 0; n < 1'000; ++n) {
      const chain::Amount value = n % 3 == 0 ? 546 : n % 3 == 1 ? 294 : 330;
      dust.pays(test::receive_script(n % 7), value);
      sum += value;
    }
    test::confirm(wallet_, dust.build(), 11 + static_cast<chain::Height>(block));
  }
  EXPECT_EQ(wallet_.balance().confirmed, sum);
  EXPECT_EQ(wallet_.coins().size(), 10'001U);
  EXPECT_TRUE(wallet_.addresses()->at(0).used) << "paid again and again, and told so";
}

}  // namespace
}  // namespace spv::wallet
