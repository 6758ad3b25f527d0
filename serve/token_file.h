// The token that requests must show, in a file that only its owner can read.
#pragma once

#include <filesystem>
#include <string>

#include "util/expected.h"

namespace spv::serve {

/// Reads a token; where there is no file, makes one with 32 random bytes in hex (mode 0600). The error says what to do.
util::Expected<std::string, std::string> read_or_make_token(const std::filesystem::path& file);
/// Reads a token that must be there.
util::Expected<std::string, std::string> read_token(const std::filesystem::path& file);

}  // namespace spv::serve
