#include "tests/differential/reference_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "util/hash.h"

namespace spv::reference {
namespace {

constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view kBech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
using Digits = std::vector<unsigned>;

// Digits of one base as digits of another, both most significant first, without leading zeros.
Digits in_base(Digits digits, unsigned from, unsigned to) {
  Digits out;
  while (!digits.empty()) {
    Digits quotient;
    unsigned rest = 0;
    for (const unsigned digit : digits) {
      rest = rest * from + digit;
      if (!quotient.empty() || rest / to != 0) quotient.push_back(rest / to);
      rest %= to;
    }
    out.insert(out.begin(), rest);
    digits = quotient;
  }
  out.erase(out.begin(), std::find_if(out.begin(), out.end(), [](unsigned digit) { return digit != 0; }));
  return out;
}

util::Bytes digest(util::ByteView payload) {
  const auto hash = util::sha256d(payload);
  return {hash.bytes.begin(), hash.bytes.begin() + 4};
}

// GF(32) of BIP173: polynomials over GF(2) modulo x^5 + x^3 + 1.
unsigned multiplied(unsigned a, unsigned b) {
  unsigned out = 0;
  for (unsigned bit = 0; bit < 5; ++bit) {
    if ((b >> bit & 1U) != 0) out ^= a << bit;
  }
  for (unsigned bit = 9; bit >= 5; --bit) {
    if ((out >> bit & 1U) != 0) out ^= 0b101001U << (bit - 5);
  }
  return out;
}

// The remainder of a polynomial over GF(32) by a monic divisor (its leading coefficient left out), highest first.
Digits remainder(Digits dividend, const Digits& divisor) {
  for (std::size_t i = 0; i + divisor.size() < dividend.size(); ++i) {
    const unsigned factor = dividend[i];
    dividend[i] = 0;
    for (std::size_t n = 0; n < divisor.size(); ++n) dividend[i + 1 + n] ^= multiplied(factor, divisor[n]);
  }
  return {dividend.end() - static_cast<std::ptrdiff_t>(divisor.size()), dividend.end()};
}

const Digits kBech32Generator{29, 22, 20, 21, 29, 18};

Digits expanded(std::string_view prefix, const Digits& values) {
  Digits out{1};
  for (const char c : prefix) out.push_back(static_cast<unsigned char>(c) / 32);
  out.push_back(0);
  for (const char c : prefix) out.push_back(static_cast<unsigned char>(c) % 32);
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

Digits final_digits(bool m) {
  const std::uint32_t constant = m ? 0x2bc830a3U : 1U;
  Digits out;
  for (unsigned i = 6; i-- > 0;) out.push_back(constant >> (5 * i) & 31U);
  return out;
}

// Bits as numbers of another width; what does not fill the last one is padded, or must be short and zero.
std::optional<Digits> regrouped(const Digits& in, unsigned from, unsigned to, bool pad) {
  std::vector<bool> bits;
  for (const unsigned value : in) {
    for (unsigned i = from; i-- > 0;) bits.push_back((value >> i & 1U) != 0);
  }
  while (pad && bits.size() % to != 0) bits.push_back(false);
  Digits out;
  const std::size_t whole = bits.size() / to * to;
  for (std::size_t at = 0; at < whole; at += to) {
    unsigned value = 0;
    for (unsigned i = 0; i < to; ++i) value = 2 * value + (bits[at + i] ? 1 : 0);
    out.push_back(value);
  }
  if (bits.size() - whole >= from) return std::nullopt;
  for (std::size_t at = whole; at < bits.size(); ++at) {
    if (bits[at]) return std::nullopt;
  }
  return out;
}

Digits widen(util::ByteView bytes) { return {bytes.begin(), bytes.end()}; }
util::Bytes narrow(const Digits& digits) {
  util::Bytes out;
  for (const unsigned digit : digits) out.push_back(static_cast<std::uint8_t>(digit));
  return out;
}

util::Bytes framed(std::initializer_list<int> before, util::ByteView middle, std::initializer_list<int> after) {
  util::Bytes out;
  for (const int byte : before) out.push_back(static_cast<std::uint8_t>(byte));
  out.insert(out.end(), middle.begin(), middle.end());
  for (const int byte : after) out.push_back(static_cast<std::uint8_t>(byte));
  return out;
}

}  // namespace

std::string base58(util::ByteView bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size() && bytes[i] == 0; ++i) out += '1';
  for (const unsigned digit : in_base(widen(bytes), 256, 58)) out += kBase58[digit];
  return out;
}

std::optional<util::Bytes> from_base58(std::string_view text) {
  Digits digits;
  for (const char c : text) {
    const auto value = kBase58.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    digits.push_back(static_cast<unsigned>(value));
  }
  util::Bytes out;
  for (std::size_t i = 0; i < digits.size() && digits[i] == 0; ++i) out.push_back(0);
  const auto bytes = narrow(in_base(digits, 58, 256));
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

std::string base58check(util::ByteView payload) {
  util::Bytes bytes(payload.begin(), payload.end());
  const auto check = digest(payload);
  bytes.insert(bytes.end(), check.begin(), check.end());
  return base58(bytes);
}

std::optional<util::Bytes> from_base58check(std::string_view text) {
  auto bytes = from_base58(text);
  if (!bytes || bytes->size() < 4) return std::nullopt;
  const util::Bytes check(bytes->end() - 4, bytes->end());
  bytes->resize(bytes->size() - 4);
  if (digest(*bytes) != check) return std::nullopt;
  return bytes;
}

std::string bech32(const Bech32& text) {
  Digits values = expanded(text.prefix, widen(text.values));
  values.insert(values.end(), 6, 0);
  const auto rest = remainder(values, kBech32Generator);
  const auto wanted = final_digits(text.m);
  std::string out = text.prefix + "1";
  for (const std::uint8_t value : text.values) out += kBech32[value];
  for (std::size_t i = 0; i < 6; ++i) out += kBech32[rest[i] ^ wanted[i]];
  return out;
}

std::optional<Bech32> from_bech32(std::string_view text) {
  std::string lower;
  bool has_lower = false;
  bool has_upper = false;
  for (const char c : text) {
    has_lower = has_lower || (c >= 'a' && c <= 'z');
    has_upper = has_upper || (c >= 'A' && c <= 'Z');
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  const auto one = lower.rfind('1');
  if ((has_lower && has_upper) || text.size() > 90 || one == std::string::npos || one == 0) return std::nullopt;
  Bech32 out;
  out.prefix = lower.substr(0, one);
  for (const char c : out.prefix) {
    if (c < 33 || c > 126) return std::nullopt;
  }
  Digits values;
  for (const char c : lower.substr(one + 1)) {
    const auto value = kBech32.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    values.push_back(static_cast<unsigned>(value));
  }
  if (values.size() < 6) return std::nullopt;
  const auto rest = remainder(expanded(out.prefix, values), kBech32Generator);
  out.m = rest == final_digits(true);
  if (!out.m && rest != final_digits(false)) return std::nullopt;
  values.resize(values.size() - 6);
  out.values = narrow(values);
  return out;
}

std::optional<std::string> address_of(util::ByteView script, const chain::NetworkParams& params) {
  const std::size_t size = script.size();
  const auto hash_address = [&](std::uint8_t prefix, std::size_t at) {
    return base58check(framed({prefix}, script.subspan(at, 20), {}));
  };
  if (size == 25 && std::ranges::equal(script, framed({0x76, 0xa9, 20}, script.subspan(3, 20), {0x88, 0xac}))) {
    return hash_address(params.p2pkh_prefix, 3);
  }
  if (size == 23 && std::ranges::equal(script, framed({0xa9, 20}, script.subspan(2, 20), {0x87}))) {
    return hash_address(params.p2sh_prefix, 2);
  }
  if (size < 4 || size > 42 || script[1] != size - 2) return std::nullopt;
  if (script[0] != 0 && (script[0] < 0x51 || script[0] > 0x60)) return std::nullopt;
  const unsigned version = script[0] == 0 ? 0 : script[0] - 0x50U;
  if (version == 0 && size != 22 && size != 34) return std::nullopt;
  Digits values{version};
  const auto program = *regrouped(widen(script.subspan(2)), 8, 5, true);
  values.insert(values.end(), program.begin(), program.end());
  return bech32({.m = version != 0, .prefix = std::string(params.bech32_hrp), .values = narrow(values)});
}

std::optional<util::Bytes> script_of(std::string_view address, const chain::NetworkParams& params) {
  if (const auto text = from_bech32(address); text && text->prefix == params.bech32_hrp) {
    if (text->values.empty() || text->values[0] > 16 || text->m != (text->values[0] != 0)) return std::nullopt;
    const auto program = regrouped(widen(util::ByteView(text->values).subspan(1)), 5, 8, false);
    if (!program || program->size() < 2 || program->size() > 40) return std::nullopt;
    const int version = text->values[0];
    if (version == 0 && program->size() != 20 && program->size() != 32) return std::nullopt;
    return framed({version == 0 ? 0 : 0x50 + version, static_cast<int>(program->size())}, narrow(*program), {});
  }
  const auto payload = from_base58check(address);
  if (!payload || payload->size() != 21) return std::nullopt;
  const auto hash = util::ByteView(*payload).subspan(1);
  if (payload->front() == params.p2pkh_prefix) return framed({0x76, 0xa9, 20}, hash, {0x88, 0xac});
  if (payload->front() == params.p2sh_prefix) return framed({0xa9, 20}, hash, {0x87});
  return std::nullopt;
}

// BIP380: characters are a group of three bits and a value of five; the groups of three characters make one more value.
std::string descriptor_checksum(std::string_view text) {
  constexpr std::array<std::string_view, 3> kGroups{
      "0123456789()[],'/*abcdefgh@:$%{}", "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~", "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "};
  Digits values{1};
  unsigned groups = 0;
  unsigned held = 0;
  for (const char c : text) {
    for (unsigned group = 0; group < 3; ++group) {
      const auto value = kGroups[group].find(c);
      if (value == std::string_view::npos) continue;
      values.push_back(static_cast<unsigned>(value));
      groups = 3 * groups + group;
      break;
    }
    if (++held == 3) {
      values.push_back(groups);
      groups = held = 0;
    }
  }
  if (held > 0) values.push_back(groups);
  values.insert(values.end(), 8, 0);
  // x^8 + {30}x^7 + {23}x^6 + {15}x^5 + {14}x^4 + {10}x^3 + {6}x^2 + {12}x + {9}
  auto rest = remainder(values, {30, 23, 15, 14, 10, 6, 12, 9});
  rest.back() ^= 1U;
  std::string out;
  for (const unsigned value : rest) out += kBech32[value];
  return out;
}

}  // namespace spv::reference
