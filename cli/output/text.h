// Text from outside (arguments, file names, user agents of peers) made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace spv::cli {

/// The same text as valid UTF-8: invalid bytes become U+FFFD, so that the JSON is always valid.
std::string to_utf8(std::string_view text);
/// One line of valid UTF-8 without control characters: nothing in it can move a terminal's cursor.
std::string to_line(std::string_view text);

}  // namespace spv::cli
