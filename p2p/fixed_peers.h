// Nodes that were long-lived when their addresses were published: the last resort of a client whose address book is
// empty and whose DNS seeds are silent. Anybody can look them up, so they are trusted no more than any other peer.
#pragma once

#include <span>
#include <string_view>

#include "chain/params.h"

namespace spv::p2p {

/// Hosts that listen on the network's default port, as parse_net_address() reads them; none where none are known.
std::span<const std::string_view> fixed_peers(chain::Network network);

}  // namespace spv::p2p
