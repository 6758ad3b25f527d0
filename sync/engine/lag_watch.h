// LagWatch: notices that the peers we have do not bring us forward, so that others must be found: none of them has the
// next block of the best chain, or no block at all has come for long (security.md E4).
#pragma once

#include <optional>

#include "util/time.h"

namespace spv::sync {

class LagWatch {
 public:
  /// A new block reaches every honest node within this time, or another peer scans.
  static constexpr util::Duration kLagGrace = std::chrono::seconds(2);
  /// No block for this long: other peers may know of one.
  static constexpr util::Duration kStaleAfter = std::chrono::minutes(90);

  /// The best chain has a new tip, or the client has just started.
  void on_tip_changed(util::TimePoint now) { tip_changed_at_ = now; }
  /// `stuck`: no peer that scans has the next block. True once that has lasted too long.
  bool lags(bool stuck, util::TimePoint now);
  /// True if no block has come for long; the next time after as long again.
  bool is_stale(util::TimePoint now);

  [[nodiscard]] std::optional<util::TimePoint> lag_deadline() const;
  [[nodiscard]] util::TimePoint stale_deadline() const { return tip_changed_at_ + kStaleAfter; }

 private:
  std::optional<util::TimePoint> stuck_since_;
  util::TimePoint tip_changed_at_{};
};

}  // namespace spv::sync
