#include "util/utf8.h"

#include <array>

namespace spv::util {

Utf8Character first_character(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF ? 2
                             : (lead & 0xF0U) == 0xE0     ? 3
                             : (lead & 0xF8U) == 0xF0     ? 4
                                                          : 0;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xC0U) != 0x80) return {};
    code = code << 6U | (next & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return {};
  return {length, code};
}

std::string to_utf8(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view bytes, std::uint32_t) { out += bytes; });
  return out;
}

std::string to_line(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view bytes, std::uint32_t code) {
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    out += control ? std::string_view(" ") : bytes;
  });
  return out;
}

}  // namespace spv::util
