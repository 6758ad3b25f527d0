// Asks the DNS seeds of a network for nodes that serve BIP37: by the service bits in the name first, then by the plain
// name, since not every seed knows the bits (protocol.md P18).
// Included by net/ alone: it carries Asio.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "net/resolver.h"
#include "sync/types/types.h"

namespace spv::net {

using SeedAnswer = std::function<void(sync::PeersFound)>;

/// Calls `answer` once a seed, later, from the loop; the last call is marked. With `by_name` nothing is looked up: the
/// names themselves are given, for a proxy to resolve. `resolver` outlives the loop's run.
void ask_seeds(boost::asio::io_context& io, Resolver& resolver, std::vector<std::string> seeds, std::uint16_t port,
               bool by_name, SeedAnswer answer);

}  // namespace spv::net
