// Which wallets a transaction is for.
#include "sync/watch/wallet_router.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

/// One of its own for every number, of any length.
util::Bytes script(std::uint8_t n, std::size_t size) { return util::Bytes(size, n); }

util::Bytes numbered(MemberId n) {
  util::Bytes out(22, 9);
  out[3] = static_cast<std::uint8_t>(n);
  out[4] = static_cast<std::uint8_t>(n >> 8U);
  return out;
}

class WalletRouterTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<MemberId> told_of(util::ByteView paid) const {
    return router_.route(TxBuilder().pays(paid, 1'000).build());
  }

  WalletRouter router_{util::Rng(1)};
};

TEST_F(WalletRouterTest, NamesThoseThatWatchAnOutputAndNobodyElse) {
  const std::size_t sizes[] = {1, 15, 16, 22, 25, 32, 34, 35, 67, 200};
  for (const std::size_t size : sizes) {
    router_.add_script(script(1, size), 1);
    router_.add_script(script(2, size), 2);
  }
  router_.add_script(script(2, 22), 3);
  for (const std::size_t size : sizes) {
    EXPECT_THAT(told_of(script(1, size)), ElementsAre(1)) << size;
    EXPECT_THAT(told_of(script(3, size)), IsEmpty()) << size;
  }
  EXPECT_THAT(told_of(script(2, 22)), ElementsAre(2, 3));
}

TEST_F(WalletRouterTest, NamesAWalletOnceHoweverOftenItIsPaid) {
  router_.add_script(script(1, 22), 1);
  router_.add_script(script(2, 22), 1);
  router_.add_script(script(1, 22), 1);
  EXPECT_EQ(router_.size(), 2U);
  EXPECT_THAT(router_.route(TxBuilder().pays(script(1, 22), 1).pays(script(2, 22), 1).build()), ElementsAre(1));
}

TEST_F(WalletRouterTest, FollowsTheCoinsOfWhatAWalletHolds) {
  const auto parent = TxBuilder().pays(script(1, 22), 1'000).pays(script(2, 22), 1'000).build();
  const auto is_own = [](util::ByteView paid) { return std::ranges::equal(paid, script(1, 22)); };
  router_.add_transaction(parent, parent.txid(), 7, is_own);
  EXPECT_THAT(router_.route(TxBuilder().spends(parent).build()), ElementsAre(7));
  EXPECT_THAT(router_.route(TxBuilder().spends(parent.inputs[0].previous).build()), ElementsAre(7)) << "a rival";
  EXPECT_THAT(router_.route(TxBuilder().spends(parent, 1).build()), IsEmpty()) << "what others are paid is theirs";
}

// One transaction that pays thousands of wallets, as an exchange makes them: each holds it, and each is named once.
TEST_F(WalletRouterTest, APaymentToThousandsOfWalletsCostsEachAFewEntries) {
  constexpr MemberId kWallets = 3'000;
  TxBuilder builder;
  for (MemberId id = 0; id < kWallets; ++id) builder.pays(numbered(id), 1'000);
  const auto batch = builder.build();
  const auto txid = batch.txid();
  for (int round = 0; round < 2; ++round) {
    for (MemberId id = 0; id < kWallets; ++id) {
      router_.add_script(numbered(id), id);
      router_.add_transaction(batch, txid, id,
                              [&](util::ByteView paid) { return std::ranges::equal(paid, numbered(id)); });
    }
  }
  EXPECT_EQ(router_.size(), 4U * kWallets) << "its script, its coin, and the txid and the input that all share";
  EXPECT_EQ(router_.route(TxBuilder().spends(batch.inputs[0].previous).build()).size(), kWallets) << "a double spend";
  EXPECT_THAT(router_.route(TxBuilder().spends(batch, 17).build()), ElementsAre(17));
  EXPECT_EQ(router_.holders(txid).size(), kWallets);
  for (MemberId id = 0; id < kWallets; ++id) {
    if (id == 17) continue;
    router_.remove_script(numbered(id), id);
    router_.remove_transaction(batch, txid, id,
                               [&](util::ByteView paid) { return std::ranges::equal(paid, numbered(id)); });
  }
  EXPECT_EQ(router_.size(), 4U);
  EXPECT_THAT(router_.route(TxBuilder().spends(batch.inputs[0].previous).build()), ElementsAre(17));
  EXPECT_THAT(router_.holders(txid), ElementsAre(17));
}

TEST_F(WalletRouterTest, ForgetsAWallet) {
  router_.add_script(script(1, 22), 1);
  router_.add_script(script(1, 22), 2);
  router_.remove_script(script(1, 22), 1);
  EXPECT_THAT(told_of(script(1, 22)), ElementsAre(2));
  EXPECT_EQ(router_.size(), 1U);
  router_.remove_script(script(1, 22), 1);
  EXPECT_EQ(router_.size(), 1U) << "gone already";
}

TEST_F(WalletRouterTest, CoinbasesHaveNothingInCommon) {
  const auto is_own = [](util::ByteView) { return true; };
  const auto coinbase = TxBuilder::coinbase(1, script(1, 22), 50);
  router_.add_transaction(coinbase, coinbase.txid(), 1, is_own);
  EXPECT_THAT(router_.route(TxBuilder::coinbase(2, script(2, 22), 50)), IsEmpty());
  EXPECT_THAT(router_.route(TxBuilder().spends(coinbase).build()), ElementsAre(1));
}

}  // namespace
}  // namespace spv::sync
