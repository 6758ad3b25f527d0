// ScriptReader: cuts a script into its operations; the opcodes that output scripts are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/bytes.h"
#include "util/codec.h"

namespace spv::chain {

namespace op {
inline constexpr std::uint8_t k0 = 0x00;
inline constexpr std::uint8_t kPushData1 = 0x4C;
inline constexpr std::uint8_t kPushData2 = 0x4D;
inline constexpr std::uint8_t kPushData4 = 0x4E;
inline constexpr std::uint8_t k1 = 0x51;
inline constexpr std::uint8_t k16 = 0x60;
inline constexpr std::uint8_t kDup = 0x76;
inline constexpr std::uint8_t kEqual = 0x87;
inline constexpr std::uint8_t kEqualVerify = 0x88;
inline constexpr std::uint8_t kHash160 = 0xA9;
inline constexpr std::uint8_t kCheckSig = 0xAC;
inline constexpr std::uint8_t kCheckMultisig = 0xAE;

/// The number that OP_0 to OP_16 push; nothing for any other opcode.
constexpr std::optional<int> small_number(std::uint8_t code) {
  if (code == k0) return 0;
  if (code < k1 || code > k16) return std::nullopt;
  return code - k1 + 1;
}
}  // namespace op

struct ScriptOp {
  std::uint8_t code = 0;
  util::ByteView data;  // what it pushes; empty for OP_0 and for all that push no bytes of the script
};

/// Cuts as Core's GetOp does: a push that runs over the end of the script ends it.
class ScriptReader {
 public:
  explicit ScriptReader(util::ByteView script) : in_(script) {}

  /// Nothing at the end.
  std::optional<ScriptOp> next() {
    if (in_.remaining() == 0) return std::nullopt;
    ScriptOp found{.code = in_.integer<std::uint8_t>(), .data = {}};
    if (found.code <= op::kPushData4) found.data = in_.view(push_size(found.code));
    if (!in_.ok()) return std::nullopt;
    return found;
  }
  [[nodiscard]] std::size_t remaining() const { return in_.remaining(); }

 private:
  std::size_t push_size(std::uint8_t code) {
    if (code < op::kPushData1) return code;
    if (code == op::kPushData1) return in_.integer<std::uint8_t>();
    if (code == op::kPushData2) return in_.integer<std::uint16_t>();
    return in_.integer<std::uint32_t>();
  }

  util::Reader in_;
};

}  // namespace spv::chain
