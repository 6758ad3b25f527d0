// Base64 (RFC 4648), both ways, in its one canonical form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"

namespace spv::util {

/// With padding, in one line.
std::string to_base64(ByteView bytes);

/// Padding is needed, bits beyond the last byte are zero, and no other character is taken, white space included.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace spv::util
