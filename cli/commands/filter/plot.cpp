#include "cli/commands/filter/plot.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace spv::cli {
namespace {

constexpr int kMaxDecades = 12;

/// The rates shown run from 10^-decades to 1: down to the least that was measured, or else predicted.
struct Scale {
  int decades = 1;
  /// 0 at the bottom, 1 at the top; none for what is below.
  [[nodiscard]] std::optional<double> height(double rate) const {
    if (!(rate > 0)) return std::nullopt;
    const double height = 1 + std::log10(rate) / decades;
    return height < 0 ? std::nullopt : std::optional(std::min(height, 1.0));
  }
};

Scale scale_of(std::span<const CurvePoint> curve) {
  double least = 1;
  for (const auto& point : curve) {
    if (point.fp_measured > 0) least = std::min(least, point.fp_measured);
  }
  if (least == 1) {
    for (const auto& point : curve) least = std::min(least, std::max(point.fp_expected, 1e-300));
  }
  return {std::clamp(static_cast<int>(std::ceil(-std::log10(least) - 1e-9)), 1, kMaxDecades)};
}

// The parts of the SVG drawing.
namespace svg {

constexpr double kLeft = 80, kTop = 50, kWidth = 520, kHeight = 320;

double x_of(double fill) { return kLeft + fill * kWidth; }
double y_of(double height) { return kTop + (1 - height) * kHeight; }

std::string axes(const Scale& scale) {
  std::string out;
  for (int decade = 0; decade <= scale.decades; ++decade) {
    const double y = y_of(1 - static_cast<double>(decade) / scale.decades);
    out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"#ccc\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">",
                       kLeft, y, kWidth, kLeft - 8, y + 4);
    out += decade == 0 ? "1</text>\n" : fmt::format("1e-{}</text>\n", decade);
  }
  for (int quarter = 0; quarter <= 4; ++quarter) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{} %</text>\n", x_of(quarter / 4.0),
                       kTop + kHeight + 20, quarter * 25);
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">share of bits set</text>\n",
                           kLeft + kWidth / 2, kTop + kHeight + 42);
}

std::string predicted(const Scale& scale, std::uint32_t hash_funcs) {
  std::string out = "<polyline fill=\"none\" stroke=\"#1f6fb4\" stroke-width=\"2\" points=\"";
  for (int step = 1; step <= 200; ++step) {
    const double fill = step / 200.0;
    const auto height = scale.height(std::pow(fill, hash_funcs));
    if (height) out += fmt::format("{:.1f},{:.1f} ", x_of(fill), y_of(*height));
  }
  return out + "\"/>\n";
}

std::string measured(const Scale& scale, std::span<const CurvePoint> curve) {
  std::string out;
  for (const auto& point : curve) {
    const auto height = scale.height(point.fp_measured);
    if (!height) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#d1495b\"/>\n", x_of(point.fill),
                       y_of(*height));
  }
  return out;
}

std::string legend() {
  return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#1f6fb4\">predicted</text>\n", kLeft + 16, kTop + 24) +
         fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#d1495b\">measured</text>\n", kLeft + 16, kTop + 44);
}

}  // namespace svg

}  // namespace

std::string terminal_plot(std::uint32_t hash_funcs, std::span<const CurvePoint> curve) {
  constexpr int kColumns = 64;
  constexpr int kRows = 19;
  const Scale scale = scale_of(curve);
  std::vector<std::string> rows(kRows, std::string(kColumns, ' '));
  const auto mark = [&](double fill, double rate, char sign) {
    const auto height = scale.height(rate);
    if (!height) return;
    const auto column = static_cast<std::size_t>(std::lround(fill * (kColumns - 1)));
    rows[static_cast<std::size_t>(std::lround((1 - *height) * (kRows - 1)))][column] = sign;
  };
  for (int column = 0; column < kColumns; ++column) {
    const double fill = static_cast<double>(column) / (kColumns - 1);
    mark(fill, std::pow(fill, hash_funcs), '.');
  }
  for (const auto& point : curve) mark(point.fill, point.fp_measured, 'o');

  std::string text = "false positive rate against the share of bits set   (. predicted, o measured)\n";
  for (int row = 0; row < kRows; ++row) {
    const double rate = std::pow(10, -static_cast<double>(row) * scale.decades / (kRows - 1));
    const std::string label = row % 3 == 0 ? fmt::format("{:.1e}", rate) : "";
    text += fmt::format("{:>9} |{}\n", label, rows[static_cast<std::size_t>(row)]);
  }
  text += fmt::format("{:>9} +{}\n", "", std::string(kColumns, '-'));
  text += fmt::format("{:>9}  {:<15} {:<15} {:<15} {:<11} {}\n", "", "0 %", "25 %", "50 %", "75 %", "100 %");
  return text;
}

std::string svg_plot(std::uint32_t hash_funcs, std::span<const CurvePoint> curve) {
  const Scale scale = scale_of(curve);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 440\" font-family=\"sans-serif\" "
         "font-size=\"13\">\n"
         "<rect width=\"640\" height=\"440\" fill=\"white\"/>\n" +
         fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">False positive rate of a BIP37 filter, k = {}</text>\n",
                     svg::kLeft, hash_funcs) +
         svg::axes(scale) + svg::predicted(scale, hash_funcs) + svg::measured(scale, curve) + svg::legend() +
         "</svg>\n";
}

}  // namespace spv::cli
