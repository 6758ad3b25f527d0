#include "sync/relay/recent_transactions.h"

#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class RecentTransactionsTest : public testing::Test {
 protected:
  chain::Txid add(chain::Transaction tx) {
    const auto txid = tx.txid();
    recent_.add(txid, std::move(tx));
    return txid;
  }
  chain::Txid add(std::uint64_t number) { return add(TxBuilder(number).build()); }
  static chain::Transaction large(std::uint64_t number, std::size_t bytes) {
    return TxBuilder(number).pays(util::Bytes(bytes), 1).build();
  }

  RecentTransactions recent_;
};

TEST_F(RecentTransactionsTest, WhatWasAddedIsFound) {
  const auto txid = add(1);
  ASSERT_NE(recent_.find(txid), nullptr);
  EXPECT_EQ(recent_.find(txid)->txid(), txid);
  EXPECT_EQ(recent_.find(TxBuilder(2).build().txid()), nullptr);
}

TEST_F(RecentTransactionsTest, TheOldestMakesRoom) {
  const auto first = add(0);
  const auto second = add(1);
  for (std::uint64_t i = 2; i <= RecentTransactions::kMaxCount; ++i) add(i);
  EXPECT_EQ(recent_.find(first), nullptr);
  EXPECT_NE(recent_.find(second), nullptr);
}

TEST_F(RecentTransactionsTest, TheSameTwiceTakesOnePlace) {
  const auto first = add(0);
  for (std::size_t i = 0; i < 2 * RecentTransactions::kMaxCount; ++i) add(1);
  EXPECT_NE(recent_.find(first), nullptr);
}

TEST_F(RecentTransactionsTest, R8_TheirBytesAreBounded) {
  const auto first = add(large(1, RecentTransactions::kMaxBytes / 2));
  const auto second = add(large(2, RecentTransactions::kMaxBytes / 2));
  EXPECT_EQ(recent_.find(first), nullptr);
  EXPECT_NE(recent_.find(second), nullptr);
  const auto huge = add(large(3, RecentTransactions::kMaxBytes));
  EXPECT_EQ(recent_.find(huge), nullptr);
  EXPECT_NE(recent_.find(second), nullptr) << "what cannot be kept displaces nothing";
}

}  // namespace
}  // namespace spv::sync
