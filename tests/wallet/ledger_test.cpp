#include "wallet/ledger.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class LedgerTest : public ::testing::Test {
 protected:
  const TxRecord* see(const chain::Transaction& tx) {
    return ledger_.record({.txid = tx.txid(),
                           .tx = tx,
                           .confirmation = std::nullopt,
                           .first_seen = test::kNow,
                           .sequence = ledger_.next_sequence(),
                           .proof = {}});
  }
  const TxRecord* confirm(const chain::Transaction& tx, chain::Height height, std::uint32_t index = 1) {
    return ledger_.record({.txid = tx.txid(),
                           .tx = tx,
                           .confirmation = test::confirmed_at(height, index),
                           .first_seen = test::kNow,
                           .sequence = 0,
                           .proof = {7}});
  }
  TxStatus status(const chain::Transaction& tx) const {
    const auto statuses = ledger_.statuses(kScanned);
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      if (ledger_.records()[i].txid == tx.txid()) return statuses[i];
    }
    ADD_FAILURE() << "not held";
    return TxStatus::Conflicted;
  }

  static constexpr chain::Height kScanned = 100;
  Ledger ledger_{{}};
  const chain::OutPoint coin_ = test::outpoint(TxBuilder().build());
  const chain::OutPoint other_coin_ = test::outpoint(TxBuilder().build());
  const chain::Transaction a_ = TxBuilder().spends(coin_).build();
  const chain::Transaction b_ = TxBuilder().spends(coin_).build();
};

TEST_F(LedgerTest, W4_AConfirmedSpendRulesOutItsRivalsAndTheirDescendants) {
  const auto child = TxBuilder().spends(b_).build();
  const auto grandchild = TxBuilder().spends(child).build();
  see(grandchild), see(child), see(b_);
  EXPECT_EQ(status(grandchild), TxStatus::Unconfirmed);
  confirm(a_, 10);
  EXPECT_EQ(status(a_), TxStatus::Confirmed);
  EXPECT_EQ(status(b_), TxStatus::Conflicted);
  EXPECT_EQ(status(child), TxStatus::Conflicted);
  EXPECT_EQ(status(grandchild), TxStatus::Conflicted);
  ledger_.disconnect_above(9);
  EXPECT_EQ(status(a_), TxStatus::Unconfirmed) << "back in the mempool, so seen last";
  EXPECT_EQ(status(grandchild), TxStatus::Conflicted);
}

TEST_F(LedgerTest, W5_OfUnconfirmedRivalsTheLastSeenCountsWithoutAnySignal) {
  const auto child = TxBuilder().spends(a_).build();
  see(a_), see(child), see(b_);
  EXPECT_EQ(status(a_), TxStatus::Conflicted);
  EXPECT_EQ(status(child), TxStatus::Conflicted);
  EXPECT_EQ(status(b_), TxStatus::Unconfirmed);
  EXPECT_NE(see(a_), nullptr) << "the sighting decides, so it must be stored";
  EXPECT_EQ(status(a_), TxStatus::Unconfirmed);
  EXPECT_EQ(status(child), TxStatus::Unconfirmed);
  EXPECT_EQ(status(b_), TxStatus::Conflicted);
}

TEST_F(LedgerTest, W5_AReplacementThatIsRuledOutReplacesNothing) {
  const auto replacement = TxBuilder().spends(coin_).spends(other_coin_).build();
  see(a_), see(replacement);
  EXPECT_EQ(status(a_), TxStatus::Conflicted);
  confirm(TxBuilder().spends(other_coin_).build(), 10);
  EXPECT_EQ(status(replacement), TxStatus::Conflicted);
  EXPECT_EQ(status(a_), TxStatus::Unconfirmed);
}

TEST_F(LedgerTest, W5_WhatAReplacedReplacementReplacedStaysReplaced) {
  const auto second = TxBuilder().spends(coin_).spends(other_coin_).build();
  const auto third = TxBuilder().spends(other_coin_).build();
  see(a_), see(second), see(third);
  EXPECT_EQ(status(a_), TxStatus::Conflicted);
  EXPECT_EQ(status(second), TxStatus::Conflicted);
  EXPECT_EQ(status(third), TxStatus::Unconfirmed);
}

TEST_F(LedgerTest, RivalsThatDescendFromEachOthersParentsHaveOneAnswer) {
  // Each depends on the next: c's parent is a, b replaces a, c replaces b.
  const auto b = TxBuilder().spends(coin_).spends(other_coin_).build();
  const auto c = TxBuilder().spends(a_).spends(other_coin_).build();
  see(a_), see(b), see(c);
  EXPECT_EQ(status(a_), TxStatus::Conflicted);
  EXPECT_EQ(status(b), TxStatus::Conflicted);
  EXPECT_EQ(status(c), TxStatus::Conflicted);
}

TEST_F(LedgerTest, TwoConfirmedRivalsBothStayConfirmed) {
  confirm(a_, 10), confirm(b_, 11);
  EXPECT_EQ(status(a_), TxStatus::Confirmed);
  EXPECT_EQ(status(b_), TxStatus::Confirmed);
}

TEST_F(LedgerTest, W3_ACoinbaseOutsideTheChainIsConflictedWithItsDescendants) {
  const auto coinbase = TxBuilder::coinbase(10, test::foreign_script(), 50);
  const auto child = TxBuilder().spends(coinbase).build();
  confirm(coinbase, 10, 0), see(child);
  EXPECT_EQ(status(child), TxStatus::Unconfirmed);
  ledger_.disconnect_above(9);
  EXPECT_EQ(status(coinbase), TxStatus::Conflicted);
  EXPECT_EQ(status(child), TxStatus::Conflicted);
}

TEST_F(LedgerTest, CoinbasesDoNotConflictByTheirNullInput) {
  confirm(TxBuilder::coinbase(10, test::foreign_script(), 50), 10, 0);
  const auto second = TxBuilder::coinbase(11, test::foreign_script(), 50);
  confirm(second, 11, 0);
  ledger_.disconnect_above(10);
  EXPECT_FALSE(ledger_.is_spent(second.inputs[0].previous));
}

TEST_F(LedgerTest, AConfirmationUpgradesAndASightingNeverTakesItAway) {
  see(a_);
  EXPECT_NE(confirm(a_, 10), nullptr);
  EXPECT_EQ(ledger_.find(a_.txid())->proof, util::Bytes{7});
  EXPECT_EQ(see(a_), nullptr);
  EXPECT_EQ(confirm(a_, 10), nullptr) << "the same again is no change";
  EXPECT_EQ(status(a_), TxStatus::Confirmed);
  EXPECT_EQ(ledger_.records().size(), 1U);
}

TEST_F(LedgerTest, AConfirmationInAnotherBlockMovesTheRecord) {
  confirm(a_, 10), confirm(a_, 12);
  EXPECT_EQ(ledger_.find(a_.txid())->confirmation->block.height, 12);
}

TEST_F(LedgerTest, SeeingAnUncontestedTransactionAgainIsNoChange) {
  see(a_);
  EXPECT_EQ(see(a_), nullptr);
}

TEST_F(LedgerTest, AWitnessIsTakenUpAndNeverLost) {
  const util::Bytes signature{1, 2, 3};
  const auto full = TxBuilder(77).spends(coin_).witness(signature).build();
  const auto stripped = TxBuilder(77).spends(coin_).build();
  ASSERT_EQ(full.txid(), stripped.txid());
  see(stripped);
  EXPECT_NE(see(full), nullptr);
  EXPECT_TRUE(ledger_.find(full.txid())->tx.has_witness());
  confirm(stripped, 10);
  EXPECT_TRUE(ledger_.find(full.txid())->tx.has_witness());
  EXPECT_EQ(status(full), TxStatus::Confirmed);
}

TEST_F(LedgerTest, DisconnectingDropsConfirmationsAndProofsAboveTheFork) {
  confirm(a_, 10), confirm(TxBuilder().build(), 11), confirm(TxBuilder().build(), 12);
  const auto changed = ledger_.disconnect_above(10);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_FALSE(changed[0].confirmation);
  EXPECT_TRUE(changed[0].proof.empty());
  EXPECT_LT(changed[0].sequence, changed[1].sequence);
  EXPECT_EQ(status(a_), TxStatus::Confirmed);
}

TEST_F(LedgerTest, SequencesGoOnAfterARestart) {
  see(a_), see(b_);
  Ledger loaded({ledger_.records().begin(), ledger_.records().end()});
  EXPECT_GT(loaded.next_sequence(), ledger_.find(b_.txid())->sequence);
}

TEST_F(LedgerTest, R8_AChainOfTenThousandUnconfirmedIsJudgedWithoutRecursion) {
  std::vector<chain::Transaction> chain{a_};
  see(a_);
  for (int i = 1; i < 10'000; ++i) {
    chain.push_back(TxBuilder().spends(chain.back()).build());
    see(chain.back());
  }
  EXPECT_EQ(status(chain.back()), TxStatus::Unconfirmed);
  confirm(b_, 10);
  for (const TxStatus each : ledger_.statuses(kScanned)) EXPECT_TRUE(each != TxStatus::Unconfirmed);
}

TEST_F(LedgerTest, R8_TenThousandRivalsForOneCoinAreJudgedInLinearTime) {
  for (int i = 0; i < 10'000; ++i) see(TxBuilder().spends(coin_).build());
  const auto last = TxBuilder().spends(coin_).build();
  see(last);
  const auto statuses = ledger_.statuses(kScanned);
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), TxStatus::Unconfirmed), 1);
  EXPECT_EQ(status(last), TxStatus::Unconfirmed);
}

}  // namespace
}  // namespace spv::wallet
