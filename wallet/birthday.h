// A birthday above the best block: a height that was given too high, or a chain that is not there yet. One text for all
// who say so.
#pragma once

#include <string>

#include "chain/types.h"

namespace spv::wallet {

/// False for a wallet that begins with the next block: it is a new one.
constexpr bool is_above_tip(chain::Height birthday, chain::Height tip) { return birthday > tip + 1; }
std::string above_tip_text(chain::Height birthday, chain::Height tip);

}  // namespace spv::wallet
