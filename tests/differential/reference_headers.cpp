#include "tests/differential/reference_headers.h"

#include <algorithm>

#include "util/hash.h"

namespace spv::reference {

Number number_of(util::ByteView bytes) {
  Number out = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) out = out * 256 + bytes[i];
  return out;
}

std::optional<Number> target_of(std::uint32_t bits) {
  const unsigned exponent = bits / 0x1000000;
  Number target = bits & 0x7fffff;
  for (unsigned i = 3; i < exponent; ++i) target *= 256;
  for (unsigned i = exponent; i < 3; ++i) target /= 256;
  const bool negative = (bits & 0x800000) != 0;
  if (target == 0 || negative || target >= Number(1) << 256) return std::nullopt;
  return target;
}

std::uint32_t bits_of(const Number& target) {
  // The shortest length at which three bytes, the first below 0x80, hold the highest digits.
  std::uint32_t size = 0;
  Number rest = target;
  while (rest != 0) {
    rest /= 256;
    ++size;
  }
  Number mantissa = target;
  for (std::uint32_t i = 3; i < size; ++i) mantissa /= 256;
  for (std::uint32_t i = size; i < 3; ++i) mantissa *= 256;
  if (mantissa >= 0x800000) {
    mantissa /= 256;
    ++size;
  }
  return size * 0x1000000 + static_cast<std::uint32_t>(mantissa);
}

Number work_of(std::uint32_t bits) {
  const auto target = target_of(bits);
  return target ? (Number(1) << 256) / (*target + 1) : Number(0);
}

bool has_work(const chain::BlockHeader& header, const chain::NetworkParams& params) {
  util::Writer out;
  out.integer(header.version).bytes(header.previous.view()).bytes(header.merkle_root.view());
  out.integer(header.time).integer(header.bits).integer(header.nonce);
  const auto target = target_of(header.bits);
  const auto limit = number_of(params.pow_limit.to_little_endian());
  return target && *target <= limit && number_of(util::sha256d(out.data()).view()) <= *target;
}

std::uint32_t required_bits(const std::vector<chain::BlockHeader>& chain, std::uint32_t time,
                            const chain::NetworkParams& params) {
  const std::size_t height = chain.size();
  const auto& last = chain.back();
  if (height % 2016 != 0) {
    if (!params.allow_min_difficulty_blocks) return last.bits;
    if (std::int64_t{time} > std::int64_t{last.time} + 1'200) return params.pow_limit_bits;
    std::size_t at = height - 1;
    while (at % 2016 != 0 && chain[at].bits == params.pow_limit_bits) --at;
    return chain[at].bits;
  }
  if (params.no_retargeting) return last.bits;
  const auto& first = chain[height - 2016];
  constexpr std::int64_t kTwoWeeks = 14 * 24 * 60 * 60;
  std::int64_t taken = std::int64_t{last.time} - std::int64_t{first.time};
  taken = std::max(taken, kTwoWeeks / 4);
  taken = std::min(taken, kTwoWeeks * 4);
  const Number base = *target_of(params.enforce_bip94 ? first.bits : last.bits);
  const Number limit = number_of(params.pow_limit.to_little_endian());
  const Number target = base * taken / kTwoWeeks;
  return bits_of(target > limit ? limit : target);
}

std::uint32_t median_time_past(const std::vector<chain::BlockHeader>& chain) {
  std::vector<std::uint32_t> times;
  for (std::size_t i = chain.size(); i-- > 0 && times.size() < 11;) times.push_back(chain[i].time);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

std::optional<chain::HeaderError> check(const std::vector<chain::BlockHeader>& chain, const chain::BlockHeader& next,
                                        const chain::NetworkParams& params, std::int64_t now) {
  const auto height = static_cast<chain::Height>(chain.size());
  if (next.bits != required_bits(chain, next.time, params)) return chain::HeaderError::BadDifficulty;
  if (next.time <= median_time_past(chain)) return chain::HeaderError::TimeTooOld;
  if (params.enforce_bip94 && height % 2016 == 0 && std::int64_t{next.time} + 600 < std::int64_t{chain.back().time}) {
    return chain::HeaderError::TimeWarp;
  }
  if (next.time > now + 2 * 60 * 60) return chain::HeaderError::TimeTooNew;
  const int least = height >= params.bip65_height   ? 4
                    : height >= params.bip66_height ? 3
                    : height >= params.bip34_height ? 2
                                                    : 1;
  if (least > 1 && next.version < least) return chain::HeaderError::BadVersion;
  return std::nullopt;
}

}  // namespace spv::reference
