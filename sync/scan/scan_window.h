// ScanWindow: how many blocks may be under way. Of whole ones a few megabytes; of filtered ones as many as the filter
// bears: every false positive makes the node insert an outpoint into
// our filter (UPDATE_ALL), and we hear of it only when the block arrives: with too many blocks under way the filter
// runs away before we can renew it. So no more is asked for than leaves it within its bounds by expectation, also if
// small blocks are followed by busy ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bip37/filter_mirror.h"
#include "bip37/filter_plan.h"

namespace spv::sync {

class ScanWindow {
 public:
  /// At most under way: enough that the node has work while an answer travels.
  static constexpr std::size_t kMaxBlocks = 2'000;
  /// Under way at a peer whose pace is not known yet, where there are others.
  static constexpr std::size_t kFirstBlocks = 64;

  /// Bytes of whole blocks under way, about. A node that cannot send on pauses for up to a tenth of a second, unless it
  /// hears from us: what is under way must fit the buffers in between, its own of 1 MB and those of the two kernels.
  static constexpr double kWholeBytes = 2'500'000;

  /// Filters are made by this plan from now on.
  void on_planned(const bip37::FilterPlan& plan);
  /// A block with so many transactions came.
  void on_block(std::uint32_t transactions);
  /// Bytes of compact filters under way at a peer, about: it sends a range at once, and must not wait for us.
  static constexpr double kCompactBytes = 4'000'000;

  /// A compact filter of so many bytes came.
  void on_compact_filter(std::size_t bytes);
  /// Compact filters that may be under way; at least one.
  [[nodiscard]] std::size_t compact_filters() const;
  /// A whole block of so many bytes came.
  void on_whole_block(std::size_t bytes);
  /// Whole blocks that may be under way; `needed`: so many on a long way, however small the last ones were.
  [[nodiscard]] std::size_t whole_blocks(std::size_t needed) const;
  /// Filtered blocks that may be under way now; at least one.
  [[nodiscard]] std::size_t blocks(const bip37::FilterMirror& mirror) const;
  /// True if a peer's filter has so little room left that a fresh one serves better.
  [[nodiscard]] bool is_used_up(const bip37::FilterMirror& mirror) const;
  /// True if what a fresh filter would hold leaves so little room that a new plan serves better.
  [[nodiscard]] bool is_worn(const bip37::FilterMirror& known) const;

 private:
  [[nodiscard]] double room_in(const bip37::BloomFilter& filter) const;

  double rate_limit_ = 1;         // the filter must not pass this false positive rate
  double room_planned_ = 0;       // elements that fit into the filter as it was planned
  double transactions_ = 0;       // in a block: a mean that follows the chain
  double bytes_ = 1e6;            // of a whole block: the same
  double filter_bytes_ = 20'000;  // of a compact filter: the same
};

}  // namespace spv::sync
