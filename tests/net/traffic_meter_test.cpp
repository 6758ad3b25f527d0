#include "net/traffic_meter.h"

#include <gtest/gtest.h>

namespace spv::net {
namespace {

constexpr util::TimePoint kStart{std::chrono::hours(1)};

TEST(TrafficMeter, CountsBothDirections) {
  TrafficMeter meter(nullptr);
  meter.on_read(100, kStart);
  meter.on_write(7);
  meter.on_write(8);
  EXPECT_EQ(meter.traffic().bytes_in, 100U);
  EXPECT_EQ(meter.traffic().bytes_out, 15U);
}

TEST(TrafficMeter, SharesABudgetAndNeverGoesBelowNothing) {
  std::uint64_t budget = 100;
  TrafficMeter one(&budget);
  TrafficMeter other(&budget);
  EXPECT_FALSE(one.spend(60));
  EXPECT_FALSE(other.spend(39));
  EXPECT_TRUE(one.spend(5));
  EXPECT_EQ(budget, 0U);
  EXPECT_TRUE(other.spend(1));
}

TEST(TrafficMeter, HasNoBoundWithoutABudget) { EXPECT_FALSE(TrafficMeter(nullptr).spend(SIZE_MAX)); }

TEST(TrafficMeter, LetsAnswersComeTogetherForLessTimeWhereThereAreSeveralPeers) {
  TrafficMeter meter(nullptr);
  EXPECT_EQ(meter.gather_time(1, kStart), util::Duration::zero());
  for (int i = 0; i <= ReadPace::kReads; ++i) meter.on_read(300, kStart + std::chrono::milliseconds(i));
  const auto now = kStart + std::chrono::milliseconds(ReadPace::kReads + 1);
  EXPECT_EQ(meter.gather_time(1, now), ReadPace::kGatherTime);
  EXPECT_EQ(meter.gather_time(2, now), ReadPace::kGatherTimeOfSeveral);
}

}  // namespace
}  // namespace spv::net
