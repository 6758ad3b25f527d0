// Known blocks of the true chains: checkpoints that a chain must contain, and start points, with which a chain may
// begin so that a wallet with a birthday need not hold all headers below it.
//
// One checkpoint a difficulty period (every fourth on testnet3), about fifty start points a network. Testnet4 has no
// start points: of its blocks only the hashes are published, and a chain begins with a whole header.
#pragma once

#include <optional>
#include <span>

#include "chain/params.h"
#include "chain/types.h"
#include "util/time.h"

namespace spv::chain {

/// A start point is by its own time at least so much older than a birthday that is a time.
inline constexpr util::UnixTime kStartMarginSeconds = 86'400;

/// The highest start point at or below a birthday; nothing if only genesis will do.
std::optional<StartPoint> start_point_before(const NetworkParams& params, Height birthday);
/// The highest start point that was mined well before a time; nothing if only genesis will do.
std::optional<StartPoint> start_point_before_time(const NetworkParams& params, util::UnixTime birthday);

/// What NetworkParams hold: ask those.
std::span<const StartPoint> built_in_start_points(Network network);
std::span<const Checkpoint> built_in_checkpoints(Network network);

}  // namespace spv::chain
