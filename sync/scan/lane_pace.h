// LanePace: how quickly one peer answers, measured while it is kept busy: what a block costs it, and how long an answer
// is on its way. From it follows how much must be under way so that it never waits for us.
#pragma once

#include <cstddef>
#include <optional>

#include "util/time.h"

namespace spv::sync {

class LanePace {
 public:
  /// A request goes out; `idle`: nothing was under way before it.
  void on_request(bool idle, util::Now now);
  /// A block came.
  void on_block(util::Now now);
  /// Something else came between: the time since the last block says nothing.
  void on_pause() { sampled_ = -1; }
  /// Forgets what a block costs.
  void forget_blocks() {
    block_.reset();
    sampled_ = -1;
  }

  /// What a block costs, a mean; nothing before it is known.
  [[nodiscard]] std::optional<util::Duration> block_time() const { return block_; }

  /// From a request to its first answer, a mean; nothing before the first.
  [[nodiscard]] std::optional<util::Duration> round_trip() const { return round_trip_; }
  /// An answer that takes longer than this is late: another peer may be quicker.
  [[nodiscard]] util::Duration patience() const;
  /// Blocks under way with which the peer hardly ever waits for us.
  struct Depth {
    std::size_t least = 0;  // for the way alone, of blocks that are full: a hiccup on our side leaves the peer idle
    std::size_t ample = 0;  // of blocks like the last
  };
  /// Blocks that the peer gets through in half as much again as the way to it and back, and a few more; nothing before
  /// it is known. A round trip is measured only when the peer had run out of work, so one that takes longer than the
  /// mean makes the depth grow.
  [[nodiscard]] std::optional<Depth> depth() const;

 private:
  /// Under way beyond the round trip, so that neither a hiccup on our side nor answers that are let come together
  /// before they are read (net/read_pace) leave the peer without work.
  static constexpr util::Duration kSlack = std::chrono::milliseconds(8);
  /// However quick the blocks were so far, the next may take this long.
  static constexpr util::Duration kFullBlock = std::chrono::microseconds(500);
  static constexpr util::Duration kPatience = std::chrono::milliseconds(500);
  /// Assumed while nothing is known.
  static constexpr util::Duration kUnknownRoundTrip = std::chrono::milliseconds(250);
  /// Blocks in one measurement.
  static constexpr int kSample = 16;

  std::optional<util::TimePoint> asked_at_;  // of a request to an idle peer whose first answer is due
  std::optional<util::Duration> round_trip_;
  std::optional<util::Duration> block_;
  util::TimePoint sample_from_{};
  int sampled_ = -1;  // blocks since sample_from_; below zero: no sample is being taken
};

}  // namespace spv::sync
