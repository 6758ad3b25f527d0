// NetAddress: where a node listens, on one of the networks that we can dial: IPv4, IPv6 or an onion service (v3).
// Text both ways, the group that addresses of one owner fall into, and which addresses the public network has.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "p2p/address_messages.h"
#include "util/bytes.h"

namespace spv::p2p {

struct NetAddress {
  AddressNetwork network = AddressNetwork::Ipv4;  // Ipv4, Ipv6 or TorV3
  std::array<std::uint8_t, 32> bytes{};           // the first 4, 16 or all 32 count
  std::uint16_t port = 0;

  [[nodiscard]] util::ByteView view() const;
  friend auto operator<=>(const NetAddress&, const NetAddress&) = default;
};

/// IPv4 that is mapped into IPv6 becomes IPv4.
NetAddress to_net_address(const NetworkAddress& address);
/// nullopt for networks that we do not dial, and for IPv4 in the clothes of IPv6, which BIP155 forbids.
std::optional<NetAddress> to_net_address(const AddressV2& address);
/// "1.2.3.4", "2001:db8::1" or 56 letters and ".onion" with the right checksum; nullopt for anything else, such as a
/// host name.
std::optional<NetAddress> parse_net_address(std::string_view host, std::uint16_t port);

/// The host as people write it, without brackets.
std::string host_of(const NetAddress& address);
/// "host:port", IPv6 in brackets.
std::string to_string(const NetAddress& address);
/// Addresses of one owner tend to share it: the /16 of IPv4, the /32 of IPv6, one of sixteen for onion services.
std::string group_of(const NetAddress& address);
/// True if the address can belong to a node of the public network. Private, loopback, link-local, multicast and
/// reserved ranges cannot, nor can IPv6 that hides an IPv4 address (security.md N12).
bool is_public(const NetAddress& address);

}  // namespace spv::p2p
