#include "sync/relay/fee_estimate.h"

#include <gtest/gtest.h>

#include "chain/subsidy.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using chain::kCoin;
using test::TxBuilder;

const chain::NetworkParams& regtest() { return chain::params(chain::Network::Regtest); }
const chain::NetworkParams& mainnet() { return chain::params(chain::Network::Main); }

chain::Transaction coinbase(chain::Height height, chain::Amount amount) {
  return TxBuilder::coinbase(height, test::op_true(), amount);
}

TEST(SubsidyTest, IsHalvedByTheNetworksRule) {
  EXPECT_EQ(chain::subsidy_at(0, mainnet()), 50 * kCoin);
  EXPECT_EQ(chain::subsidy_at(209'999, mainnet()), 50 * kCoin);
  EXPECT_EQ(chain::subsidy_at(210'000, mainnet()), 25 * kCoin);
  EXPECT_EQ(chain::subsidy_at(840'000, mainnet()), 312'500'000);
  EXPECT_EQ(chain::subsidy_at(6'929'999, mainnet()), 1);
  EXPECT_EQ(chain::subsidy_at(6'930'000, mainnet()), 0);
  EXPECT_EQ(chain::subsidy_at(210'000 * 64, mainnet()), 0);
  EXPECT_EQ(chain::subsidy_at(149, regtest()), 50 * kCoin);
  EXPECT_EQ(chain::subsidy_at(150, regtest()), 25 * kCoin);
}

TEST(FeesClaimedTest, AreTheOutputsLessTheSubsidy) {
  EXPECT_EQ(fees_claimed(coinbase(100, 50 * kCoin + 1'234), 100, regtest()), 1'234);
  EXPECT_EQ(fees_claimed(coinbase(850'000, 312'500'000 + 7), 850'000, mainnet()), 7);
  EXPECT_EQ(fees_claimed(coinbase(100, 40 * kCoin), 100, regtest()), 0) << "a miner may leave something";
  for (const chain::Height height : {1, 16, 17, 127, 128, 255, 256, 32'767, 32'768, 8'388'607, 8'388'608}) {
    EXPECT_TRUE(fees_claimed(coinbase(height, 1), height, regtest()).has_value()) << height;
  }
}

TEST(FeesClaimedTest, WhatCannotBeTheCoinbaseOfThatBlockCountsNothing) {
  EXPECT_FALSE(fees_claimed(coinbase(100, 50 * kCoin), 101, regtest()).has_value()) << "of another block";
  EXPECT_FALSE(fees_claimed(TxBuilder(1).build(), 100, regtest()).has_value()) << "no coinbase";
  EXPECT_FALSE(fees_claimed(coinbase(100, 50 * kCoin + kMaxBlockFees + 1), 100, regtest()).has_value());
  EXPECT_TRUE(fees_claimed(coinbase(100, 50 * kCoin + kMaxBlockFees), 100, regtest()).has_value());
  EXPECT_FALSE(fees_claimed(coinbase(100, -1), 100, regtest()).has_value());
  EXPECT_FALSE(fees_claimed(coinbase(100, chain::kMaxMoney + 1), 100, regtest()).has_value());
  EXPECT_FALSE(fees_claimed({}, 100, regtest()).has_value());
  auto large = coinbase(100, 50 * kCoin);
  large.outputs.push_back({.value = 0, .script_pubkey = util::Bytes(kMaxCoinbaseBytes)});
  EXPECT_FALSE(fees_claimed(large, 100, regtest()).has_value());
}

TEST(EstimateFeesTest, IsTheMedianAsIfBlocksWereFull) {
  EXPECT_FALSE(estimate_fees({}).has_value());
  EXPECT_FALSE(estimate_fees({1'000'000, 1'000'000}).has_value()) << "too few";
  const auto rate = estimate_fees({3'000'000, 5'000'000'000, 1'000'000});
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->sat_per_kvb, 3'000) << "0.03 BTC a block are 3 sat/vB";
  EXPECT_EQ(rate->blocks, 3U);
  EXPECT_FALSE(estimate_fees({0, 0, 0, 9'000'000}).has_value()) << "blocks without fees say nothing";
}

}  // namespace
}  // namespace spv::sync
