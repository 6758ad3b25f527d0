// The rules that judge a header by its ancestors: difficulty (with the test networks' exceptions and BIP94),
// median time past, two hours into the future, versions after BIP34/66/65. Proof of work is in pow.h.
//
// Start rule: a chain may begin at a trusted header above genesis, the first of a difficulty period. The period's
// retarget then needs nothing from below. Of the eleven times that make the median, those below the start are
// unknown and count as zero, which can only lower the median: every header of the true chain is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/header_error.h"
#include "chain/params.h"
#include "chain/types.h"
#include "util/time.h"

namespace spv::chain {

/// A header's time must be above the median of this many before it.
inline constexpr std::size_t kMedianTimeSpan = 11;
/// Seconds that a header may be ahead of our clock.
inline constexpr util::UnixTime kMaxFutureSeconds = 7'200;
/// BIP94: seconds that a period's first block may be before its predecessor.
inline constexpr std::int64_t kMaxTimewarpSeconds = 600;

/// All that the rules look at below the next header: it grows with the chain in constant time and space.
class HeaderContext {
 public:
  /// The context of the child of `first`, which is trusted: genesis, the first header of a period, or a header
  /// from which at least eleven more and a period's start follow by advance().
  HeaderContext(const NetworkParams& params, Height height, const BlockHeader& first);

  /// Of the header added last.
  [[nodiscard]] Height height() const { return height_; }
  /// The bits that a next header of this time must have.
  [[nodiscard]] std::uint32_t required_bits(std::uint32_t time) const;
  /// Of the last eleven headers, or of all since genesis.
  [[nodiscard]] std::uint32_t median_time_past() const;
  /// The first rule that a next header breaks; proof of work and checkpoints are not looked at.
  [[nodiscard]] std::optional<HeaderError> check(const BlockHeader& next, util::UnixTime now) const;
  /// Makes `next` the last header; it need not have been checked.
  void advance(const BlockHeader& next);

 private:
  [[nodiscard]] bool is_obsolete(std::int32_t version) const;

  const NetworkParams* params_;
  Height height_;
  std::uint32_t last_time_ = 0;
  std::uint32_t last_bits_ = 0;
  std::uint32_t latest_time_ = 0;   // the highest so far: a later one is above any median
  std::uint32_t period_time_ = 0;   // of the first block of the last header's period
  std::uint32_t period_bits_ = 0;   // of the same
  std::uint32_t regular_bits_ = 0;  // of the last block that began a period or was not at minimum difficulty
  std::array<std::uint32_t, kMedianTimeSpan> times_{};  // a ring; zero where unknown
  std::size_t next_time_ = 0;
  std::size_t time_count_ = 0;
};

/// The context of the child of the header at `height`; `at(h)` gives headers from `base` up.
template <typename HeaderAt>
HeaderContext context_at(const NetworkParams& params, Height height, Height base, HeaderAt&& at) {
  constexpr Height kInterval = 2016;
  const Height eleven = height - static_cast<Height>(kMedianTimeSpan) + 1;
  const Height start = std::max(base, std::min(eleven, height - height % kInterval));
  HeaderContext context(params, start, at(start));
  for (Height h = start + 1; h <= height; ++h) context.advance(at(h));
  return context;
}

}  // namespace spv::chain
