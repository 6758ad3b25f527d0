// Hexadecimal, both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"

namespace spv::util {

/// Lower-case hex, two characters a byte.
std::string to_hex(ByteView bytes);

/// Bytes of an even number of hex characters of either case; nothing else is taken.
std::optional<Bytes> from_hex(std::string_view text);

}  // namespace spv::util
