#include "cli/commands/peer_address.h"

#include "cli/error.h"

namespace spv::cli {

client::PeerAddress parse_peer_address(std::string_view text, std::uint16_t default_port) {
  auto address = client::parse_peer_address(text, default_port);
  if (!address) throw UsageError("'" + std::string(text) + "' is not an address: use HOST, HOST:PORT or [IPV6]:PORT");
  return *address;
}

}  // namespace spv::cli
