// Whole numbers as people and programs write them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace spv::util {

/// The number that the whole text is; nothing if it is not one, or does not fit the type.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace spv::util
