// The matcher of whole blocks looks for what is watched now, and does not read it anew without need.
#include "sync/scan/whole_matcher.h"

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class WholeMatcherTest : public testing::Test {
 protected:
  /// How many transactions of a block with these are found.
  std::size_t found_in(std::vector<chain::Transaction> txs) {
    const auto block = test::ChainBuilder().block(std::move(txs)).tip_block();
    auto body = block.serialize();
    body.erase(body.begin(), body.begin() + chain::BlockHeader::kSize);
    return matcher_.fresh().match(block.header, body, false)->matched.size();
  }

  const util::Bytes first_ = test::p2wpkh(util::Bytes(20, 0x11));
  const util::Bytes second_ = test::p2wpkh(util::Bytes(20, 0x22));
  const chain::Transaction to_first_ = TxBuilder(1).pays(first_, 500).build();
  const chain::Transaction to_second_ = TxBuilder(2).pays(second_, 500).build();
  std::vector<util::Bytes> scripts_{first_};
  std::vector<chain::OutPoint> coins_;
  int refreshed_ = 0;
  WholeMatcher matcher_{util::Rng(1), [this](BlockMatcher& matcher) {
                          ++refreshed_;
                          matcher.watch(scripts_, coins_);
                        }};
};

TEST_F(WholeMatcherTest, KnowsWhatIsWatchedFromItsFirstBlockOn) {
  EXPECT_EQ(refreshed_, 0) << "the wallets are not asked before there is a block";
  EXPECT_EQ(found_in({to_first_, to_second_}), 1U);
}

TEST_F(WholeMatcherTest, ReadsWhatIsWatchedOnceForManyBlocks) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(found_in({to_first_}), 1U);
  EXPECT_EQ(refreshed_, 1);
}

TEST_F(WholeMatcherTest, FindsInTheNextBlockWhatIsWatchedSinceTheRenewal) {
  EXPECT_EQ(found_in({to_second_}), 0U);
  scripts_.push_back(second_);
  matcher_.renew();
  matcher_.renew();
  EXPECT_EQ(refreshed_, 1) << "not before a block comes";
  EXPECT_EQ(found_in({to_second_}), 1U);
  EXPECT_EQ(found_in({to_second_}), 1U);
  EXPECT_EQ(refreshed_, 2);
}

TEST_F(WholeMatcherTest, KeepsTheCoinsOfItsBlocksUntilARenewalAndThenGoesByTheWallets) {
  const auto spend = TxBuilder(3).spends(to_first_).build();
  EXPECT_EQ(found_in({to_first_}), 1U);
  EXPECT_EQ(found_in({spend}), 1U) << "the coin came with the block before";
  matcher_.renew();
  EXPECT_EQ(found_in({spend}), 0U) << "a reorganisation may have taken the coin back";
  coins_.push_back(test::outpoint(to_first_));
  matcher_.renew();
  EXPECT_EQ(found_in({spend}), 1U);
}

TEST_F(WholeMatcherTest, TellsWhatAWaitingBlockSpendsAlsoAfterARenewal) {
  const auto block = test::ChainBuilder().block({TxBuilder(3).spends(to_first_).build()}).tip_block();
  auto body = block.serialize();
  body.erase(body.begin(), body.begin() + chain::BlockHeader::kSize);
  const auto waiting = matcher_.fresh().match(block.header, body, true);
  ASSERT_TRUE(waiting);
  matcher_.renew();
  static_cast<void>(matcher_.fresh());
  EXPECT_TRUE(matcher_.spends(waiting->spends, test::outpoint(to_first_)));
  EXPECT_FALSE(matcher_.spends(waiting->spends, test::outpoint(to_second_)));
}

}  // namespace
}  // namespace spv::sync
