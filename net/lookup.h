// How a name is looked up: the system's way, or one that a test puts in its place.
#pragma once

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

/// getaddrinfo.
LookupResult system_lookup(const std::string& name);

}  // namespace spv::net
