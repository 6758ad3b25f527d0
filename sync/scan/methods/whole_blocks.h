// WholeBlocks: scanning by whole blocks, which are proven by their merkle root and matched here. They hide nothing.
#pragma once

#include "sync/scan/methods/scan_method.h"
#include "sync/scan/whole_matcher.h"

namespace spv::sync {

class WholeBlocks final : public ScanMethod {
 public:
  /// A whole block may be 4 MB on a slow link: as long as one message may take.
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(60);

  /// `matcher` outlives it.
  explicit WholeBlocks(WholeMatcher& matcher) : matcher_(&matcher) {}

  [[nodiscard]] p2p::Message ask(const std::vector<chain::BlockRef>& blocks) const override;
  [[nodiscard]] util::Duration stall_timeout() const override { return kStallTimeout; }
  LaneStep on(const p2p::Block& message, chain::Height next, RequestQueue& queue, util::Now now) override;
  using ScanMethod::on;

 private:
  std::optional<DisconnectReason> fill(ScannedBlock& result, const p2p::Block& message, bool waits);

  WholeMatcher* matcher_;
};

}  // namespace spv::sync
