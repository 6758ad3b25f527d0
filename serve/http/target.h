// Target: what a request line asks for, taken apart and percent-decoded. Only the form "/path?query" is taken.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/expected.h"

namespace spv::serve {

struct Target {
  std::string path;                                        // as sent
  std::vector<std::string> segments;                       // decoded
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
};

/// Refused with a reason: other forms, bad percent-encodings, control characters, what is not UTF-8, and segments that
/// would lead elsewhere ("..", an encoded slash).
util::Expected<Target, std::string> parse_target(std::string_view text);

/// Bytes that are valid UTF-8 without control characters.
bool is_clean_text(std::string_view text);

}  // namespace spv::serve
