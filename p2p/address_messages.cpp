#include "p2p/address_messages.h"

#include <optional>

namespace spv::p2p {
namespace {

constexpr std::size_t kTimedAddressSize = 4 + NetworkAddress::kSize;
// Time, services, network, an empty address, port.
constexpr std::size_t kMinAddressV2Size = 4 + 1 + 1 + 1 + 2;

std::optional<std::size_t> address_size(AddressNetwork network) {
  switch (network) {
    case AddressNetwork::Ipv4:
      return 4;
    case AddressNetwork::TorV2:
      return 10;
    case AddressNetwork::Ipv6:
    case AddressNetwork::Cjdns:
      return 16;
    case AddressNetwork::TorV3:
    case AddressNetwork::I2p:
      return 32;
  }
  return std::nullopt;
}

}  // namespace

void NetworkAddress::encode(util::Writer& out) const { out.integer(services).bytes(ip).big_endian16(port); }

NetworkAddress NetworkAddress::decode(util::Reader& in) {
  NetworkAddress address;
  address.services = in.integer<std::uint64_t>();
  address.ip = in.array<16>();
  address.port = in.big_endian16();
  return address;
}

void Addr::encode(util::Writer& out) const {
  out.compact_size(addresses.size());
  for (const auto& entry : addresses) {
    out.integer(entry.time);
    entry.address.encode(out);
  }
}

Addr Addr::decode(util::Reader& in) {
  Addr message;
  const std::size_t count = in.count(kTimedAddressSize, kMaxAddresses);
  message.addresses.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto time = in.integer<std::uint32_t>();
    message.addresses.push_back({.time = time, .address = NetworkAddress::decode(in)});
  }
  return message;
}

void AddrV2::encode(util::Writer& out) const {
  out.compact_size(addresses.size());
  for (const auto& entry : addresses) {
    out.integer(entry.time).compact_size(entry.services).integer(static_cast<std::uint8_t>(entry.network));
    out.var_bytes(entry.address).big_endian16(entry.port);
  }
}

AddrV2 AddrV2::decode(util::Reader& in) {
  AddrV2 message;
  const std::size_t count = in.count(kMinAddressV2Size, kMaxAddresses);
  message.addresses.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    AddressV2 entry;
    entry.time = in.integer<std::uint32_t>();
    entry.services = in.compact_size();
    entry.network = static_cast<AddressNetwork>(in.integer<std::uint8_t>());
    entry.address = in.var_bytes(kMaxAddressBytes);
    entry.port = in.big_endian16();
    const auto size = address_size(entry.network);
    if (size && entry.address.size() != *size) in.fail();
    message.addresses.push_back(std::move(entry));
  }
  return message;
}

}  // namespace spv::p2p
