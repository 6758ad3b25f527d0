// SourceChoice: whether a peer is asked for filtered or for whole blocks. With `auto` both are tried on the first
// blocks, and again now and then, since blocks differ along the chain; what takes less time goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "sync/scan/lane_pace.h"
#include "sync/scan/scanned_block.h"

namespace spv::sync {

enum class SourceMode { Filter, Blocks, Auto, Compact };

struct SourceOptions {
  SourceMode mode = SourceMode::Filter;
  /// With Filter: compact filters (BIP157) of nodes near by, and where nobody offers bloom filters. With Auto always.
  bool or_compact = false;
  /// What whole blocks from beyond the local network may cost in all with Auto, in bytes.
  std::uint64_t max_download = 0;
  /// Elements in one filter, at most, even if it could hold more at its rate.
  std::size_t most_elements = std::numeric_limits<std::size_t>::max();
};

/// What a peer can be asked for.
struct LaneUse {
  bool filtered = true;  // it offers bloom filters, and we want to use them
  bool local = false;    // it is on the local network
  bool compact = false;  // it offers compact filters, and we may use them
};

/// True for loopback and private addresses and for "localhost": whole blocks cost next to nothing there.
bool is_local(const PeerAddress& address);

class SourceChoice {
 public:
  /// Blocks of each kind in a trial: enough for a measurement with other answers around it.
  static constexpr std::size_t kTrial = 40;
  /// So many blocks later the other kind is tried again.
  static constexpr std::size_t kAgain = 4'000;

  SourceChoice(SourceMode mode, bool can_filter) : mode_(mode), can_filter_(can_filter) {}

  struct Pick {
    BlockKind kind = BlockKind::Filtered;
    std::size_t most = SIZE_MAX;  // blocks to ask for at once
  };
  /// What to ask for next. `may_whole`: whole blocks may be asked for at all.
  [[nodiscard]] Pick pick(const LanePace& filtered, const LanePace& whole, bool may_whole) const;
  /// True if it is time to measure the kind that is not in use again: its pace is to be forgotten.
  [[nodiscard]] bool is_trial_due() const { return mode_ == SourceMode::Auto && since_trial_ >= kAgain; }
  void begin_trial(BlockKind kind);
  void on_asked(BlockKind kind, std::size_t blocks);

 private:
  [[nodiscard]] std::size_t& asked(BlockKind kind) { return kind == BlockKind::Whole ? whole_asked_ : filtered_asked_; }

  SourceMode mode_;
  bool can_filter_;
  std::size_t filtered_asked_ = 0;  // in the present trial
  std::size_t whole_asked_ = 0;
  std::size_t since_trial_ = 0;
};

}  // namespace spv::sync
