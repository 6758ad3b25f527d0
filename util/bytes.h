// The byte types that every layer shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spv::util {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// The characters of a string as bytes, without a copy.
inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// An owned copy of a view.
inline Bytes to_bytes(ByteView view) { return {view.begin(), view.end()}; }

}  // namespace spv::util
