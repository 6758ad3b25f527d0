#include "chain/pow.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::chain {
namespace {

// Bits are a base-256 floating point number: one byte of length, three of mantissa, of which the top bit is a sign.
constexpr std::uint32_t kMantissaMask = 0x007F'FFFF;
constexpr std::uint32_t kSignBit = 0x0080'0000;
constexpr unsigned kMantissaBytes = 3;
constexpr unsigned kMaxBytes = 32;

unsigned byte_length(const Uint256& number) { return (number.bit_length() + 7) / 8; }

}  // namespace

std::optional<Uint256> decode_bits(std::uint32_t bits) {
  const unsigned size = bits >> 24U;
  const std::uint32_t mantissa = bits & kMantissaMask;
  if (size <= kMantissaBytes) {
    const std::uint32_t value = mantissa >> (8 * (kMantissaBytes - size));
    if (value == 0 || (bits & kSignBit) != 0) return std::nullopt;
    return Uint256(value);
  }
  if (mantissa == 0 || (bits & kSignBit) != 0) return std::nullopt;
  if (byte_length(mantissa) + size - kMantissaBytes > kMaxBytes) return std::nullopt;
  return Uint256(mantissa) << (8 * (size - kMantissaBytes));
}

std::uint32_t encode_bits(const Uint256& target) {
  unsigned size = byte_length(target);
  std::uint64_t mantissa = size <= kMantissaBytes ? target.low64() << (8 * (kMantissaBytes - size))
                                                  : (target >> (8 * (size - kMantissaBytes))).low64();
  if ((mantissa & kSignBit) != 0) {  // would read as negative: give up the lowest byte
    mantissa >>= 8U;
    ++size;
  }
  return static_cast<std::uint32_t>(mantissa) | (size << 24U);
}

Uint256 work_of_target(const Uint256& target) {
  // 2^256 itself does not fit; (2^256 - target - 1) / (target + 1) + 1 is the same number.
  return ~target / (target + 1) + 1;
}

Uint256 work_of_bits(std::uint32_t bits) {
  const auto target = decode_bits(bits);
  return target ? work_of_target(*target) : Uint256(0);
}

bool meets_target(const BlockHash& hash, const Uint256& target) {
  return Uint256::from_little_endian(hash.view()) <= target;
}

bool check_proof_of_work(const BlockHash& hash, std::uint32_t bits, const NetworkParams& params) {
  const auto target = decode_bits(bits);
  return target && *target <= params.pow_limit && meets_target(hash, *target);
}

std::uint32_t retarget(std::uint32_t base_bits, std::uint32_t first_time, std::uint32_t last_time,
                       const NetworkParams& params) {
  const auto base = decode_bits(base_bits);
  util::ensure(base.has_value(), "a block with a bad target is in the chain");
  const std::int64_t timespan =
      std::clamp(std::int64_t{last_time} - std::int64_t{first_time}, kTargetTimespan / 4, kTargetTimespan * 4);
  const Uint256 target = *base * static_cast<std::uint32_t>(timespan) / static_cast<std::uint64_t>(kTargetTimespan);
  return encode_bits(std::min(target, params.pow_limit));
}

const TargetCache::Entry& TargetCache::get(std::uint32_t bits) {
  if (bits == entry_.bits) return entry_;
  entry_ = {.bits = bits, .target = {}, .work = {}};
  const auto target = decode_bits(bits);
  if (target && *target <= limit_) {
    entry_.target = *target;
    entry_.work = work_of_target(*target);
  }
  return entry_;
}

}  // namespace spv::chain
