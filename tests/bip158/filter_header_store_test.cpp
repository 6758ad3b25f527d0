#include "bip158/filter_header_store.h"

#include <gtest/gtest.h>

namespace spv::bip158 {
namespace {

std::vector<util::FilterHeader> numbered(std::uint8_t first, std::uint8_t count) {
  std::vector<util::FilterHeader> headers(count);
  for (std::uint8_t i = 0; i < count; ++i) headers[i].bytes.fill(static_cast<std::uint8_t>(first + i));
  return headers;
}

TEST(MemoryFilterHeaders, StartsEmpty) {
  const MemoryFilterHeaders store(2016);
  EXPECT_EQ(store.base_height(), 2016);
  EXPECT_EQ(store.tip_height(), 2015);
}

TEST(MemoryFilterHeaders, GrowsAndIsReplacedAboveAFork) {
  MemoryFilterHeaders store(10);
  store.replace_above(9, numbered(10, 5));
  EXPECT_EQ(store.tip_height(), 14);
  store.replace_above(14, numbered(15, 1));
  EXPECT_EQ(store.at(15).bytes[0], 15);
  store.replace_above(11, numbered(112, 2));
  EXPECT_EQ(store.tip_height(), 13);
  EXPECT_EQ(store.at(10).bytes[0], 10);
  EXPECT_EQ(store.at(11).bytes[0], 11);
  EXPECT_EQ(store.at(12).bytes[0], 112);
  EXPECT_EQ(store.at(13).bytes[0], 113);
  store.replace_above(9, {});
  EXPECT_EQ(store.tip_height(), 9);
}

TEST(MemoryFilterHeaders, HasNothingBeyondItsEnds) {
  MemoryFilterHeaders store(10);
  EXPECT_DEATH(static_cast<void>(store.at(10)), "no filter header");
  EXPECT_DEATH(store.replace_above(10, {}), "follow");
  EXPECT_DEATH(store.replace_above(8, {}), "follow");
}

}  // namespace
}  // namespace spv::bip158
