// Messages that tell of other nodes: addr, and addrv2 (BIP155), which also carries onion, I2P and CJDNS addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "util/bytes.h"
#include "util/codec.h"

namespace spv::p2p {

inline constexpr std::size_t kMaxAddresses = 1'000;
/// BIP155: the longest address of any network, known or not.
inline constexpr std::size_t kMaxAddressBytes = 512;

/// An address as in `version` and `addr`: IPv6, IPv4 mapped into it.
struct NetworkAddress {
  static constexpr std::size_t kSize = 8 + 16 + 2;
  std::uint64_t services = 0;
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;

  void encode(util::Writer& out) const;
  static NetworkAddress decode(util::Reader& in);
  friend bool operator==(const NetworkAddress&, const NetworkAddress&) = default;
};
struct TimedAddress {
  std::uint32_t time = 0;
  NetworkAddress address;
  friend bool operator==(const TimedAddress&, const TimedAddress&) = default;
};

/// BIP155's network ids. Others may come and are skipped by whoever uses the address.
enum class AddressNetwork : std::uint8_t { Ipv4 = 1, Ipv6 = 2, TorV2 = 3, TorV3 = 4, I2p = 5, Cjdns = 6 };
/// An entry of addrv2.
struct AddressV2 {
  std::uint32_t time = 0;
  std::uint64_t services = 0;
  AddressNetwork network{};
  util::Bytes address;
  std::uint16_t port = 0;
  friend bool operator==(const AddressV2&, const AddressV2&) = default;
};

struct GetAddr {
  static constexpr std::string_view kCommand = "getaddr";
  friend bool operator==(const GetAddr&, const GetAddr&) = default;
};
struct Addr {
  static constexpr std::string_view kCommand = "addr";
  std::vector<TimedAddress> addresses;

  void encode(util::Writer& out) const;
  static Addr decode(util::Reader& in);
  friend bool operator==(const Addr&, const Addr&) = default;
};
/// Said between version and verack: tell me addresses by addrv2.
struct SendAddrV2 {
  static constexpr std::string_view kCommand = "sendaddrv2";
  friend bool operator==(const SendAddrV2&, const SendAddrV2&) = default;
};
struct AddrV2 {
  static constexpr std::string_view kCommand = "addrv2";
  std::vector<AddressV2> addresses;

  void encode(util::Writer& out) const;
  /// An address of a known network whose length is not that network's fails.
  static AddrV2 decode(util::Reader& in);
  friend bool operator==(const AddrV2&, const AddrV2&) = default;
};

}  // namespace spv::p2p
