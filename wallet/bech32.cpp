#include "wallet/bech32.h"

#include <algorithm>
#include <array>

#include "util/ensure.h"

namespace spv::wallet {
namespace {

constexpr std::string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kChecksumLength = 6;
constexpr std::array<std::uint32_t, 5> kGenerator{0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3};

std::uint32_t final_constant(Bech32Variant variant) { return variant == Bech32Variant::Bech32 ? 1 : 0x2BC830A3; }

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::uint32_t step(std::uint32_t checksum, std::uint8_t value) {
  const std::uint32_t top = checksum >> 25U;
  checksum = ((checksum & 0x1FFFFFFU) << 5U) ^ value;
  for (std::size_t i = 0; i < kGenerator.size(); ++i) {
    if (((top >> i) & 1U) != 0) checksum ^= kGenerator[i];
  }
  return checksum;
}

std::uint32_t polymod(std::string_view prefix, util::ByteView values) {
  std::uint32_t checksum = 1;
  for (const char c : prefix) checksum = step(checksum, static_cast<std::uint8_t>(static_cast<std::uint8_t>(c) >> 5U));
  checksum = step(checksum, 0);
  for (const char c : prefix) checksum = step(checksum, static_cast<std::uint8_t>(static_cast<std::uint8_t>(c) & 31U));
  for (const std::uint8_t value : values) checksum = step(checksum, value);
  return checksum;
}

}  // namespace

util::Expected<Bech32Text, Bech32Error> bech32_decode(std::string_view text) {
  if (text.size() > kMaxBech32Length) return util::Unexpected{Bech32Error::Length};
  if (std::ranges::any_of(text, is_upper) && std::ranges::any_of(text, is_lower)) {
    return util::Unexpected{Bech32Error::MixedCase};
  }
  const auto separator = text.rfind('1');
  if (separator == std::string_view::npos || separator == 0) return util::Unexpected{Bech32Error::NoSeparator};
  if (text.size() - separator - 1 < kChecksumLength) return util::Unexpected{Bech32Error::Length};

  Bech32Text out;
  for (const char c : text.substr(0, separator)) {
    if (c < 33 || c > 126) return util::Unexpected{Bech32Error::BadCharacter};
    out.prefix.push_back(to_lower(c));
  }
  for (const char c : text.substr(separator + 1)) {
    const auto value = kAlphabet.find(to_lower(c));
    if (value == std::string_view::npos) return util::Unexpected{Bech32Error::BadCharacter};
    out.values.push_back(static_cast<std::uint8_t>(value));
  }
  const std::uint32_t remainder = polymod(out.prefix, out.values);
  if (remainder == final_constant(Bech32Variant::Bech32m)) {
    out.variant = Bech32Variant::Bech32m;
  } else if (remainder != final_constant(Bech32Variant::Bech32)) {
    return util::Unexpected{Bech32Error::BadChecksum};
  }
  out.values.resize(out.values.size() - kChecksumLength);
  return out;
}

std::string bech32_encode(Bech32Variant variant, std::string_view prefix, util::ByteView values) {
  util::Bytes all = util::to_bytes(values);
  all.resize(values.size() + kChecksumLength, 0);
  const std::uint32_t checksum = polymod(prefix, all) ^ final_constant(variant);
  for (std::size_t i = 0; i < kChecksumLength; ++i) {
    all[values.size() + i] = static_cast<std::uint8_t>((checksum >> (5U * (kChecksumLength - 1 - i))) & 31U);
  }
  std::string out(prefix);
  out.push_back('1');
  for (const std::uint8_t value : all) {
    util::ensure(value < kAlphabet.size(), "a Bech32 value has five bits");
    out.push_back(kAlphabet[value]);
  }
  return out;
}

util::Bytes to_five_bits(util::ByteView bytes) {
  util::Bytes out;
  out.reserve((bytes.size() * 8 + 4) / 5);
  std::uint32_t buffer = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    buffer = ((buffer << 8U) | byte) & 0xFFFU;
    for (bits += 8; bits >= 5; bits -= 5) out.push_back(static_cast<std::uint8_t>((buffer >> (bits - 5)) & 31U));
  }
  if (bits > 0) out.push_back(static_cast<std::uint8_t>((buffer << (5 - bits)) & 31U));
  return out;
}

std::optional<util::Bytes> from_five_bits(util::ByteView values) {
  util::Bytes out;
  out.reserve(values.size() * 5 / 8);
  std::uint32_t buffer = 0;
  unsigned bits = 0;
  for (const std::uint8_t value : values) {
    buffer = ((buffer << 5U) | value) & 0xFFFU;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::uint8_t>((buffer >> bits) & 0xFFU));
  }
  const std::uint32_t padding = buffer & ((1U << bits) - 1U);
  if (bits >= 5 || padding != 0) return std::nullopt;
  return out;
}

}  // namespace spv::wallet
