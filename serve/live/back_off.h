// How long to wait before the next try: twice as long after each failure, up to a limit, and never the same for all.
#pragma once

#include <algorithm>
#include <chrono>

namespace spv::serve {

struct BackOff {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds longest{300'000};

  /// After this many failures (at least one); `jitter` is in [0, 1) and takes up to a quarter away.
  [[nodiscard]] std::chrono::milliseconds delay(unsigned failures, double jitter) const {
    auto full = std::min(first, longest);
    for (unsigned i = 1; i < failures && full < longest; ++i) full = std::min(2 * full, longest);
    return full - std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(full.count()) * jitter / 4));
  }
};

}  // namespace spv::serve
