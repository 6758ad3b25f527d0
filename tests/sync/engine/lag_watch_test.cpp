#include "sync/engine/lag_watch.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::seconds;

constexpr util::TimePoint kStart = util::TimePoint{} + seconds(1'000);

TEST(LagWatch, PeersLagOnceTheyWereStuckForTheWholeGrace) {
  LagWatch watch;
  EXPECT_FALSE(watch.lags(false, kStart));
  EXPECT_EQ(watch.lag_deadline(), std::nullopt);
  EXPECT_FALSE(watch.lags(true, kStart));
  EXPECT_EQ(watch.lag_deadline(), kStart + LagWatch::kLagGrace);
  EXPECT_FALSE(watch.lags(true, kStart + seconds(1)));
  EXPECT_TRUE(watch.lags(true, kStart + LagWatch::kLagGrace));
  EXPECT_FALSE(watch.lags(true, kStart + LagWatch::kLagGrace)) << "the next ones get their own grace";
}

TEST(LagWatch, ABlockThatCanBeScannedEndsTheGrace) {
  LagWatch watch;
  EXPECT_FALSE(watch.lags(true, kStart));
  EXPECT_FALSE(watch.lags(false, kStart + seconds(1)));
  EXPECT_FALSE(watch.lags(true, kStart + LagWatch::kLagGrace));
}

TEST(LagWatch, E4_ATipIsStaleAfterNinetyMinutesAndAgainAfterAsManyMore) {
  LagWatch watch;
  watch.on_tip_changed(kStart);
  EXPECT_EQ(watch.stale_deadline(), kStart + LagWatch::kStaleAfter);
  EXPECT_FALSE(watch.is_stale(kStart + LagWatch::kStaleAfter - seconds(1)));
  EXPECT_TRUE(watch.is_stale(kStart + LagWatch::kStaleAfter));
  EXPECT_FALSE(watch.is_stale(kStart + LagWatch::kStaleAfter + seconds(1)));
  EXPECT_TRUE(watch.is_stale(kStart + 2 * LagWatch::kStaleAfter));
}

TEST(LagWatch, ANewTipIsNotStale) {
  LagWatch watch;
  watch.on_tip_changed(kStart + LagWatch::kStaleAfter - seconds(1));
  EXPECT_FALSE(watch.is_stale(kStart + LagWatch::kStaleAfter));
}

}  // namespace
}  // namespace spv::sync
