#include "util/rng.h"

#include <array>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::util {
namespace {

std::vector<std::uint64_t> draw(Rng rng, std::size_t count) {
  std::vector<std::uint64_t> out(count);
  for (auto& value : out) value = rng.next();
  return out;
}

// Pinned: a seed printed by a failed run must give the same run on every machine and in every later version.
TEST(Rng, SeedOneGivesSha256InCounterMode) {
  const std::vector<std::uint64_t> expected = {18346704188745551798U, 12239882630409089757U, 16089981670423407917U,
                                               16310850597503552332U, 13993566418197012481U};
  EXPECT_EQ(draw(Rng(1), 5), expected);
}

TEST(Rng, SameSeedSameRun) {
  EXPECT_EQ(draw(Rng(42), 100), draw(Rng(42), 100));
  EXPECT_NE(draw(Rng(42), 4), draw(Rng(43), 4));
}

TEST(Rng, ACopyGoesOnFromTheSamePoint) {
  Rng rng(7);
  rng.next();
  const Rng copy = rng;
  EXPECT_EQ(draw(rng, 10), draw(copy, 10));
}

TEST(Rng, EveryByteOfTheSeedCounts) {
  std::set<std::uint64_t> firsts;
  for (std::size_t i = 0; i < 32; ++i) {
    Rng::Seed seed{};
    seed[i] = 1;
    firsts.insert(Rng(seed).next());
  }
  EXPECT_EQ(firsts.size(), 32U);
}

TEST(Rng, BelowReachesEveryValueAboutEquallyOften) {
  Rng rng(3);
  std::array<int, 6> seen{};
  for (int i = 0; i < 6'000; ++i) ++seen.at(rng.below(6));
  // Five standard deviations of a fair die are 144.
  for (const int count : seen) EXPECT_NEAR(count, 1'000, 150);
}

TEST(Rng, BelowTakesTheSmallestAndTheLargestBound) {
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rng.below(1), 0U);
    EXPECT_LT(rng.below(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  }
}

TEST(RngDeathTest, BelowZeroIsABug) { EXPECT_DEATH(Rng(1).below(0), "bound above zero"); }

RC_GTEST_PROP(Rng, BelowStaysBelow, (std::uint64_t seed)) {
  const auto bits = *rc::gen::inRange(0, 64);
  const std::uint64_t bound = (*rc::gen::arbitrary<std::uint64_t>() >> static_cast<unsigned>(bits)) | 1U;
  Rng rng(seed);
  for (int i = 0; i < 20; ++i) RC_ASSERT(rng.below(bound) < bound);
}

TEST(Rng, GivesAsManyBytesAsAskedFor) {
  EXPECT_TRUE(Rng(1).bytes(0).empty());
  const Bytes bytes = Rng(1).bytes(1'000);
  EXPECT_EQ(bytes.size(), 1'000U);
  EXPECT_GT(std::set<std::uint8_t>(bytes.begin(), bytes.end()).size(), 200U);
}

}  // namespace
}  // namespace spv::util
