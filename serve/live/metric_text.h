// MetricText: writes the text format of Prometheus (version 0.0.4).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "serve/live/histogram.h"

namespace spv::serve {

enum class MetricType { Counter, Gauge, Histogram };

struct MetricInfo {
  std::string_view name;
  MetricType type;
  std::string_view help;
};

class MetricText {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  /// The head of a metric; its samples follow.
  void begin(const MetricInfo& info);
  void sample(double value, Labels labels = {});
  void histogram(const HistogramValue& value, Labels labels = {});
  /// A metric with one sample.
  void single(const MetricInfo& info, double value);
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  void line(std::string_view suffix, std::span<const Label> labels, std::string_view le, double value);

  std::string text_;
  std::string_view name_;
};

}  // namespace spv::serve
