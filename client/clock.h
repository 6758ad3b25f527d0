// The clocks and the entropy of the machine, and the clock that a client goes by.
#pragma once

#include <spv/client.h>

#include "net/clock.h"

namespace spv::client {

using net::Clock;
using net::fill_with_entropy;
using net::read_clock;
using net::system_entropy;

/// The caller's if there is one, else the system's.
inline Clock clock_of(const Options& options) {
  if (!options.clock) return read_clock;
  return [clock = options.clock] {
    const ClockReading now = clock();
    return util::Now{util::TimePoint(now.monotonic), now.unix_time};
  };
}

}  // namespace spv::client
