#include "client/peer_address.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "p2p/fixed_peers.h"
#include "p2p/net_address.h"

namespace spv::client {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view port) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc{} || end != port.data() + port.size() || value == 0) return std::nullopt;
  return value;
}

bool is_ipv6(std::string_view host) {
  const auto zone = host.find('%');  // link-local addresses name their interface
  const auto address = p2p::parse_net_address(host.substr(0, zone), 1);
  return address && host.find(':') != std::string_view::npos;
}

bool is_name(std::string_view host) {
  const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  const auto good = [&](char c) { return allowed(c) || c == '.'; };
  const auto numeric = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  // What looks like an address must be one, or a typing error would be asked of a name server.
  const bool like_address = std::all_of(host.begin(), host.end(), numeric) || host.ends_with(".onion");
  return !like_address && allowed(host.front()) && host.find("..") == std::string_view::npos &&
         std::all_of(host.begin(), host.end(), good);
}

}  // namespace

std::optional<PeerAddress> parse_peer_address(std::string_view text, std::uint16_t default_port) {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (host.empty() || host.size() > 255 || (!rest.empty() && rest[0] != ':')) return std::nullopt;
  const bool bracketed = text.starts_with('[');
  const bool literal = p2p::parse_net_address(host, 1).has_value();
  if (bracketed ? !is_ipv6(host) : !literal && !is_ipv6(host) && !is_name(host)) return std::nullopt;
  const auto port = rest.empty() ? std::optional(default_port) : parse_port(rest.substr(1));
  if (!port) return std::nullopt;
  return PeerAddress{std::string(host), *port};
}

std::vector<PeerAddress> fixed_addresses(const chain::NetworkParams& params) {
  std::vector<PeerAddress> out;
  for (const auto host : p2p::fixed_peers(params.network)) out.push_back({std::string(host), params.default_port});
  return out;
}

}  // namespace spv::client
