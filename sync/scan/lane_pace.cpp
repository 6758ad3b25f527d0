#include "sync/scan/lane_pace.h"

#include <algorithm>

namespace spv::sync {

void LanePace::on_request(bool idle, util::Now now) {
  if (!idle) return;
  asked_at_ = now.monotonic;
  sampled_ = -1;
}

void LanePace::on_block(util::Now now) {
  if (asked_at_) {
    const util::Duration took = now.monotonic - *asked_at_;
    // What is quicker than the mean was held up by less.
    round_trip_ = round_trip_ ? std::min(took, (*round_trip_ * 3 + took) / 4) : took;
    asked_at_.reset();
  }
  if (sampled_ < 0) {
    sample_from_ = now.monotonic;
    sampled_ = 0;
    return;
  }
  if (++sampled_ < kSample) return;
  const util::Duration each = (now.monotonic - sample_from_) / kSample;
  block_ = block_ ? (*block_ * 3 + each) / 4 : each;
  sample_from_ = now.monotonic;
  sampled_ = 0;
}

util::Duration LanePace::patience() const { return kPatience + round_trip_.value_or(kUnknownRoundTrip) * 4; }

std::optional<LanePace::Depth> LanePace::depth() const {
  if (!round_trip_ || !block_) return std::nullopt;
  // The first answer took as long as its block besides the way.
  const util::Duration way = std::max(*round_trip_ - *block_, util::Duration::zero());
  const auto blocks = [](util::Duration time, util::Duration each) {
    return static_cast<std::size_t>(time / each) + 2;
  };
  return Depth{
      .least = blocks(way + way / 2, std::max(*block_, kFullBlock)),
      .ample = blocks(way + way / 2 + kSlack, std::max<util::Duration>(*block_, std::chrono::microseconds(1)))};
}

}  // namespace spv::sync
