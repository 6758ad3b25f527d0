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
