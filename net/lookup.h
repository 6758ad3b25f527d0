// How a name is looked up and a peer is reached: the system's way, or one that others put in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spv::net {

struct LookupResult {
  std::vector<std::string> addresses;  // in digits
  std::string error;                   // why there are none
};
/// Blocks; called from other threads.
using Lookup = std::function<LookupResult(const std::string& name)>;

/// Gives a connected stream socket, which is the caller's then, or -1. Blocks; called from other threads.
using Dial = std::function<int(const std::string& host, std::uint16_t port)>;

/// getaddrinfo.
LookupResult system_lookup(const std::string& name);

}  // namespace spv::net
