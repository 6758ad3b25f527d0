// HOST[:PORT] as people write it, IPv6 in brackets.
#pragma once

#include <cstdint>
#include <string_view>

#include "client/peer_address.h"

namespace spv::cli {

/// Throws UsageError.
client::PeerAddress parse_peer_address(std::string_view text, std::uint16_t default_port);

}  // namespace spv::cli
