// CompactBlocks: scanning by compact filters (BIP157/158). The peer sends each block's filter, which is proven by the
// chain of filter headers and matched here; a block whose filter matches is then asked for whole, of whomever. It tells
// the peers nothing but which blocks those are.
#pragma once

#include "sync/scan/compact/compact_scan.h"
#include "sync/scan/methods/scan_method.h"

namespace spv::sync {

class CompactBlocks final : public ScanMethod {
 public:
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(20);

  /// `scan` outlives it; null: no filters are asked for.
  explicit CompactBlocks(CompactScan* scan) : scan_(scan) {}

  /// They follow one another without a gap.
  [[nodiscard]] p2p::Message ask(const std::vector<chain::BlockRef>& blocks) const override;
  [[nodiscard]] util::Duration stall_timeout() const override { return kStallTimeout; }
  LaneStep on(const p2p::CFilter& message, RequestQueue& queue, util::Now now) override;
  using ScanMethod::on;

 private:
  CompactScan* scan_;
};

}  // namespace spv::sync
