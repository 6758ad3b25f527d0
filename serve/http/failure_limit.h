// FailureLimit: how many wrong tokens are answered by 401 before it is 429. It never stands in the way of the right
// one.
#pragma once

#include <algorithm>

#include "util/time.h"

namespace spv::serve {

class FailureLimit {
 public:
  static constexpr double kBurst = 20;
  static constexpr double kPerSecond = 1;

  /// Counts one more; false if there were too many of late.
  bool note(util::TimePoint now) {
    const std::chrono::duration<double> passed = now - last_;
    left_ = std::min(kBurst, left_ + std::max(0.0, passed.count()) * kPerSecond);
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  double left_ = kBurst;
  util::TimePoint last_{};
};

}  // namespace spv::serve
