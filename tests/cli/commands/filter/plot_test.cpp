#include "cli/commands/filter/plot.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

std::vector<std::string> plot_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The column of a sign in the drawing behind the axis, -1 if it is not there.
std::ptrdiff_t column_of(const std::string& line, char sign) {
  const auto at = line.find(sign, line.find('|'));
  return at == std::string::npos ? -1 : static_cast<std::ptrdiff_t>(at);
}

const std::vector<CurvePoint> kCurve{{10, 0.1, 0.01, 0.01}, {20, 0.5, 0.25, 0.25}, {30, 1.0, 1.0, 1.0}};

TEST(TerminalPlot, PutsMeasuredPointsOnThePredictedCurve) {
  const auto lines = plot_lines(terminal_plot(2, kCurve));
  const std::string top = lines[1];
  const std::string bottom = lines[19];
  EXPECT_NE(top.find("1.0e+00"), std::string::npos);
  EXPECT_NE(bottom.find("1.0e-02"), std::string::npos);
  EXPECT_EQ(column_of(top, 'o'), static_cast<std::ptrdiff_t>(top.size()) - 1) << "all bits set, everything matches";
  EXPECT_EQ(column_of(bottom, 'o') - column_of(bottom, '|'), 1 + 6) << "a tenth of 63 columns";
  const auto drawn =
      std::count_if(lines.begin() + 1, lines.begin() + 20, [](const auto& line) { return column_of(line, 'o') >= 0; });
  EXPECT_EQ(drawn, 3);
}

TEST(TerminalPlot, FitsATerminalOf80Columns) {
  for (const auto& line : plot_lines(terminal_plot(50, kCurve))) EXPECT_LE(line.size(), 80U) << line;
}

TEST(TerminalPlot, DrawsThePredictionWhereNothingWasHit) {
  const std::vector<CurvePoint> none{{10, 0.01, 1e-6, 0}, {20, 0.1, 1e-3, 0}};
  const auto text = terminal_plot(3, none);
  EXPECT_EQ(text.find('o', text.find('\n')), std::string::npos);
  EXPECT_NE(text.find("1.0e-06"), std::string::npos);
}

TEST(TerminalPlot, TakesAnyCurve) {
  EXPECT_FALSE(terminal_plot(1, {}).empty());
  EXPECT_FALSE(terminal_plot(50, std::vector<CurvePoint>{{1, 0, 0, 0}}).empty());
  EXPECT_FALSE(terminal_plot(1, std::vector<CurvePoint>{{1, 1, 1, 1}}).empty());
}

TEST(SvgPlot, IsADocumentWithACircleForEachMeasuredPoint) {
  const auto svg = svg_plot(2, kCurve);
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++circles;
  EXPECT_EQ(circles, 3U);
  EXPECT_NE(svg.find("<circle cx=\"600.0\" cy=\"50.0\""), std::string::npos) << "the full filter, top right";
}

}  // namespace
}  // namespace spv::cli
