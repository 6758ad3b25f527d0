#include "chain/uint256.h"

#include <bit>
#include <cstring>

#include "util/ensure.h"
#include "util/hex.h"

namespace spv::chain {
namespace {
__extension__ using Wide = unsigned __int128;
}

Uint256 Uint256::from_little_endian(util::ByteView bytes) {
  util::ensure(bytes.size() == 32, "a 256-bit number has 32 bytes");
  Uint256 out;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out.limbs_.data(), bytes.data(), bytes.size());  // once a header: a loop over bytes would show
  } else {
    for (unsigned i = 0; i < 32; ++i) out.limbs_[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  }
  return out;
}

std::array<std::uint8_t, 32> Uint256::to_little_endian() const {
  std::array<std::uint8_t, 32> out{};
  for (unsigned i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(limbs_[i / 8] >> (8 * (i % 8)));
  return out;
}

std::optional<Uint256> Uint256::from_hex(std::string_view text) {
  if (text.empty() || text.size() > 64) return std::nullopt;
  const auto bytes = util::from_hex(std::string(64 - text.size(), '0').append(text));
  if (!bytes) return std::nullopt;
  return from_little_endian(util::Bytes(bytes->rbegin(), bytes->rend()));
}

std::string Uint256::to_hex() const {
  const auto bytes = to_little_endian();
  return util::to_hex(util::Bytes(bytes.rbegin(), bytes.rend()));
}

unsigned Uint256::bit_length() const {
  for (unsigned i = kLimbs; i-- > 0;) {
    if (limbs_[i] != 0) return i * kLimbBits + static_cast<unsigned>(std::bit_width(limbs_[i]));
  }
  return 0;
}

Uint256 operator+(const Uint256& a, const Uint256& b) {
  Uint256 out;
  Wide carry = 0;
  for (unsigned i = 0; i < Uint256::kLimbs; ++i) {
    carry += Wide{a.limbs_[i]} + b.limbs_[i];
    out.limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= Uint256::kLimbBits;
  }
  return out;
}

Uint256 operator-(const Uint256& a, const Uint256& b) { return a + ~b + 1; }

Uint256 operator*(const Uint256& a, std::uint32_t b) {
  Uint256 out;
  Wide carry = 0;
  for (unsigned i = 0; i < Uint256::kLimbs; ++i) {
    carry += Wide{a.limbs_[i]} * b;
    out.limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= Uint256::kLimbBits;
  }
  return out;
}

Uint256 operator/(const Uint256& a, const Uint256& b) {
  util::ensure(!b.is_zero(), "division by zero");
  if (a < b) return 0;
  Uint256 quotient;
  Uint256 rest = a;
  unsigned shift = a.bit_length() - b.bit_length();
  Uint256 divisor = b << shift;
  for (;; --shift, divisor = divisor >> 1) {
    if (rest >= divisor) {
      rest = rest - divisor;
      quotient.limbs_[shift / Uint256::kLimbBits] |= std::uint64_t{1} << (shift % Uint256::kLimbBits);
    }
    if (shift == 0) return quotient;
  }
}

Uint256 operator~(const Uint256& a) {
  Uint256 out;
  for (unsigned i = 0; i < Uint256::kLimbs; ++i) out.limbs_[i] = ~a.limbs_[i];
  return out;
}

Uint256 operator<<(const Uint256& a, unsigned shift) {
  Uint256 out;
  const unsigned limbs = shift / Uint256::kLimbBits;
  const unsigned bits = shift % Uint256::kLimbBits;
  for (unsigned i = limbs; i < Uint256::kLimbs; ++i) {
    out.limbs_[i] = a.limbs_[i - limbs] << bits;
    if (bits != 0 && i > limbs) out.limbs_[i] |= a.limbs_[i - limbs - 1] >> (Uint256::kLimbBits - bits);
  }
  return out;
}

Uint256 operator>>(const Uint256& a, unsigned shift) {
  Uint256 out;
  const unsigned limbs = shift / Uint256::kLimbBits;
  const unsigned bits = shift % Uint256::kLimbBits;
  for (unsigned i = 0; i + limbs < Uint256::kLimbs; ++i) {
    out.limbs_[i] = a.limbs_[i + limbs] >> bits;
    if (bits != 0 && i + limbs + 1 < Uint256::kLimbs) {
      out.limbs_[i] |= a.limbs_[i + limbs + 1] << (Uint256::kLimbBits - bits);
    }
  }
  return out;
}

std::strong_ordering operator<=>(const Uint256& a, const Uint256& b) {
  for (unsigned i = Uint256::kLimbs; i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
  }
  return std::strong_ordering::equal;
}

}  // namespace spv::chain
