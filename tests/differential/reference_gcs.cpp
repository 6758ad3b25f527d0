#include "tests/differential/reference_gcs.h"

#include <algorithm>

#include <boost/multiprecision/cpp_int.hpp>

namespace spv::reference {
namespace {

using Wide = boost::multiprecision::uint256_t;

constexpr unsigned kRemainderBits = 19;
constexpr std::uint64_t kFactor = 784'931;

std::uint64_t little_endian(util::ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value * 256 + bytes[i];
  return value;
}

std::uint64_t turned(std::uint64_t value, unsigned by) { return (value << by) | (value >> (64 - by)); }

void sip_rounds(std::array<std::uint64_t, 4>& v, int count) {
  for (int i = 0; i < count; ++i) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
  }
}

std::uint64_t hashed_to_range(const std::array<std::uint8_t, 16>& key, util::ByteView element, std::size_t count) {
  const Wide product = Wide(siphash(key, element)) * count * kFactor;
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t siphash(const std::array<std::uint8_t, 16>& key, util::ByteView data) {
  const std::uint64_t k0 = little_endian(util::ByteView(key).first(8));
  const std::uint64_t k1 = little_endian(util::ByteView(key).last(8));
  std::array<std::uint64_t, 4> v{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                                 k1 ^ 0x7465646279746573};
  util::Bytes padded(data.begin(), data.end());
  while (padded.size() % 8 != 7) padded.push_back(0);
  padded.push_back(static_cast<std::uint8_t>(data.size()));
  for (std::size_t i = 0; i < padded.size(); i += 8) {
    const std::uint64_t word = little_endian(util::ByteView(padded).subspan(i, 8));
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

util::Bytes build_gcs(const std::array<std::uint8_t, 16>& key, const std::set<util::Bytes>& elements) {
  std::multiset<std::uint64_t> values;
  for (const auto& element : elements) values.insert(hashed_to_range(key, element, elements.size()));
  util::Bytes out;
  if (elements.size() < 253) {
    out.push_back(static_cast<std::uint8_t>(elements.size()));
  } else {  // the tests stay below 65,536
    out = {253, static_cast<std::uint8_t>(elements.size() % 256), static_cast<std::uint8_t>(elements.size() / 256)};
  }
  std::vector<bool> bits;
  std::uint64_t last = 0;
  for (const auto value : values) {
    const std::uint64_t difference = value - last;
    bits.insert(bits.end(), difference >> kRemainderBits, true);
    bits.push_back(false);
    for (int i = kRemainderBits - 1; i >= 0; --i) bits.push_back(((difference >> i) & 1) != 0);
    last = value;
  }
  while (bits.size() % 8 != 0) bits.push_back(false);
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) byte = byte * 2 + (bits[i + bit] ? 1 : 0);
    out.push_back(static_cast<std::uint8_t>(byte));
  }
  return out;
}

std::optional<std::vector<std::uint64_t>> decode_gcs(util::ByteView filter) {
  if (filter.empty()) return std::nullopt;
  const std::size_t extra = filter[0] < 253 ? 0 : std::size_t{2} << (filter[0] - 253U);
  if (filter.size() < 1 + extra) return std::nullopt;
  const std::uint64_t count = extra == 0 ? filter[0] : little_endian(filter.subspan(1, extra));
  const std::uint64_t least = extra == 0 ? 0 : extra == 2 ? 253 : extra == 4 ? 0x1'0000 : 0x1'0000'0000;
  if (count < least) return std::nullopt;
  std::vector<bool> bits;
  for (const auto byte : filter.subspan(1 + extra)) {
    for (int bit = 7; bit >= 0; --bit) bits.push_back(((byte >> bit) & 1) != 0);
  }
  std::vector<std::uint64_t> values;
  std::size_t at = 0;
  std::uint64_t value = 0;
  while (values.size() < count) {
    std::uint64_t difference = 0;
    while (at < bits.size() && bits[at]) {
      ++difference;
      ++at;
    }
    if (bits.size() - at < 1 + kRemainderBits) return std::nullopt;
    ++at;
    for (unsigned i = 0; i < kRemainderBits; ++i) difference = difference * 2 + (bits[at++] ? 1 : 0);
    value += difference;
    if (Wide(value) >= Wide(count) * kFactor) return std::nullopt;
    values.push_back(value);
  }
  if (bits.size() - at >= 8 ||
      std::find(bits.begin() + static_cast<std::ptrdiff_t>(at), bits.end(), true) != bits.end()) {
    return std::nullopt;
  }
  return values;
}

bool gcs_holds(const std::vector<std::uint64_t>& decoded, const std::array<std::uint8_t, 16>& key,
               util::ByteView element) {
  return std::find(decoded.begin(), decoded.end(), hashed_to_range(key, element, decoded.size())) != decoded.end();
}

}  // namespace spv::reference
