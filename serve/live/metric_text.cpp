#include "serve/live/metric_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace spv::serve {
namespace {

std::string_view to_string(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      break;
  }
  return "histogram";
}

/// Help texts escape backslashes and line feeds; the values of labels quotes too.
void append_escaped(std::string& out, std::string_view text, bool is_label) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && is_label) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

/// The shortest text that reads back as the same number.
std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

void MetricText::begin(const MetricInfo& info) {
  name_ = info.name;
  text_.append("# HELP ").append(info.name).append(" ");
  append_escaped(text_, info.help, false);
  text_.append("\n# TYPE ").append(info.name).append(" ").append(to_string(info.type)).append("\n");
}

void MetricText::sample(double value, Labels labels) { line("", {labels.begin(), labels.size()}, "", value); }

void MetricText::histogram(const HistogramValue& value, Labels labels) {
  const std::span<const Label> all{labels.begin(), labels.size()};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < value.counts.size(); ++i) {
    count += value.counts[i];
    const auto le = i < value.bounds.size() ? number(value.bounds[i]) : "+Inf";
    line("_bucket", all, le, static_cast<double>(count));
  }
  line("_sum", all, "", value.sum);
  line("_count", all, "", static_cast<double>(count));
}

void MetricText::single(const MetricInfo& info, double value) {
  begin(info);
  sample(value);
}

void MetricText::line(std::string_view suffix, std::span<const Label> labels, std::string_view le, double value) {
  text_.append(name_).append(suffix);
  char separator = '{';
  const auto add = [&](std::string_view name, std::string_view text) {
    (text_ += std::exchange(separator, ',')).append(name).append("=\"");
    append_escaped(text_, text, true);
    text_ += '"';
  };
  for (const auto& [name, text] : labels) add(name, text);
  if (!le.empty()) add("le", le);
  if (separator == ',') text_ += '}';
  text_.append(" ").append(number(value)).append("\n");
}

}  // namespace spv::serve
