#include "sync/relay/fee_floor.h"

#include <limits>

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(FeeFloorTest, IsTheMedianOfWhatPeersSayLast) {
  FeeFloor floor;
  EXPECT_FALSE(floor.median().has_value());
  floor.on(1, {500});
  floor.on(1, {1'000});
  EXPECT_EQ(floor.median(), 1'000);
  floor.on(2, {3'000});
  EXPECT_EQ(floor.median(), 3'000) << "of two the one that passes both";
  floor.on(3, {2'000});
  EXPECT_EQ(floor.median(), 2'000);
  EXPECT_EQ(floor.heard(), 3U);
  floor.on_peer_lost(1);
  EXPECT_EQ(floor.heard(), 2U);
}

TEST(FeeFloorTest, WhatMakesNoSenseIsDropped) {
  FeeFloor floor;
  floor.on(1, {-1});
  floor.on(2, {FeeFloor::kHighest + 1});
  floor.on(3, {std::numeric_limits<std::int64_t>::max()});
  floor.on(4, {std::numeric_limits<std::int64_t>::min()});
  floor.on(5, {9'170'997});
  EXPECT_EQ(floor.heard(), 0U);
  floor.on(1, {FeeFloor::kHighest});
  EXPECT_EQ(floor.median(), FeeFloor::kHighest);
  floor.on(1, {9'170'997});
  EXPECT_EQ(floor.heard(), 0U) << "its last word counts";
}

TEST(FeeFloorTest, OneLiarOfThreeDoesNotMoveItBeyondTheOthers) {
  FeeFloor floor;
  floor.on(1, {1'000});
  floor.on(2, {1'100});
  floor.on(3, {1'000'000});
  EXPECT_EQ(floor.median(), 1'100);
  floor.on(3, {0});
  EXPECT_EQ(floor.median(), 1'000);
}

}  // namespace
}  // namespace spv::sync
