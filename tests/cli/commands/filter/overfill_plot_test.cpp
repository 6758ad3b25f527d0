#include "cli/commands/filter/overfill_plot.h"

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(OverfillPlot, HasACurveForEachRateAndThePlansOwn) {
  const auto shape = bip37::design_filter(1'000, 0.0001);
  const auto svg = overfill_plot(shape, 1'000);
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count_of(svg, "<polyline"), 4U);
  for (const char* label : {">planned for 10%<", ">planned for 1%<", ">planned for 0.1%<", ">this filter: 0.0001",
                            ">1x<", ">5x<", ">1e-4<"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  EXPECT_NE(svg.find("multiple of the planned 1000<"), std::string::npos);
}

TEST(OverfillPlot, TheCurvesBeginAtTheirRatesAndRise) {
  const auto svg = overfill_plot(bip37::design_filter(1'000, 0.001), 1'000);
  EXPECT_EQ(svg.find(">1e-4<"), std::string::npos) << "three decades, from the top at 50 to the bottom at 370";
  std::size_t at = 0;
  for (const double y : {156.7, 263.3, 370.0, 370.0}) {
    at = svg.find("points=\"", at) + 8;
    EXPECT_EQ(svg.substr(at, 5), "80.0,");
    EXPECT_NEAR(std::stod(svg.substr(at + 5)), y, 10) << "as near as whole bytes and functions come";
    const auto last = svg.rfind(' ', svg.rfind(' ', svg.find('"', at)) - 1) + 1;
    EXPECT_EQ(svg.substr(last, 6), "600.0,");
    EXPECT_LT(std::stod(svg.substr(last + 6)), 70) << "nearly everything matches";
  }
}

TEST(OverfillPlot, TakesAnyPlan) {
  for (const std::size_t elements : {std::size_t{1}, std::size_t{10'000'000}}) {
    for (const double rate : {1e-300, 0.5, 0.999}) {
      const auto svg = overfill_plot(bip37::design_filter(elements, rate), elements);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace spv::cli
