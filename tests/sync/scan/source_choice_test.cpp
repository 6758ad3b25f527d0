#include "sync/scan/source_choice.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::milliseconds;

/// A peer that takes so long for a block.
LanePace pace_of(util::Duration each) {
  LanePace pace;
  util::Now now{.monotonic = util::TimePoint{} + std::chrono::seconds(1), .wall = 0};
  for (int i = 0; i < 40; ++i, now.monotonic += each) pace.on_block(now);
  return pace;
}

BlockKind after_trials(SourceChoice choice, util::Duration filtered, util::Duration whole) {
  choice.on_asked(BlockKind::Filtered, SourceChoice::kTrial);
  choice.on_asked(BlockKind::Whole, SourceChoice::kTrial);
  return choice.pick(pace_of(filtered), pace_of(whole), true).kind;
}

TEST(SourceChoice, WhatIsAskedForIsGivenUnlessItIsAuto) {
  const LanePace unknown;
  EXPECT_EQ(SourceChoice(SourceMode::Filter, true).pick(unknown, unknown, true).kind, BlockKind::Filtered);
  EXPECT_EQ(SourceChoice(SourceMode::Blocks, false).pick(unknown, unknown, true).kind, BlockKind::Whole);
  EXPECT_EQ(SourceChoice(SourceMode::Auto, false).pick(unknown, unknown, true).kind, BlockKind::Whole);
  EXPECT_EQ(SourceChoice(SourceMode::Auto, true).pick(unknown, unknown, false).kind, BlockKind::Filtered);
}

TEST(SourceChoice, AutoTriesBothAndTakesTheQuicker) {
  SourceChoice choice(SourceMode::Auto, true);
  const LanePace unknown;
  EXPECT_EQ(choice.pick(unknown, unknown, true).kind, BlockKind::Filtered);
  EXPECT_EQ(choice.pick(unknown, unknown, true).most, SourceChoice::kTrial);
  choice.on_asked(BlockKind::Filtered, SourceChoice::kTrial);
  EXPECT_EQ(choice.pick(unknown, unknown, true).kind, BlockKind::Whole);
  choice.on_asked(BlockKind::Whole, SourceChoice::kTrial);
  EXPECT_EQ(choice.pick(unknown, unknown, true).kind, BlockKind::Filtered);  // nothing is measured yet
  EXPECT_EQ(after_trials(SourceChoice(SourceMode::Auto, true), milliseconds(4), milliseconds(1)), BlockKind::Whole);
  EXPECT_EQ(after_trials(SourceChoice(SourceMode::Auto, true), milliseconds(1), milliseconds(4)), BlockKind::Filtered);
}

TEST(SourceChoice, AutoTriesTheOtherKindAgainLater) {
  SourceChoice choice(SourceMode::Auto, true);
  choice.on_asked(BlockKind::Filtered, SourceChoice::kTrial);
  choice.on_asked(BlockKind::Whole, SourceChoice::kTrial);
  EXPECT_FALSE(choice.is_trial_due());
  choice.on_asked(BlockKind::Whole, SourceChoice::kAgain);
  EXPECT_TRUE(choice.is_trial_due());
  choice.begin_trial(BlockKind::Filtered);
  EXPECT_FALSE(choice.is_trial_due());
  EXPECT_EQ(choice.pick(pace_of(milliseconds(4)), pace_of(milliseconds(1)), true).kind, BlockKind::Filtered);
}

TEST(SourceChoice, LoopbackAndPrivateAddressesAreLocal) {
  for (const char* host : {"localhost", "127.0.0.1", "::1", "192.168.1.7", "10.1.2.3", "172.16.0.1", "fd00::1"}) {
    EXPECT_TRUE(is_local({host, 8333})) << host;
  }
  for (const char* host : {"8.8.8.8", "2a00:1450::1", "node.example.org", "172.32.0.1"}) {
    EXPECT_FALSE(is_local({host, 8333})) << host;
  }
}

}  // namespace
}  // namespace spv::sync
