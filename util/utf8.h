// Text from outside (arguments, file names, labels, user agents of peers) as valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spv::util {

/// One character: its bytes in the text and its code point.
struct Utf8Character {
  std::size_t length = 0;  // 0: the text does not begin with a valid one
  std::uint32_t code = 0;
};
/// The first character of a text that is not empty: no overlong form, no surrogate, nothing above U+10FFFF.
Utf8Character first_character(std::string_view text);

/// The same text as valid UTF-8: invalid bytes become U+FFFD, so that JSON made of it is always valid.
std::string to_utf8(std::string_view text);
/// One line of valid UTF-8 without control characters: nothing in it can move a terminal's cursor.
std::string to_line(std::string_view text);

/// Calls it with the bytes and the code point of each character; U+FFFD stands for an invalid byte.
template <typename Emit>
void for_each_character(std::string_view text, Emit emit) {
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    if (next.length == 0) {
      emit(std::string_view("\xEF\xBF\xBD"), std::uint32_t{0xFFFD});
      text.remove_prefix(1);
    } else {
      emit(text.substr(0, next.length), next.code);
      text.remove_prefix(next.length);
    }
  }
}

}  // namespace spv::util
