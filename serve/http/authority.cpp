#include "serve/http/authority.h"

#include <algorithm>
#include <charconv>

#include <boost/asio/ip/address.hpp>

#include "serve/http/text.h"

namespace spv::serve {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::size_t kLongestName = 253;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}
bool is_ipv6_character(char c) { return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.'; }

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || text.size() > 5) return std::nullopt;
  return port;
}

boost::asio::ip::address address_of(std::string_view host, bool& is_address) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  is_address = !error;
  return address;
}

/// "::1" and "0:0:0:0:0:0:0:1" are one address; a name is only what it is.
std::string canonical(std::string host) {
  if (host.find(':') == std::string::npos) return host;
  bool is_address = false;
  const auto address = address_of(host, is_address);
  return is_address ? address.to_string() : host;
}

bool fits(const Authority& named, const Authority& wanted, std::optional<std::uint16_t> otherwise) {
  return named.host == wanted.host && (named.port ? named.port == wanted.port : !otherwise || wanted.port == otherwise);
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  const bool is_bracketed = text.starts_with('[');
  const auto end = is_bracketed ? text.find(']') : text.find(':');
  if (is_bracketed && end == std::string_view::npos) return std::nullopt;
  Authority authority;
  authority.host = to_lower(is_bracketed ? text.substr(1, end - 1) : text.substr(0, end));
  if (authority.host.empty() || authority.host.size() > kLongestName) return std::nullopt;
  if (!std::ranges::all_of(authority.host, is_bracketed ? is_ipv6_character : is_name_character)) return std::nullopt;
  std::string_view rest =
      end == std::string_view::npos ? std::string_view() : text.substr(end + (is_bracketed ? 1 : 0));
  if (!rest.empty()) {
    if (rest.front() != ':') return std::nullopt;
    authority.port = parse_port(rest.substr(1));
    if (!authority.port) return std::nullopt;
  }
  authority.host = canonical(std::move(authority.host));
  return authority;
}

std::optional<Authority> parse_origin(std::string_view text) {
  const bool is_https = text.starts_with(kHttps);
  if (!is_https && !text.starts_with(kHttp)) return std::nullopt;
  auto authority = parse_authority(text.substr(is_https ? kHttps.size() : kHttp.size()));
  if (authority && !authority->port) authority->port = static_cast<std::uint16_t>(is_https ? 443 : 80);
  return authority;
}

std::string to_string(const Authority& authority) {
  std::string text = authority.host.find(':') == std::string::npos ? authority.host : '[' + authority.host + ']';
  if (authority.port) text += ':' + std::to_string(*authority.port);
  return text;
}

bool is_loopback(std::string_view host) {
  bool is_address = false;
  const auto address = address_of(host, is_address);
  return host == "localhost" || (is_address && address.is_loopback());
}

HostNames::HostNames(const std::vector<std::string>& named) {
  for (const auto& name : named)
    if (auto authority = parse_authority(name)) named_.push_back(std::move(*authority));
}

void HostNames::listening_on(std::string address, std::uint16_t port) {
  bool is_address = false;
  on_all_addresses_ = address_of(address, is_address).is_unspecified() && is_address;
  address_ = canonical(std::move(address));
  port_ = port;
}

bool HostNames::knows(std::string_view host_header, std::string_view local_address) const {
  const auto host = parse_authority(host_header);
  if (!host) return false;
  const bool is_ours = host->host == "localhost" || host->host == (on_all_addresses_ ? local_address : address_);
  // Without a port a client means 80.
  if (is_ours && (!host->port || host->port == port_)) return true;
  return std::ranges::any_of(named_, [&](const auto& named) { return fits(named, *host, std::nullopt); });
}

bool HostNames::is_own_origin(std::string_view origin, std::string_view host_header) const {
  const auto from = parse_origin(origin);
  auto host = parse_authority(host_header);
  if (!from || !host) return false;
  const auto usual = static_cast<std::uint16_t>(origin.starts_with(kHttps) ? 443 : 80);
  if (!host->port) host->port = usual;
  if (*from == *host) return true;
  // A proxy in front may have put another host into the request.
  return std::ranges::any_of(named_, [&](const auto& named) { return fits(named, *from, usual); });
}

}  // namespace spv::serve
