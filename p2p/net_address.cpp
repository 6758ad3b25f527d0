#include "p2p/net_address.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <openssl/evp.h>

#include "util/ensure.h"

namespace spv::p2p {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr std::string_view kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kOnion = ".onion";
constexpr std::size_t kOnionLetters = 56;
constexpr std::uint8_t kOnionVersion = 3;
using OnionBytes = std::array<std::uint8_t, 35>;  // key, two bytes of checksum, version

std::size_t size_of(AddressNetwork network) {
  return network == AddressNetwork::Ipv4 ? 4 : network == AddressNetwork::Ipv6 ? 16 : 32;
}

NetAddress make(AddressNetwork network, util::ByteView bytes, std::uint16_t port) {
  NetAddress address{.network = network, .bytes = {}, .port = port};
  std::copy_n(bytes.begin(), size_of(network), address.bytes.begin());
  return address;
}

unsigned bit_at(util::ByteView bytes, std::size_t place) {
  return (unsigned{bytes[place / 8]} >> (7 - place % 8)) & 1U;
}

bool is_mapped(util::ByteView ip) { return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), ip.begin()); }

/// A whole number without sign or leading zeros beyond `digits` places.
std::optional<unsigned> number(std::string_view text, int base, std::size_t digits, unsigned most) {
  unsigned value = 0;
  if (text.empty() || text.size() > digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::optional<std::array<std::uint8_t, 4>> parse_ipv4(std::string_view text) {
  std::array<std::uint8_t, 4> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto end = i + 1 < out.size() ? text.find('.') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = number(text.substr(0, end), 10, 3, 255);
    if (!value || (end > 1 && text[0] == '0')) return std::nullopt;  // 010 is 8 to some
    out[i] = static_cast<std::uint8_t>(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Groups of four hex digits with one "::" at most, which `gap` gets the place of; the last may be IPv4.
std::optional<util::Bytes> parse_groups(std::string_view text, std::optional<std::size_t>& gap) {
  util::Bytes out;
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const auto end = std::min(text.find(':'), text.size());
    const auto piece = text.substr(0, end);
    if (const auto v4 = end == text.size() ? parse_ipv4(piece) : std::nullopt) {
      out.insert(out.end(), v4->begin(), v4->end());
    } else {
      const auto value = number(piece, 16, 4, 0xFFFF);
      if (!value) return std::nullopt;
      out.push_back(static_cast<std::uint8_t>(*value >> 8U));
      out.push_back(static_cast<std::uint8_t>(*value & 0xFFU));
    }
    if (out.size() > 16) return std::nullopt;
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
    if (text.empty()) return std::nullopt;  // a single colon at the end
    if (text[0] != ':') continue;
    if (gap) return std::nullopt;
    gap = out.size();
    text.remove_prefix(1);
  }
  return out;
}

std::optional<std::array<std::uint8_t, 16>> parse_ipv6(std::string_view text) {
  std::optional<std::size_t> gap;
  const auto groups = parse_groups(text, gap);
  if (!groups || (gap ? groups->size() > 14 : groups->size() != 16)) return std::nullopt;
  std::array<std::uint8_t, 16> out{};
  const auto head = static_cast<std::ptrdiff_t>(gap.value_or(16));
  std::copy(groups->begin(), groups->begin() + head, out.begin());
  std::copy_backward(groups->begin() + head, groups->end(), out.end());
  return out;
}

/// Tor's rend-spec-v3: SHA3-256(".onion checksum" ‖ key ‖ version), of which two bytes count.
OnionBytes onion_bytes(util::ByteView key) {
  constexpr std::string_view kLabel = ".onion checksum";
  util::Bytes data = util::to_bytes(util::as_bytes(kLabel));
  data.insert(data.end(), key.begin(), key.end());
  data.push_back(kOnionVersion);
  std::array<std::uint8_t, 32> digest{};
  unsigned size = 0;
  const int done = EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha3_256(), nullptr);
  util::ensure(done == 1 && size == digest.size(), "OpenSSL has no SHA3-256");
  OnionBytes out{};
  std::copy(key.begin(), key.end(), out.begin());
  out[32] = digest[0];
  out[33] = digest[1];
  out[34] = kOnionVersion;
  return out;
}

// 35 bytes are 56 letters of five bits exactly.
std::string to_base32(const OnionBytes& bytes) {
  std::string out;
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 5) {
    unsigned value = 0;
    for (std::size_t i = bit; i < bit + 5; ++i) value = (value << 1U) | bit_at(bytes, i);
    out.push_back(kBase32[value]);
  }
  return out;
}

std::optional<OnionBytes> from_base32(std::string_view letters) {
  OnionBytes out{};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char letter = letters[i] >= 'A' && letters[i] <= 'Z' ? static_cast<char>(letters[i] - 'A' + 'a') : letters[i];
    const auto value = kBase32.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    for (std::size_t bit = 0; bit < 5; ++bit) {
      const std::size_t place = i * 5 + bit;
      if (((value >> (4 - bit)) & 1U) != 0)
        out[place / 8] = static_cast<std::uint8_t>(out[place / 8] | (0x80U >> (place % 8)));
    }
  }
  return out;
}

std::optional<NetAddress> parse_onion(std::string_view host, std::uint16_t port) {
  if (host.size() != kOnionLetters + kOnion.size() || !host.ends_with(kOnion)) return std::nullopt;
  const auto bytes = from_base32(host.substr(0, kOnionLetters));
  if (!bytes) return std::nullopt;
  const auto key = util::ByteView(*bytes).first(32);
  if (onion_bytes(key) != *bytes) return std::nullopt;
  return make(AddressNetwork::TorV3, key, port);
}

/// A range of addresses: those that begin with the first `bits` bits.
struct Range {
  std::array<std::uint8_t, 16> prefix;
  unsigned bits;

  [[nodiscard]] bool holds(util::ByteView ip) const {
    for (unsigned i = 0; i < bits; ++i) {
      if (bit_at(prefix, i) != bit_at(ip, i)) return false;
    }
    return true;
  }
};

bool in_any(std::span<const Range> ranges, util::ByteView ip) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return range.holds(ip); });
}

// RFC 6890 and its updates: what no node of the public network can have.
constexpr std::array kReservedIpv4 = {Range{{0}, 8},
                                      Range{{10}, 8},
                                      Range{{100, 64}, 10},
                                      Range{{127}, 8},
                                      Range{{169, 254}, 16},
                                      Range{{172, 16}, 12},
                                      Range{{192, 0, 0}, 24},
                                      Range{{192, 0, 2}, 24},
                                      Range{{192, 88, 99}, 24},
                                      Range{{192, 168}, 16},
                                      Range{{198, 18}, 15},
                                      Range{{198, 51, 100}, 24},
                                      Range{{203, 0, 113}, 24},
                                      Range{{224}, 4},
                                      Range{{240}, 4}};
constexpr Range kGlobalIpv6 = {{0x20}, 3};
// Teredo, benchmarking, ORCHID (twice), documentation (twice), 6to4: within the global range, but not of it.
constexpr std::array kReservedIpv6 = {
    Range{{0x20, 0x01, 0, 0}, 32},    Range{{0x20, 0x01, 0, 2, 0, 0}, 48}, Range{{0x20, 0x01, 0, 0x10}, 28},
    Range{{0x20, 0x01, 0, 0x20}, 28}, Range{{0x20, 0x01, 0x0D, 0xB8}, 32}, Range{{0x3F, 0xFF}, 20},
    Range{{0x20, 0x02}, 16}};

std::string ipv6_text(util::ByteView ip) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = (unsigned{ip[2 * i]} << 8U) | ip[2 * i + 1];
  // RFC 5952: the longest run of two or more zeros is shortened, the first of equals.
  std::size_t best = 0;
  std::size_t length = 1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i > length) best = i, length = end - i;
  }
  std::string out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (length > 1 && i == best) {
      out += "::";
      i += length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    std::array<char, 4> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), groups[i], 16).ptr;
    out.append(digits.data(), end);
  }
  return out;
}

}  // namespace

util::ByteView NetAddress::view() const { return util::ByteView(bytes).first(size_of(network)); }

NetAddress to_net_address(const NetworkAddress& address) {
  const util::ByteView ip(address.ip);
  if (is_mapped(ip)) return make(AddressNetwork::Ipv4, ip.subspan(kMappedPrefix.size()), address.port);
  return make(AddressNetwork::Ipv6, ip, address.port);
}

std::optional<NetAddress> to_net_address(const AddressV2& address) {
  const bool ipv6 = address.network == AddressNetwork::Ipv6;
  if (address.network != AddressNetwork::Ipv4 && !ipv6 && address.network != AddressNetwork::TorV3) return std::nullopt;
  if (address.address.size() != size_of(address.network) || (ipv6 && is_mapped(address.address))) return std::nullopt;
  return make(address.network, address.address, address.port);
}

std::optional<NetAddress> parse_net_address(std::string_view host, std::uint16_t port) {
  if (const auto ip = parse_ipv4(host)) return make(AddressNetwork::Ipv4, *ip, port);
  if (const auto ip = parse_ipv6(host)) {
    if (is_mapped(*ip)) return make(AddressNetwork::Ipv4, util::ByteView(*ip).subspan(kMappedPrefix.size()), port);
    return make(AddressNetwork::Ipv6, *ip, port);
  }
  return parse_onion(host, port);
}

std::string host_of(const NetAddress& address) {
  if (address.network == AddressNetwork::TorV3) return to_base32(onion_bytes(address.view())) + std::string(kOnion);
  if (address.network == AddressNetwork::Ipv6) return ipv6_text(address.view());
  std::string out;
  for (const std::uint8_t byte : address.view()) out += (out.empty() ? "" : ".") + std::to_string(byte);
  return out;
}

std::string to_string(const NetAddress& address) {
  const bool ipv6 = address.network == AddressNetwork::Ipv6;
  return (ipv6 ? "[" + host_of(address) + "]" : host_of(address)) + ":" + std::to_string(address.port);
}

std::string group_of(const NetAddress& address) {
  NetAddress group = address;
  group.port = 0;
  const std::size_t kept = address.network == AddressNetwork::Ipv4   ? 2
                           : address.network == AddressNetwork::Ipv6 ? 4
                                                                     : 1;
  std::fill(group.bytes.begin() + static_cast<std::ptrdiff_t>(kept), group.bytes.end(), std::uint8_t{0});
  if (address.network == AddressNetwork::TorV3) return "onion/" + std::to_string(group.bytes[0] >> 4U);
  return host_of(group) + (address.network == AddressNetwork::Ipv4 ? "/16" : "/32");
}

bool is_public(const NetAddress& address) {
  if (address.port == 0) return false;
  const auto ip = address.view();
  if (address.network == AddressNetwork::Ipv4) return !in_any(kReservedIpv4, ip);
  if (address.network == AddressNetwork::Ipv6) return kGlobalIpv6.holds(ip) && !in_any(kReservedIpv6, ip);
  return true;
}

}  // namespace spv::p2p
