// ScanTrust: who has served what, which of it a second peer checks (CrossCheck), and who is convicted: found out by a
// check, too slow, or of no use.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sync/scan/cross_check.h"

namespace spv::sync {

/// A peer that must go, and why.
struct Conviction {
  PeerId peer = 0;
  DisconnectReason reason{};
};

class ScanTrust {
 public:
  explicit ScanTrust(CrossCheck check) : check_(std::move(check)) {}

  [[nodiscard]] CrossCheck& check() { return check_; }
  [[nodiscard]] const CrossCheck& check() const { return check_; }

  /// A block counts by this peer's answer.
  void on_served(PeerId peer, chain::Height height) {
    const auto served = served_from_.try_emplace(peer, height).first;
    served->second = std::min(served->second, height);
  }
  void convict(PeerId peer, DisconnectReason reason) { convicted_.push_back({peer, reason}); }
  /// The same for one that has left something out, and may have done so before: gives the lowest block that counts by
  /// its answer, if any does.
  std::optional<chain::Height> distrust(PeerId peer, DisconnectReason reason) {
    convict(peer, reason);
    const auto served = served_from_.extract(peer);
    return served.empty() ? std::nullopt : std::optional(served.mapped());
  }
  /// Those since the last call.
  [[nodiscard]] std::vector<Conviction> take_convicted() { return std::exchange(convicted_, {}); }

  /// Two peers gave a block alike.
  void on_cross_checked() { ++cross_checked_; }
  [[nodiscard]] std::uint64_t cross_checked() const { return cross_checked_; }

 private:
  CrossCheck check_;
  std::map<PeerId, chain::Height> served_from_;
  std::vector<Conviction> convicted_;
  std::uint64_t cross_checked_ = 0;
};

}  // namespace spv::sync
