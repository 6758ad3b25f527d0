#include "wallet/attestation.h"

#include <set>

#include <gtest/gtest.h>

#include "util/rng.h"

namespace spv::wallet {
namespace {

using Counts = Attestation::Counts;

TEST(Attestation, CountsBlocksByTheirKindInPeriods) {
  Attestation attested;
  for (chain::Height h = 2'000; h < 2'050; ++h) attested.add_by_two(h);
  attested.add_whole(2'050);
  attested.add_whole(5);
  EXPECT_EQ(attested.total(), (Counts{.by_two = 50, .whole = 2}));
  ASSERT_EQ(attested.periods().size(), 2U);
  EXPECT_EQ(attested.periods()[0], (Attestation::Period{.index = 0, .by_two = 16, .whole = 1}));
  EXPECT_EQ(attested.periods()[1], (Attestation::Period{.index = 1, .by_two = 34, .whole = 1}));
}

TEST(Attestation, WhatOthersAttestJoinsPeriodByPeriod) {
  Attestation attested;
  attested.add_by_two(10);
  attested.add_whole(5'000);
  Attestation others;
  for (const chain::Height height : {11, 12, 2'016, 9'000}) others.add_by_two(height);
  others.add_whole(13);
  attested.add(others);
  using Periods = std::vector<Attestation::Period>;
  EXPECT_EQ(attested.periods(), (Periods{{.index = 0, .by_two = 3, .whole = 1},
                                         {.index = 1, .by_two = 1, .whole = 0},
                                         {.index = 2, .by_two = 0, .whole = 1},
                                         {.index = 4, .by_two = 1, .whole = 0}}));
}

TEST(Attestation, WhatOthersAttestIsTheSameAsBlockByBlock) {
  Attestation joined;
  Attestation one_by_one;
  for (chain::Height first = 0; first < 8'000; first += 500) {
    Attestation others;
    for (chain::Height height = first; height < first + 500; ++height) {
      height % 3 == 0 ? others.add_whole(height) : others.add_by_two(height);
      height % 3 == 0 ? one_by_one.add_whole(height) : one_by_one.add_by_two(height);
    }
    joined.add(others);
  }
  EXPECT_EQ(joined, one_by_one);
}

TEST(Attestation, NoPeriodAttestsMoreBlocksThanItHas) {
  Attestation attested;
  for (chain::Height height = 0; height < 2'010; ++height) attested.add_by_two(height);
  Attestation others;
  for (chain::Height height = 0; height < 4; ++height) others.add_by_two(height);
  for (chain::Height height = 0; height < 10; ++height) others.add_whole(height);
  attested.add(others);
  EXPECT_EQ(attested.total(), (Counts{.by_two = 2'014, .whole = 2}));
  attested.add(others);
  EXPECT_EQ(attested.total(), (Counts{.by_two = 2'014, .whole = 2}));
}

TEST(Attestation, WhereOthersAttestNothingNothingChanges) {
  Attestation attested;
  attested.add_by_two(10);
  const Attestation before = attested;
  attested.add({});
  EXPECT_EQ(attested, before);
}

TEST(Attestation, E11_WhatIsForgottenIsTakenOffInFull) {
  Attestation attested;
  for (chain::Height h = 0; h < 6'000; ++h) attested.add_by_two(h);
  attested.forget(4'000, 6'000);
  EXPECT_EQ(attested.total().by_two, 4'000U) << "exact where every block counted";
  attested.forget(0, 10'000);
  EXPECT_EQ(attested, Attestation{});
}

TEST(Attestation, E11_NeverSaysMoreThanIsTrueWhateverIsForgotten) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    util::Rng rng(seed);
    Attestation attested;
    std::set<chain::Height> two;
    std::set<chain::Height> whole;
    for (int step = 0; step < 400; ++step) {
      const auto height = static_cast<chain::Height>(rng.below(7'000));
      if (rng.below(20) == 0) {
        const auto to = height + static_cast<chain::Height>(rng.below(50));
        attested.forget(height, to);
        for (auto* set : {&two, &whole}) set->erase(set->lower_bound(height), set->upper_bound(to));
      } else if (!two.contains(height) && !whole.contains(height)) {
        const bool pair = rng.below(2) == 0;
        (pair ? two : whole).insert(height);
        pair ? attested.add_by_two(height) : attested.add_whole(height);
      }
      ASSERT_LE(attested.total().by_two, two.size()) << seed;
      ASSERT_LE(attested.total().whole, whole.size()) << seed;
    }
  }
}

TEST(Attestation, TakesBackOnlyWhatItCanHaveGiven) {
  using Periods = std::vector<Attestation::Period>;
  Attestation attested;
  EXPECT_TRUE(attested.restore({{.index = 3, .by_two = 2'000, .whole = 16}, {.index = 5, .by_two = 1, .whole = 0}}));
  EXPECT_EQ(attested.total(), (Counts{.by_two = 2'001, .whole = 16}));
  const Attestation before = attested;
  const std::vector<Periods> wrong{{{.index = 3, .by_two = 2'000, .whole = 17}},
                                   {{.index = 3, .by_two = 0, .whole = 0}},
                                   {{.index = 3, .by_two = 1, .whole = 0}, {.index = 3, .by_two = 1, .whole = 0}},
                                   {{.index = 4, .by_two = 1, .whole = 0}, {.index = 3, .by_two = 1, .whole = 0}},
                                   {{.index = UINT32_MAX, .by_two = 1, .whole = 0}}};
  for (const auto& periods : wrong) EXPECT_FALSE(attested.restore(periods));
  EXPECT_EQ(attested, before);
}

}  // namespace
}  // namespace spv::wallet
