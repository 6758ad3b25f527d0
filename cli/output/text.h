// Text from outside (arguments, file names, what peers call themselves) made fit to print.
#pragma once

#include <string>
#include <string_view>

namespace spv::cli {

/// The same text as valid UTF-8: what is not becomes U+FFFD, so that JSON stays JSON whatever the bytes were.
std::string to_utf8(std::string_view text);
/// One line of valid UTF-8 without control characters: nothing in it can move a terminal's cursor.
std::string to_line(std::string_view text);

}  // namespace spv::cli
