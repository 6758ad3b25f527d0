#include "cli/peer_address.h"

#include <charconv>
#include <string>

#include "cli/error.h"

namespace spv::cli {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError("'" + std::string(text) + "' is no address of a node; use HOST, HOST:PORT or [IPV6]:PORT");
}

std::uint16_t parse_port(std::string_view port, std::string_view text) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc{} || end != port.data() + port.size() || value == 0) refuse(text);
  return value;
}

}  // namespace

sync::PeerAddress parse_peer_address(std::string_view text, std::uint16_t default_port) {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) refuse(text);
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (host.empty() || host.size() > 255 || (!rest.empty() && rest[0] != ':')) refuse(text);
  const auto port = rest.empty() ? default_port : parse_port(rest.substr(1), text);
  return {std::string(host), port};
}

}  // namespace spv::cli
