// Is the clock of this machine behind the chain? Then every new header looks as if it came from the future.
#pragma once

#include <optional>

#include "chain/types.h"
#include "util/time.h"

namespace spv::chain {
class HeaderChain;
}

namespace spv::client {

/// A block that is further ahead of the clock than the rules allow.
struct ClockBehind {
  util::UnixTime clock = 0;
  chain::Height height = 0;
  util::UnixTime block_time = 0;
};

/// By the newest block that is known; nothing if the clock may be right.
std::optional<ClockBehind> check_clock(const chain::HeaderChain& chain, util::UnixTime now);

}  // namespace spv::client
