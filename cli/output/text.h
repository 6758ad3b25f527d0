// Text from outside (arguments, file names, user agents of peers) made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace spv::cli {

/// The same text as valid UTF-8: invalid bytes become U+FFFD, so that the JSON is always valid.
std::string to_utf8(std::string_view text);
/// One line of valid UTF-8 without control characters: nothing in it can move a terminal's cursor.
std::string to_line(std::string_view text);

/// How many columns of a terminal a line of UTF-8 takes: none for a mark above a letter, two for a wide character.
std::size_t columns_of(std::string_view text);
/// As much of the line's beginning as fits into so many columns.
std::string first_columns(std::string_view text, std::size_t columns);

}  // namespace spv::cli
