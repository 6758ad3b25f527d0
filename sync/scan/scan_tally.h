// ScanTally: what a scan has done so far, for its summary. Nothing depends on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "sync/scan/scanned_block.h"

namespace spv::sync {

struct ScanCounters {
  chain::Height scanned_from = -1;    // lowest height asked for; -1: none
  std::uint64_t merkleblocks = 0;     // blocks scanned by a peer's filter, each once
  std::uint64_t blocks = 0;           // whole ones, the same
  std::uint64_t compact_filters = 0;  // blocks whose compact filter did not match, the same
  bool compact_nearby = false;        // filters came from a node on the local network
  std::uint64_t answers = 0;          // blocks that came, checks and second looks included
  std::uint64_t transactions = 0;     // in all blocks scanned
  std::uint64_t matched = 0;
  std::uint64_t relevant = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t rescans = 0;
  std::uint64_t asked_again = 0;  // blocks whose first answer was made without a coin that was found below them
};

class ScanTally {
 public:
  [[nodiscard]] const ScanCounters& counters() const { return counters_; }

  void on_asked(chain::Height lowest) {
    if (counters_.scanned_from < 0 || lowest < counters_.scanned_from) counters_.scanned_from = lowest;
  }
  void on_answer() { ++counters_.answers; }
  void on_compact_filter(bool nearby) {
    on_answer();
    counters_.compact_nearby = counters_.compact_nearby || nearby;
  }
  void on_asked_again(std::size_t blocks) { counters_.asked_again += blocks; }
  void on_rescan() { ++counters_.rescans; }
  /// In a block at this height so many matched that are not ours.
  void on_strangers(chain::Height height, std::size_t count) {
    if (height > counted_to_) counters_.false_positives += count;
  }
  /// True if it was not known as ours before.
  bool on_ours(const chain::Txid& txid) { return relevant_.insert(txid).second; }
  void on_applied(const ScannedBlock& block) {
    counters_.relevant = relevant_.size();
    counters_.matched = counters_.relevant + counters_.false_positives;
    if (block.block.height <= counted_to_) return;
    counted_to_ = block.block.height;
    counters_.transactions += block.transactions;
    ++counter_of(block.request.kind);
  }
  /// Blocks above were left: others come in their place.
  void go_back_to(chain::Height height) { counted_to_ = std::min(counted_to_, height); }

 private:
  std::uint64_t& counter_of(BlockKind kind) {
    if (kind == BlockKind::Compact) return counters_.compact_filters;
    return kind == BlockKind::Whole ? counters_.blocks : counters_.merkleblocks;
  }

  ScanCounters counters_;
  chain::Height counted_to_ = -1;             // blocks up to here are counted: a second look is not
  std::unordered_set<chain::Txid> relevant_;  // counted as relevant
};

}  // namespace spv::sync
