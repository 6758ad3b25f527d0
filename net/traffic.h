// Traffic: what a driver has read and written.
#pragma once

#include <cstdint>

namespace spv::net {

struct Traffic {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

}  // namespace spv::net
