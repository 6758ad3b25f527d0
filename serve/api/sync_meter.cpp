#include "serve/api/sync_meter.h"

#include <algorithm>

namespace spv::serve {
namespace {

chain::Height height_of(const client::SyncReport& report) { return report.tip ? report.tip->height : 0; }

SyncSample sample_of(const client::SyncReport& report, util::UnixTime time) {
  SyncSample out{.time = time, .fp_observed = client::observed_fp_rate(report.counts), .bytes = report.bytes};
  for (const auto& filter : report.filters) {
    out.fp_expected = std::max(out.fp_expected, filter.fp_expected);
    out.fill = std::max(out.fill, filter.fill);
  }
  return out;
}

}  // namespace

void SyncMeter::note(const client::SyncReport& report, util::Now now) {
  const std::lock_guard lock(mutex_);
  last_ = report;
  marks_.push_back({now.monotonic, report.scanned, height_of(report)});
  if (marks_.size() > kRateSeconds + 1) marks_.pop_front();
  if (!samples_.empty() && now.wall < samples_.back().time + kSampleEvery && now.wall >= samples_.back().time) return;
  samples_.push_back(sample_of(report, now.wall));
  if (samples_.size() > kSamples) samples_.pop_front();
}

SyncMeter::Pace SyncMeter::pace(const client::SyncReport& report) const {
  const std::lock_guard lock(mutex_);
  if (marks_.size() < 2 || report.synced) return {};
  const Mark& first = marks_.front();
  const Mark& now = marks_.back();
  const double seconds = std::chrono::duration<double>(now.at - first.at).count();
  if (seconds <= 0) return {};
  const bool headers = !report.headers_done;
  const auto moved = headers ? now.headers - first.headers : now.scanned - first.scanned;
  const auto left = headers ? report.announced - now.headers : height_of(report) - now.scanned;
  Pace pace{.blocks_per_second = std::max(0.0, moved / seconds), .seconds_left = std::nullopt};
  if (moved > 0 && left >= 0) pace.seconds_left = left / *pace.blocks_per_second;
  return pace;
}

std::deque<SyncSample> SyncMeter::samples() const {
  const std::lock_guard lock(mutex_);
  return samples_;
}

client::SyncReport SyncMeter::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace spv::serve
