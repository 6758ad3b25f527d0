#include "report/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include <boost/json.hpp>

namespace spv::report {
namespace {

namespace json = boost::json;

/// Outside of these an exponent is easier to read.
constexpr double kLeastPlain = 1e-6;
constexpr double kMostPlain = 1e15;

void write_number(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";  // JSON has no such number
    return;
  }
  const double size = std::abs(number);
  const bool is_plain = size == 0 || (size >= kLeastPlain && size < kMostPlain);
  std::array<char, 64> text{};
  const auto form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, form).ptr;
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  out += digits;
  if (is_plain && digits.find('.') == std::string_view::npos) out += ".0";
}

void write(const json::value& value, std::string& out) {
  if (const auto* object = value.if_object()) {
    out += '{';
    for (const auto& field : *object) {
      if (out.back() != '{') out += ',';
      out += json::serialize(field.key());
      out += ':';
      write(field.value(), out);
    }
    out += '}';
  } else if (const auto* array = value.if_array()) {
    out += '[';
    for (const auto& item : *array) {
      if (&item != array->begin()) out += ',';
      write(item, out);
    }
    out += ']';
  } else if (const auto* number = value.if_double()) {
    write_number(*number, out);
  } else {
    out += json::serialize(value);
  }
}

/// Boost writes all but these, and is quicker.
bool has_fractions(const json::value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& field : *object) {
      if (has_fractions(field.value())) return true;
    }
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array) {
      if (has_fractions(item)) return true;
    }
  }
  return value.is_double();
}

}  // namespace

std::string json_text(const json::value& document) {
  if (!has_fractions(document)) return json::serialize(document);
  std::string out;
  write(document, out);
  return out;
}

}  // namespace spv::report
