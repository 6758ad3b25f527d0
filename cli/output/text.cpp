#include "cli/output/text.h"

#include <array>
#include <cstdint>

#include <utf8proc.h>

namespace spv::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The length of the valid sequence that the text begins with, and its code point; 0 if it is none.
struct Sequence {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

Sequence first_sequence(std::string_view text) {
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

template <typename Emit>
void for_each_character(std::string_view text, Emit emit) {
  while (!text.empty()) {
    const Sequence next = first_sequence(text);
    if (next.length == 0) {
      emit(kReplacement, std::uint32_t{0xFFFD});
      text.remove_prefix(1);
    } else {
      emit(text.substr(0, next.length), next.code);
      text.remove_prefix(next.length);
    }
  }
}

std::size_t width_of(std::uint32_t code) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)));
}

}  // namespace

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

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for_each_character(text, [&](std::string_view, std::uint32_t code) { columns += width_of(code); });
  return columns;
}

std::string first_columns(std::string_view text, std::size_t columns) {
  std::string out;
  bool full = false;
  for_each_character(text, [&](std::string_view bytes, std::uint32_t code) {
    full = full || width_of(code) > columns;
    if (full) return;
    columns -= width_of(code);
    out += bytes;
  });
  return out;
}

}  // namespace spv::cli
