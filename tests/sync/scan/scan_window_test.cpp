#include "sync/scan/scan_window.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(ScanWindowTest, BusyBlocksMakeTheWindowSmall) {
  const auto plan = bip37::plan_filter({}, 0.00001, 1, 2, bip37::UpdateFlags::All);
  const bip37::FilterMirror mirror(plan.filter);
  ScanWindow window;
  window.on_planned(plan);
  const std::size_t first = window.blocks(mirror);
  for (int i = 0; i < 1'000; ++i) window.on_block(5'000);
  EXPECT_NEAR(static_cast<double>(window.blocks(mirror)), static_cast<double>(first) / 5, 2);
  EXPECT_FALSE(window.is_used_up(mirror));
}

TEST(ScanWindowTest, EmptyBlocksDoNotMakeItWider) {
  const auto plan = bip37::plan_filter({}, 0.001, 1, 2, bip37::UpdateFlags::All);
  const bip37::FilterMirror mirror(plan.filter);
  ScanWindow window;
  window.on_planned(plan);
  const std::size_t first = window.blocks(mirror);
  for (int i = 0; i < 1'000; ++i) window.on_block(1);
  EXPECT_EQ(window.blocks(mirror), first);
  EXPECT_GE(first, 1U);
  EXPECT_LT(first, 20U);
}

TEST(ScanWindowTest, ALowRateLeavesRoomForTheMost) {
  const auto plan = bip37::plan_filter({}, 0.000001, 1, 2, bip37::UpdateFlags::All);
  ScanWindow window;
  window.on_planned(plan);
  EXPECT_EQ(window.blocks(bip37::FilterMirror(plan.filter)), ScanWindow::kMaxBlocks);
}

TEST(ScanWindowTest, AFilterThatIsNearlyFullIsUsedUp) {
  const auto plan = bip37::plan_filter({}, 0.001, 1, 2, bip37::UpdateFlags::All);
  bip37::BloomFilter filter = plan.filter;
  ScanWindow window;
  window.on_planned(plan);
  std::uint8_t i = 0;
  while (!window.is_used_up(bip37::FilterMirror(filter))) {
    ASSERT_LT(i, 200);
    filter.insert(util::Bytes{1, 2, 3, i++});
  }
  EXPECT_TRUE(window.is_worn(bip37::FilterMirror(filter)));
  EXPECT_LT(filter.fp_rate(), bip37::highest_rate(plan));
}

TEST(ScanWindowTest, OfWholeBlocksAFewMegabytesAreUnderWay) {
  ScanWindow window;
  for (int i = 0; i < 100; ++i) window.on_whole_block(4'000'000);
  EXPECT_EQ(window.whole_blocks(0), 4U);
  EXPECT_EQ(window.whole_blocks(300), 4U);
  for (int i = 0; i < 100; ++i) window.on_whole_block(160'000);
  EXPECT_NEAR(static_cast<double>(window.whole_blocks(0)), 2'500'000.0 / 160'000, 1);
  EXPECT_EQ(window.whole_blocks(300), window.whole_blocks(0));
}

TEST(ScanWindowTest, AfterSmallBlocksAFewBusyOnesStillFit) {
  ScanWindow window;
  for (int i = 0; i < 100; ++i) window.on_whole_block(200);
  EXPECT_EQ(window.whole_blocks(2), 25U);
  EXPECT_EQ(window.whole_blocks(300), 300U);
  EXPECT_EQ(window.whole_blocks(10'000), 500U);
}

}  // namespace
}  // namespace spv::sync
