#include "sync/scan/lane_pace.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::milliseconds;

class LanePaceTest : public testing::Test {
 protected:
  void pass(util::Duration time) { now_.monotonic += time; }
  void blocks(int count, util::Duration each) {
    for (int i = 0; i < count; ++i) {
      pass(each);
      pace_.on_block(now_);
    }
  }

  LanePace pace_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(LanePaceTest, NothingIsKnownBeforeTheFirstAnswers) {
  pace_.on_request(true, now_);
  EXPECT_FALSE(pace_.round_trip().has_value());
  EXPECT_FALSE(pace_.depth().has_value());
}

TEST_F(LanePaceTest, TheDepthCoversTheRoundTripAndALittleMore) {
  pace_.on_request(true, now_);
  pass(milliseconds(98));
  blocks(40, milliseconds(2));
  EXPECT_EQ(pace_.round_trip(), milliseconds(100));
  EXPECT_EQ(pace_.depth()->least, 147U / 2U + 2U);
  EXPECT_EQ(pace_.depth()->ample, (147U + 8U) / 2U + 2U);
}

TEST_F(LanePaceTest, ARoundTripIsMeasuredOnlyWhereNothingWasUnderWay) {
  pace_.on_request(true, now_);
  blocks(20, milliseconds(2));
  pace_.on_request(false, now_);
  pass(milliseconds(500));
  blocks(1, milliseconds(2));
  EXPECT_EQ(pace_.round_trip(), milliseconds(2));
}

TEST_F(LanePaceTest, APauseOfOursIsNotThePeersPace) {
  pace_.on_request(true, now_);
  blocks(30, milliseconds(2));
  pass(std::chrono::seconds(60));
  pace_.on_request(true, now_);
  blocks(40, milliseconds(2));
  EXPECT_EQ(pace_.depth()->ample, 8U / 2U + 2U);
}

TEST_F(LanePaceTest, SmallBlocksMayBeFollowedByFullOnes) {
  pace_.on_request(true, now_);
  pass(milliseconds(10));
  blocks(40, std::chrono::microseconds(20));
  EXPECT_EQ(pace_.depth()->least, 15U / 0.5 + 2);
  EXPECT_GT(pace_.depth()->ample, 1'000U);
}

TEST_F(LanePaceTest, AQuickerAnswerCountsAtOnce) {
  for (const int wait : {100, 20, 60}) {
    pace_.on_request(true, now_);
    blocks(1, milliseconds(wait));
  }
  EXPECT_EQ(pace_.round_trip(), milliseconds(30));
}

TEST_F(LanePaceTest, ASlowPeerIsSeenToBeSlow) {
  pace_.on_request(true, now_);
  blocks(200, milliseconds(100));
  EXPECT_LE(pace_.depth()->ample, 4U);
}

}  // namespace
}  // namespace spv::sync
