// Whose answers count from where on, and who is convicted.
#include "sync/scan/scan_trust.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

class ScanTrustTest : public testing::Test {
 protected:
  ScanTrust trust_{CrossCheck(CrossCheckMode::Off, util::Rng(1))};
};

TEST_F(ScanTrustTest, WhoeverIsDistrustedIsSoFromTheLowestBlockItServed) {
  trust_.on_served(1, 20);
  trust_.on_served(1, 10);
  trust_.on_served(1, 30);
  trust_.on_served(2, 5);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), 10);
}

TEST_F(ScanTrustTest, WhoeverServedNothingIsConvictedAllTheSame) {
  trust_.on_served(2, 5);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), std::nullopt);
  const auto convicted = trust_.take_convicted();
  ASSERT_EQ(convicted.size(), 1U);
  EXPECT_EQ(convicted[0].peer, 1U);
  EXPECT_EQ(convicted[0].reason, DisconnectReason::Omission);
}

TEST_F(ScanTrustTest, WhatOnePeerServedIsLookedAtAgainOnce) {
  trust_.on_served(1, 20);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), 20);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), std::nullopt);
  trust_.on_served(1, 40);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), 40);
}

TEST_F(ScanTrustTest, WhatASlowPeerServedStillCounts) {
  trust_.on_served(1, 20);
  trust_.convict(1, DisconnectReason::Stalled);
  EXPECT_EQ(trust_.distrust(1, DisconnectReason::Omission), 20);
}

TEST_F(ScanTrustTest, AConvictionIsGivenOnce) {
  trust_.convict(1, DisconnectReason::Stalled);
  trust_.convict(2, DisconnectReason::NoBloomFilters);
  const auto convicted = trust_.take_convicted();
  ASSERT_EQ(convicted.size(), 2U);
  EXPECT_EQ(convicted[0].peer, 1U);
  EXPECT_EQ(convicted[1].peer, 2U);
  EXPECT_EQ(convicted[1].reason, DisconnectReason::NoBloomFilters);
  EXPECT_TRUE(trust_.take_convicted().empty());
}

TEST_F(ScanTrustTest, BlocksThatTwoGaveAlikeAreCounted) {
  EXPECT_EQ(trust_.cross_checked(), 0U);
  trust_.on_cross_checked();
  trust_.on_cross_checked();
  EXPECT_EQ(trust_.cross_checked(), 2U);
}

}  // namespace
}  // namespace spv::sync
