// Which wallets a transaction is for.
#include "sync/watch/wallet_router.h"

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
  const auto parent = TxBuilder().pays(script(1, 22), 1'000).build();
  router_.add_transaction(parent, parent.txid(), 7);
  EXPECT_THAT(router_.route(TxBuilder().spends(parent).build()), ElementsAre(7));
  EXPECT_THAT(router_.route(TxBuilder().spends(parent.inputs[0].previous).build()), ElementsAre(7)) << "a rival";
  EXPECT_THAT(router_.route(TxBuilder().spends(parent, 1).build()), IsEmpty());
}

TEST_F(WalletRouterTest, ForgetsAWallet) {
  router_.add_script(script(1, 22), 1);
  router_.add_script(script(1, 22), 2);
  router_.remove(1);
  EXPECT_THAT(told_of(script(1, 22)), ElementsAre(2));
  EXPECT_EQ(router_.size(), 1U);
}

}  // namespace
}  // namespace spv::sync
