// Which scanned blocks are remembered: enough to find the fork of a reorganisation that happened while we were away.
#pragma once

#include <vector>

#include "wallet/records.h"

namespace spv::wallet {

/// The most anchors that a wallet keeps.
inline constexpr std::size_t kMaxAnchors = 40;

/// Anchors after a scan went from `before` to `after`: all of both at or below after.scanned_to, and that block,
/// thinned to the last dozen and, further down, one for each doubling of the distance. Ascending by height.
std::vector<chain::BlockRef> updated_anchors(const ScanState& before, const ScanState& after);

}  // namespace spv::wallet
