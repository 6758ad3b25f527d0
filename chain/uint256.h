// Unsigned 256-bit numbers: targets and chain work. Arithmetic wraps as Bitcoin's does.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"

namespace spv::chain {

class Uint256 {
 public:
  constexpr Uint256() = default;
  constexpr Uint256(std::uint64_t value) : limbs_{value, 0, 0, 0} {}  // NOLINT(google-explicit-constructor)

  /// 32 bytes, least significant first: how a block hash reads as a number.
  static Uint256 from_little_endian(util::ByteView bytes);
  [[nodiscard]] std::array<std::uint8_t, 32> to_little_endian() const;
  /// Up to 64 hex digits, most significant first.
  static std::optional<Uint256> from_hex(std::string_view text);
  /// 64 hex digits, most significant first.
  [[nodiscard]] std::string to_hex() const;

  /// Position of the highest set bit, counted from 1; 0 for zero.
  [[nodiscard]] unsigned bit_length() const;
  [[nodiscard]] std::uint64_t low64() const { return limbs_[0]; }
  [[nodiscard]] bool is_zero() const { return bit_length() == 0; }

  friend Uint256 operator+(const Uint256& a, const Uint256& b);
  friend Uint256 operator-(const Uint256& a, const Uint256& b);
  friend Uint256 operator*(const Uint256& a, std::uint32_t b);
  /// b != 0.
  friend Uint256 operator/(const Uint256& a, const Uint256& b);
  friend Uint256 operator~(const Uint256& a);
  friend Uint256 operator<<(const Uint256& a, unsigned shift);
  friend Uint256 operator>>(const Uint256& a, unsigned shift);
  friend bool operator==(const Uint256&, const Uint256&) = default;
  friend std::strong_ordering operator<=>(const Uint256& a, const Uint256& b);

 private:
  static constexpr unsigned kLimbs = 4;
  static constexpr unsigned kLimbBits = 64;
  std::array<std::uint64_t, kLimbs> limbs_{};  // least significant first
};

}  // namespace spv::chain
