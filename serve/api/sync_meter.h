// SyncMeter: looks at the sync once a second and remembers: how fast it is, when it will be done, and how its filters
// have fared.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "client/sync_report.h"

namespace spv::serve {

/// How a sync stood at one moment.
struct SyncSample {
  util::UnixTime time = 0;
  std::optional<double> fp_observed;
  double fp_expected = 0;
  double fill = 0;
  client::ByteCounts bytes;
};

class SyncMeter {
 public:
  /// The rate is that of the last seconds, so that a stall shows.
  static constexpr std::size_t kRateSeconds = 10;
  /// An hour, a sample every ten seconds.
  static constexpr std::size_t kSamples = 360;
  static constexpr util::UnixTime kSampleEvery = 10;

  /// Once a second.
  void note(const client::SyncReport& report, util::Now now);

  struct Pace {
    std::optional<double> blocks_per_second;
    std::optional<double> seconds_left;
  };
  /// What is left of `report` at the pace of the last seconds; nothing at the tip.
  [[nodiscard]] Pace pace(const client::SyncReport& report) const;
  [[nodiscard]] std::deque<SyncSample> samples() const;
  [[nodiscard]] client::SyncReport last() const;

 private:
  struct Mark {
    util::TimePoint at{};
    chain::Height scanned = 0;
    chain::Height headers = 0;
  };

  mutable std::mutex mutex_;
  std::deque<Mark> marks_;
  std::deque<SyncSample> samples_;
  client::SyncReport last_;
};

}  // namespace spv::serve
