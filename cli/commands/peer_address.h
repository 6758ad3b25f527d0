// HOST[:PORT] as people write it, IPv6 in brackets.
#pragma once

#include <cstdint>
#include <string_view>

#include "sync/types/types.h"

namespace spv::cli {

/// Throws UsageError.
sync::PeerAddress parse_peer_address(std::string_view text, std::uint16_t default_port);

}  // namespace spv::cli
