#include "wallet/base58.h"

#include <algorithm>
#include <array>

#include "util/hash.h"

namespace spv::wallet {
namespace {

constexpr std::string_view kBase58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::size_t kChecksumSize = 4;

constexpr std::array<std::int8_t, 256> make_digit_table() {
  std::array<std::int8_t, 256> table{};
  for (auto& digit : table) digit = -1;
  for (std::size_t i = 0; i < kBase58Alphabet.size(); ++i) {
    table[static_cast<std::uint8_t>(kBase58Alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}
constexpr auto kDigits = make_digit_table();

int digit_of(char c) { return kDigits[static_cast<std::uint8_t>(c)]; }

/// number = number * factor + carry, least digit first. The base is known to the compiler, which then divides by it
/// without a division.
template <std::uint64_t kBase>
void multiply_add(util::SecretBytes& number, std::uint64_t factor, std::uint64_t carry) {
  const auto next_digit = [&carry] {
    const auto digit = static_cast<std::uint8_t>(carry % kBase);
    carry /= kBase;
    return digit;
  };
  for (auto& digit : number) {
    carry += digit * factor;
    digit = next_digit();
  }
  while (carry > 0) number.push_back(next_digit());
}

/// number = number * 58^n + what these n characters say: several at once, as each pass goes over the whole number.
void append_characters(util::SecretBytes& number, std::string_view characters) {
  std::uint64_t factor = 1;
  std::uint64_t value = 0;
  for (const char c : characters) {
    factor *= 58;
    value = value * 58 + static_cast<std::uint64_t>(digit_of(c));
  }
  multiply_add<256>(number, factor, value);
}

util::SecretBytes encode(util::ByteView bytes) {
  util::SecretBytes digits;
  digits.reserve(bytes.size() * 138 / 100 + 1);  // log 256 / log 58
  for (const std::uint8_t byte : bytes) multiply_add<58>(digits, 256, byte);
  const auto zeros = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; }) - bytes.begin();
  digits.insert(digits.end(), static_cast<std::size_t>(zeros), 0);
  std::reverse(digits.begin(), digits.end());
  for (auto& digit : digits) digit = static_cast<std::uint8_t>(kBase58Alphabet[digit]);
  return digits;
}

util::SecretBytes with_checksum(util::ByteView payload) {
  const util::Hash256 hash = util::sha256d(payload);
  util::SecretBytes out(payload.begin(), payload.end());
  out.insert(out.end(), hash.bytes.begin(), hash.bytes.begin() + kChecksumSize);
  return out;
}

std::string as_text(const util::SecretBytes& characters) { return {characters.begin(), characters.end()}; }

}  // namespace

std::string base58_encode(util::ByteView bytes) { return as_text(encode(bytes)); }

std::optional<util::SecretBytes> base58_decode(std::string_view text, std::size_t max_bytes) {
  // Leading ones are bytes; every other character adds less than one. Checked first: the loop below is quadratic.
  if (text.size() > max_bytes * 138 / 100 + 1) return std::nullopt;
  if (bad_base58_character(text)) return std::nullopt;
  util::SecretBytes bytes;
  bytes.reserve(text.size());
  // 58^9 times a byte, and what is carried, stay below 2^64.
  constexpr std::size_t kAtOnce = 9;
  for (std::size_t i = 0; i < text.size(); i += kAtOnce) append_characters(bytes, text.substr(i, kAtOnce));
  const auto ones = std::min(text.find_first_not_of('1'), text.size());
  bytes.insert(bytes.end(), ones, 0);
  std::reverse(bytes.begin(), bytes.end());
  if (bytes.size() > max_bytes) return std::nullopt;
  return bytes;
}

std::string base58check_encode(util::ByteView payload) { return base58_encode(with_checksum(payload)); }

util::SecretBytes base58check_encode_secret(util::ByteView payload) { return encode(with_checksum(payload)); }

util::Expected<util::SecretBytes, Base58Error> base58check_decode(std::string_view text, std::size_t max_payload) {
  if (bad_base58_character(text)) return util::Unexpected{Base58Error::BadCharacter};
  auto bytes = base58_decode(text, max_payload + kChecksumSize);
  if (!bytes) return util::Unexpected{Base58Error::TooLong};
  if (bytes->size() < kChecksumSize) return util::Unexpected{Base58Error::TooShort};
  const util::ByteView all(*bytes);
  const util::Hash256 hash = util::sha256d(all.first(all.size() - kChecksumSize));
  if (!std::equal(all.end() - kChecksumSize, all.end(), hash.bytes.begin())) {
    return util::Unexpected{Base58Error::BadChecksum};
  }
  bytes->resize(bytes->size() - kChecksumSize);
  return std::move(*bytes);
}

std::optional<char> bad_base58_character(std::string_view text) {
  const auto bad = std::find_if(text.begin(), text.end(), [](char c) { return digit_of(c) < 0; });
  if (bad == text.end()) return std::nullopt;
  return *bad;
}

}  // namespace spv::wallet
