#include "chain/header_rules.h"

#include "chain/pow.h"

namespace spv::chain {

HeaderContext::HeaderContext(const NetworkParams& params, Height height, const BlockHeader& first)
    : params_(&params),
      height_(height - 1),
      period_time_(first.time),
      period_bits_(first.bits),
      regular_bits_(first.bits),
      time_count_(height == 0 ? 0 : kMedianTimeSpan) {
  advance(first);
}

std::uint32_t HeaderContext::required_bits(std::uint32_t time) const {
  if (!starts_period(height_ + 1)) {
    if (!params_->allow_min_difficulty_blocks) return last_bits_;
    const bool late = std::int64_t{time} > std::int64_t{last_time_} + 2 * kTargetSpacing;
    return late ? params_->pow_limit_bits : regular_bits_;
  }
  if (params_->no_retargeting) return last_bits_;
  // BIP94: a last block at minimum difficulty must not reset the next period.
  const std::uint32_t base = params_->enforce_bip94 ? period_bits_ : last_bits_;
  return retarget(base, period_time_, last_time_, *params_);
}

std::uint32_t HeaderContext::median_time_past() const {
  auto sorted = times_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(time_count_);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(time_count_ / 2);
  std::nth_element(sorted.begin(), middle, end);
  return *middle;
}

std::optional<HeaderError> HeaderContext::check(const BlockHeader& next, util::UnixTime now) const {
  if (next.bits != required_bits(next.time)) return HeaderError::BadDifficulty;
  if (next.time <= latest_time_ && next.time <= median_time_past()) return HeaderError::TimeTooOld;
  if (params_->enforce_bip94 && starts_period(height_ + 1) &&
      std::int64_t{next.time} < std::int64_t{last_time_} - kMaxTimewarpSeconds) {
    return HeaderError::TimeWarp;
  }
  if (next.time > now + kMaxFutureSeconds) return HeaderError::TimeTooNew;
  if (is_obsolete(next.version)) return HeaderError::BadVersion;
  return std::nullopt;
}

void HeaderContext::advance(const BlockHeader& next) {
  ++height_;
  last_time_ = next.time;
  last_bits_ = next.bits;
  latest_time_ = std::max(latest_time_, next.time);
  if (starts_period(height_)) {
    period_time_ = next.time;
    period_bits_ = next.bits;
  }
  if (starts_period(height_) || next.bits != params_->pow_limit_bits) regular_bits_ = next.bits;
  times_[next_time_] = next.time;
  next_time_ = (next_time_ + 1) % kMedianTimeSpan;
  time_count_ = std::min(time_count_ + 1, kMedianTimeSpan);
}

bool HeaderContext::is_obsolete(std::int32_t version) const {
  const Height height = height_ + 1;
  return (version < 2 && height >= params_->bip34_height) || (version < 3 && height >= params_->bip66_height) ||
         (version < 4 && height >= params_->bip65_height);
}

}  // namespace spv::chain
