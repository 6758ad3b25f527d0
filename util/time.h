// Time as values. The core never asks a clock: `Now` comes in with every input.
#pragma once

#include <chrono>
#include <cstdint>

namespace spv::util {

/// Counts from an arbitrary start and never jumps: deadlines are points of it. Only the shell reads it.
struct MonotonicClock {
  using duration = std::chrono::microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;  // NOLINT(readability-identifier-naming): the standard's name
};

using Duration = MonotonicClock::duration;
using TimePoint = MonotonicClock::time_point;
/// Seconds since 1970 by the wall clock, which may be wrong and may jump.
using UnixTime = std::int64_t;

/// One instant by both clocks.
struct Now {
  TimePoint monotonic{};
  UnixTime wall = 0;
};

}  // namespace spv::util
