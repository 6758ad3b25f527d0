// Amounts as people write them.
#pragma once

#include <optional>
#include <string_view>

#include "chain/types.h"

namespace spv::cli {

/// "0.001" and ".5" are BTC, "123sat" satoshis. Nothing for what is neither, is negative, has a part of a satoshi, or
/// is more than there will ever be.
std::optional<chain::Amount> parse_amount(std::string_view text);

}  // namespace spv::cli
