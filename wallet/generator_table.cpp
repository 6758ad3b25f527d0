#include "wallet/generator_table.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <secp256k1.h>

#include "util/ensure.h"

namespace spv::wallet {
namespace {

constexpr std::size_t kScalarBytes = 32;    // of a scalar
constexpr std::size_t kDigitValues = 0xFF;  // values of a byte but zero

/// SEC 2, 2.4.1.
constexpr CompressedKey kGeneratorPoint{0x02, 0x79, 0xBE, 0x66, 0x7E, 0xF9, 0xDC, 0xBB, 0xAC, 0x55, 0xA0,
                                        0x62, 0x95, 0xCE, 0x87, 0x0B, 0x07, 0x02, 0x9B, 0xFC, 0xDB, 0x2D,
                                        0xCE, 0x28, 0xD9, 0x59, 0xF2, 0x81, 0x5B, 0x16, 0xF8, 0x17, 0x98};

/// Nothing if the sum is infinity.
template <std::size_t N>
std::optional<secp256k1_pubkey> sum_of(const std::array<const secp256k1_pubkey*, N>& points, std::size_t count) {
  secp256k1_pubkey out;
  if (secp256k1_ec_pubkey_combine(secp256k1_context_static, &out, points.data(), count) != 1) return std::nullopt;
  return out;
}

secp256k1_pubkey next_multiple(const secp256k1_pubkey& last, const secp256k1_pubkey& step) {
  const auto next = sum_of(std::array{&last, &step}, 2);
  util::ensure(next.has_value(), "a multiple of the generator below the group order is a point");
  return *next;
}

}  // namespace

/// At [place][digit - 1]: digit * 256^place times the generator.
struct GeneratorTable::Points {
  std::array<std::array<secp256k1_pubkey, kDigitValues>, kScalarBytes> at;
};

GeneratorTable::GeneratorTable() {
  auto points = std::make_unique<Points>();
  const auto generator = PublicKey::parse(kGeneratorPoint);
  util::ensure(generator.has_value(), "the generator is a point");
  secp256k1_pubkey step;
  std::memcpy(step.data, generator->opaque_.data(), sizeof step.data);
  for (auto& row : points->at) {
    row[0] = step;
    for (std::size_t i = 1; i < row.size(); ++i) row[i] = next_multiple(row[i - 1], step);
    step = next_multiple(row.back(), step);
  }
  points_ = std::move(points);
}

GeneratorTable::~GeneratorTable() = default;

const GeneratorTable& GeneratorTable::shared() {
  static const GeneratorTable kTable;
  return kTable;
}

std::optional<PublicKey> GeneratorTable::add_multiple(const PublicKey& to, util::ByteView scalar) const {
  util::ensure(scalar.size() == kScalarBytes, "a scalar has 32 bytes");
  const bool is_zero = std::ranges::all_of(scalar, [](std::uint8_t byte) { return byte == 0; });
  if (is_zero) return to;
  if (secp256k1_ec_seckey_verify(secp256k1_context_static, scalar.data()) != 1) return std::nullopt;
  secp256k1_pubkey first;
  std::memcpy(first.data, to.opaque_.data(), sizeof first.data);
  std::array<const secp256k1_pubkey*, kScalarBytes + 1> parts{&first};
  std::size_t count = 1;
  for (std::size_t place = 0; place < kScalarBytes; ++place) {
    const std::uint8_t digit = scalar[kScalarBytes - 1 - place];
    if (digit != 0) parts[count++] = &points_->at[place][digit - 1U];
  }
  const auto total = sum_of(parts, count);
  if (!total) return std::nullopt;
  PublicKey out;
  std::memcpy(out.opaque_.data(), total->data, sizeof total->data);
  return out;
}

}  // namespace spv::wallet
