#include "sync/scan_window.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(ScanWindowTest, BusyBlocksMakeTheWindowSmallAndEmptyOnesLargest) {
  const auto plan = bip37::plan_filter({}, 0.001, 1, 2, bip37::UpdateFlags::All);
  const bip37::FilterMirror mirror(plan.filter);
  ScanWindow window;
  window.on_planned(plan);
  EXPECT_EQ(window.blocks(mirror), ScanWindow::kFirstBlocks);
  window.on_block(1);
  EXPECT_GT(window.blocks(mirror), 1'000U);
  ScanWindow busy;
  busy.on_planned(plan);
  busy.on_block(3'000);
  EXPECT_LT(busy.blocks(mirror), 20U);
  EXPECT_GE(busy.blocks(mirror), 1U);
  EXPECT_FALSE(busy.is_used_up(mirror));
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
  EXPECT_FALSE(bip37::needs_reload(filter.fp_rate(), plan));
}

}  // namespace
}  // namespace spv::sync
