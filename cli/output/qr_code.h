// A text as a QR code for a terminal: two rows of modules a line, by half-block characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spv::cli {

/// Dark modules are drawn as spaces and light ones as blocks, quiet zone included: right on a dark terminal, and
/// scanners read the inverse on a light one. Nothing if the text is too long.
std::optional<std::string> qr_code(std::string_view text);

}  // namespace spv::cli
