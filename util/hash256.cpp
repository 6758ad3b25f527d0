#include "util/hash256.h"

#include <algorithm>

#include "util/hex.h"

namespace spv::util {

std::string display_hex(ByteView wire_order) {
  const Bytes reversed(wire_order.rbegin(), wire_order.rend());
  return to_hex(reversed);
}

std::optional<std::array<std::uint8_t, 32>> from_display_hex(std::string_view text) {
  if (text.size() != 64) return std::nullopt;
  const auto bytes = from_hex(text);
  if (!bytes) return std::nullopt;
  std::array<std::uint8_t, 32> out{};
  std::copy(bytes->rbegin(), bytes->rend(), out.begin());
  return out;
}

}  // namespace spv::util
