// ReadPace: whether what comes is worth waiting for. A node that filters sends a few hundred bytes every millisecond or
// two, and each of them would wake us; enough is asked for ahead, so taking several at a time delays nobody.
#pragma once

#include <cstddef>

#include "util/time.h"

namespace spv::net {

class ReadPace {
 public:
  /// How long several answers may be let come together. sync/lane_pace asks for more than this ahead.
  static constexpr util::Duration kGatherTime = std::chrono::milliseconds(5);
  /// The same among several peers, where what one finds matters to the others soon.
  static constexpr util::Duration kGatherTimeOfSeveral = std::chrono::milliseconds(1);
  /// Larger reads are not waited for: a batch of headers is followed by a question.
  static constexpr std::size_t kSmallRead = 8'192;
  /// After this many small reads in a row, each within `kGap` of the last, more of them are expected.
  static constexpr int kReads = 8;
  static constexpr util::Duration kGap = std::chrono::milliseconds(20);

  void on_read(std::size_t bytes, util::TimePoint now) {
    const bool in_a_row = now - last_ < kGap && bytes <= kSmallRead;
    small_reads_ = in_a_row ? small_reads_ + 1 : 0;
    last_ = now;
  }
  /// True if the next read should wait for more; false again once nothing has come for a while.
  [[nodiscard]] bool gathers(util::TimePoint now) const { return small_reads_ >= kReads && now - last_ < kGap; }

 private:
  util::TimePoint last_{};
  int small_reads_ = 0;
};

}  // namespace spv::net
