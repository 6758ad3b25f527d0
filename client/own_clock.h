// The clock that a client goes by.
#pragma once

#include <functional>
#include <spv/client.h>

#include "net/clock.h"

namespace spv::client {

/// The caller's if there is one, else the system's.
inline std::function<util::Now()> clock_of(const Options& options) {
  if (!options.clock) return net::read_clock;
  return [clock = options.clock] {
    const ClockReading now = clock();
    return util::Now{util::TimePoint(now.monotonic), now.unix_time};
  };
}

}  // namespace spv::client
