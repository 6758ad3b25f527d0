#include "cli/commands/filter/measurement.h"

#include <cmath>

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

TEST(Measurement, KnowsItsRateAndHowFarItIsOff) {
  const Measurement result{.probes = 10'000, .false_positives = 130, .fp_expected = 0.02, .fp_from_bits = 0.01};
  EXPECT_DOUBLE_EQ(result.fp_measured(), 0.013);
  EXPECT_NEAR(result.deviation(), 30 / std::sqrt(99.0), 1e-9);
}

TEST(Measurement, HasNoDeviationWhereTheOutcomeIsCertain) {
  const Measurement full{.probes = 10, .false_positives = 10, .fp_expected = 1, .fp_from_bits = 1};
  EXPECT_EQ(full.deviation(), 0);
}

TEST(Measurement, AgreesWithTheFormulaForManyShapes) {
  struct Case {
    std::size_t elements;
    double rate;
  };
  for (const auto& [elements, rate] : {Case{100, 0.5}, Case{1'000, 0.1}, Case{2'000, 0.01}, Case{30'000, 0.001}}) {
    const auto shape = bip37::design_filter(elements, rate);
    const auto result = measure_filter(shape, elements, 50'000, 7);
    EXPECT_LT(std::abs(result.deviation()), 4) << elements << " at " << rate;
    EXPECT_NEAR(result.fp_from_bits / result.fp_expected, 1, 0.25) << elements << " at " << rate;
  }
}

TEST(Measurement, IsTheSameForTheSameSeedAlone) {
  const auto shape = bip37::design_filter(500, 0.05);
  const auto hits = [&](std::uint64_t seed) { return measure_filter(shape, 500, 20'000, seed).false_positives; };
  EXPECT_EQ(hits(1), hits(1));
  EXPECT_NE(hits(1), hits(2));
}

TEST(MeasureCurve, RunsFromEmptyToTwiceThePlan) {
  const auto curve = measure_curve(bip37::design_filter(800, 0.01), 800, 2'000, 1);
  ASSERT_EQ(curve.size(), 16U);
  EXPECT_EQ(curve.front().elements, 100U);
  EXPECT_EQ(curve.back().elements, 1'600U);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].fill, curve[i - 1].fill);
    EXPECT_GT(curve[i].fp_expected, curve[i - 1].fp_expected);
  }
  EXPECT_NEAR(curve.back().fp_measured, curve.back().fp_expected, 0.05);
}

TEST(MeasureCurve, HasAPointForEachCountOfASmallFilter) {
  const auto curve = measure_curve(bip37::design_filter(1, 0.01), 1, 10, 1);
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_EQ(curve[0].elements, 1U);
  EXPECT_EQ(curve[1].elements, 2U);
}

}  // namespace
}  // namespace spv::cli
