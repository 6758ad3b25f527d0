// Is the clock of this machine behind the chain? Then every new header looks as if it came from the future.
#pragma once

#include <optional>
#include <string>

#include "util/time.h"

namespace spv::chain {
class HeaderChain;
}

namespace spv::cli {

/// A sentence that says what is wrong and what to do, if the newest known block is further ahead of the clock than the
/// rules allow.
std::optional<std::string> clock_complaint(const chain::HeaderChain& chain, util::UnixTime now);

}  // namespace spv::cli
