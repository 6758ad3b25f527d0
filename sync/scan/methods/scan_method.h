// ScanMethod: a way to scan a block at one peer: what to ask for, and how the answer is proven and matched. Answers go
// in, scanned blocks come out of the queue. A block source is added by implementing this.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "p2p/message.h"
#include "sync/scan/request_queue.h"

namespace spv::sync {

/// What a message to a lane came to.
struct LaneStep {
  std::optional<DisconnectReason> fault = std::nullopt;  // why the connection must end, if it must
  bool taken = false;                                    // it was asked for, or promised
  bool proven = false;                                   // it is a whole block of our chain
};

/// Finds a transaction that we have already, or null.
using KnownTransactions = std::function<const chain::Transaction*(const chain::Txid&)>;

class ScanMethod {
 public:
  ScanMethod() = default;
  ScanMethod(const ScanMethod&) = default;
  ScanMethod(ScanMethod&&) = default;
  ScanMethod& operator=(const ScanMethod&) = default;
  ScanMethod& operator=(ScanMethod&&) = default;
  virtual ~ScanMethod() = default;

  /// Which filter blocks are asked for under; zero if none.
  [[nodiscard]] virtual FilterEpoch epoch() const { return 0; }
  /// The message that asks for these blocks.
  [[nodiscard]] virtual p2p::Message ask(const std::vector<chain::BlockRef>& blocks) const = 0;
  /// No answer for this long while one is due: the peer has stalled.
  [[nodiscard]] virtual util::Duration stall_timeout() const = 0;

  // Answers: each method takes its own and leaves the others. What it takes it may move from.
  virtual LaneStep on(p2p::MerkleBlock& /*message*/, RequestQueue& /*queue*/, util::Now /*now*/) { return {}; }
  /// All that blocks above `next` spend is noted down.
  virtual LaneStep on(const p2p::Block& /*message*/, chain::Height /*next*/, RequestQueue& /*queue*/,
                      util::Now /*now*/) {
    return {};
  }
  virtual LaneStep on(const p2p::CFilter& /*message*/, RequestQueue& /*queue*/, util::Now /*now*/) { return {}; }
  virtual LaneStep on(chain::Transaction& /*tx*/, const chain::Txid& /*txid*/, RequestQueue& /*queue*/,
                      util::Now /*now*/) {
    return {};
  }

  /// The request was answered and its fence came: all of it is there, or the peer is at fault.
  virtual std::optional<DisconnectReason> complete(std::uint64_t /*number*/, RequestQueue& /*queue*/,
                                                   const KnownTransactions& /*known*/) {
    return std::nullopt;
  }
  /// Requests so far no longer count.
  virtual void forget() {}
  /// The block is complete and leaves the queue.
  virtual void on_taken(ScannedBlock& /*block*/) {}
};

/// Asks for blocks in this form.
p2p::GetData getdata_of(p2p::InventoryType type, const std::vector<chain::BlockRef>& blocks);

}  // namespace spv::sync
