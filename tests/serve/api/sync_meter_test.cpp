#include "serve/api/sync_meter.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

using namespace std::chrono_literals;

client::SyncReport at(chain::Height scanned, chain::Height tip) {
  client::SyncReport out;
  out.running = true;
  out.headers_done = true;
  out.scanned = scanned;
  out.tip = chain::BlockRef{.height = tip, .hash = {}};
  return out;
}

util::Now second(int n) { return {util::TimePoint(std::chrono::seconds(n)), n}; }

TEST(SyncMeter, KnowsThePaceOfTheLastSeconds) {
  SyncMeter meter;
  EXPECT_FALSE(meter.pace(at(0, 1'000)).blocks_per_second) << "one look is none";
  for (int i = 0; i < 30; ++i) meter.note(at(i < 20 ? 0 : (i - 19) * 50, 1'000), second(i));
  const auto pace = meter.pace(at(500, 1'000));
  ASSERT_TRUE(pace.blocks_per_second);
  EXPECT_DOUBLE_EQ(*pace.blocks_per_second, 50.0) << "not slowed down by the wait before";
  EXPECT_DOUBLE_EQ(*pace.seconds_left, 10.0);
}

TEST(SyncMeter, AStallShows) {
  SyncMeter meter;
  for (int i = 0; i < 15; ++i) meter.note(at(500, 1'000), second(i));
  EXPECT_DOUBLE_EQ(*meter.pace(at(500, 1'000)).blocks_per_second, 0.0);
  EXPECT_FALSE(meter.pace(at(500, 1'000)).seconds_left) << "nobody knows";
}

TEST(SyncMeter, AtTheTipNothingIsLeft) {
  SyncMeter meter;
  for (int i = 0; i < 5; ++i) meter.note(at(i, 4), second(i));
  auto synced = at(4, 4);
  synced.synced = true;
  EXPECT_FALSE(meter.pace(synced).seconds_left);
}

TEST(SyncMeter, KeepsAnHourOfSamplesAndNoMore) {
  SyncMeter meter;
  for (int i = 0; i < 5'000; ++i) meter.note(at(1, 1), second(i));
  const auto samples = meter.samples();
  EXPECT_EQ(samples.size(), SyncMeter::kSamples);
  EXPECT_EQ(samples.back().time - samples.front().time,
            static_cast<util::UnixTime>((SyncMeter::kSamples - 1) * SyncMeter::kSampleEvery));
}

}  // namespace
}  // namespace spv::serve
