// HOST, HOST:PORT or [IPV6]:PORT, as users write it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "sync/types/types.h"

namespace spv::client {

using sync::PeerAddress;

/// Nothing for what is no address.
std::optional<PeerAddress> parse_peer_address(std::string_view text, std::uint16_t default_port);

/// What is dialled where neither the address book nor the seeds have anybody.
std::vector<PeerAddress> fixed_addresses(const chain::NetworkParams& params);

}  // namespace spv::client
