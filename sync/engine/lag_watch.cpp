#include "sync/engine/lag_watch.h"

namespace spv::sync {

bool LagWatch::lags(bool stuck, util::TimePoint now) {
  if (!stuck) {
    stuck_since_.reset();
    return false;
  }
  if (!stuck_since_) stuck_since_ = now;
  if (now < *lag_deadline()) return false;
  stuck_since_.reset();
  return true;
}

bool LagWatch::is_stale(util::TimePoint now) {
  if (now < stale_deadline()) return false;
  tip_changed_at_ = now;
  return true;
}

std::optional<util::TimePoint> LagWatch::lag_deadline() const {
  if (!stuck_since_) return std::nullopt;
  return *stuck_since_ + kLagGrace;
}

}  // namespace spv::sync
