#include "cli/commands/filter/overfill_plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace spv::cli {
namespace {

constexpr double kMostLoad = 5;
constexpr int kSteps = 160;
constexpr int kFewestDecades = 3;
constexpr int kMostDecades = 12;

struct LoadPoint {
  double load = 1;  // elements as a multiple of the plan
  double rate = 0;
};

struct OverfillCurve {
  std::string label;
  const char* colour;
  const char* dashes;
  double width;
  std::vector<LoadPoint> points;
};

// At whole elements only: a filter for three holds 3, 4, 5 ... and nothing between.
std::vector<LoadPoint> overfilled(const bip37::FilterShape& shape, std::size_t elements) {
  const auto plan = static_cast<double>(elements);
  std::vector<LoadPoint> points;
  std::size_t before = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const auto count = static_cast<std::size_t>(std::llround(plan * (1 + (kMostLoad - 1) * step / kSteps)));
    if (count == before) continue;
    before = count;
    points.push_back({static_cast<double>(count) / plan, bip37::expected_fp_rate(shape, count)});
  }
  return points;
}

OverfillCurve curve_for_rate(double rate, std::size_t elements, const char* colour) {
  return {fmt::format("planned for {:g}%", 100 * rate), colour, "6 4", 1.5,
          overfilled(bip37::design_filter(elements, rate), elements)};
}

OverfillCurve curve_of_plan(const bip37::FilterShape& shape, std::size_t elements) {
  const auto rate_at = [&](std::size_t load) { return bip37::expected_fp_rate(shape, load * elements); };
  return {fmt::format("this filter: {:.3g}; with 2x {:.3g}, with 4x {:.3g}", rate_at(1), rate_at(2), rate_at(4)),
          "#d1495b", "none", 2.5, overfilled(shape, elements)};
}

// The parts of the drawing.
constexpr double kPlotLeft = 80, kPlotTop = 50, kPlotWidth = 520, kPlotHeight = 320;

double load_x(double load) { return kPlotLeft + (load - 1) / (kMostLoad - 1) * kPlotWidth; }
double rate_y(double rate, int decades) {
  const double height = 1 + std::log10(std::max(rate, 1e-300)) / decades;
  return kPlotTop + (1 - std::clamp(height, 0.0, 1.0)) * kPlotHeight;
}

int decades_for(const std::vector<OverfillCurve>& curves) {
  double least = 1;
  for (const auto& curve : curves) least = std::min(least, std::max(curve.points.front().rate, 1e-300));
  return std::clamp(static_cast<int>(std::ceil(-std::log10(least) - 0.05)), kFewestDecades, kMostDecades);
}

std::string grid(int decades) {
  std::string out;
  for (int decade = 0; decade <= decades; ++decade) {
    const double y = rate_y(std::pow(10, -decade), decades);
    out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"#ccc\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">",
                       kPlotLeft, y, kPlotWidth, kPlotLeft - 8, y + 4);
    out += decade == 0 ? "1</text>\n" : fmt::format("1e-{}</text>\n", decade);
  }
  for (int load = 1; load <= static_cast<int>(kMostLoad); ++load) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}x</text>\n", load_x(load),
                       kPlotTop + kPlotHeight + 20, load);
  }
  return out;
}

std::string line_of(const OverfillCurve& curve, int decades) {
  std::string out =
      fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" points=\"",
                  curve.colour, curve.width, curve.dashes);
  for (const auto& point : curve.points) {
    out += fmt::format("{:.1f},{:.1f} ", load_x(point.load), rate_y(point.rate, decades));
  }
  return out + "\"/>\n";
}

// At the bottom right, where no curve comes.
std::string legend_of(const std::vector<OverfillCurve>& curves) {
  constexpr double kLine = 20, kBoxLeft = kPlotLeft + 140;
  double y = kPlotTop + kPlotHeight - kLine * static_cast<double>(curves.size()) - 4;
  std::string out =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"white\"/>\n", kBoxLeft - 8, y - 2,
                  kPlotLeft + kPlotWidth - kBoxLeft + 8, kLine * static_cast<double>(curves.size()) + 4);
  for (const auto& curve : curves) {
    y += kLine;
    out += fmt::format("<path d=\"M{} {}h26\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>", kBoxLeft,
                       y - 9, curve.colour, curve.width, curve.dashes);
    out +=
        fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", kBoxLeft + 34, y - 4, curve.colour, curve.label);
  }
  return out;
}

}  // namespace

std::string overfill_plot(const bip37::FilterShape& shape, std::size_t elements) {
  const std::vector<OverfillCurve> curves{curve_for_rate(0.1, elements, "#1f6fb4"),
                                          curve_for_rate(0.01, elements, "#2a9d8f"),
                                          curve_for_rate(0.001, elements, "#7b5ea7"), curve_of_plan(shape, elements)};
  const int decades = decades_for(curves);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 440\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"640\" height=\"440\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"24\" font-size=\"15\">False positive rate of an overfilled filter ({} bytes, k = "
      "{})</text>\n",
      kPlotLeft, shape.bytes, shape.hash_funcs);
  out += grid(decades) + legend_of(curves);
  for (const auto& curve : curves) out += line_of(curve, decades);
  return out + fmt::format(
                   "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">elements, as a multiple of the planned {}"
                   "</text>\n</svg>\n",
                   kPlotLeft + kPlotWidth / 2, kPlotTop + kPlotHeight + 42, elements);
}

}  // namespace spv::cli
