// Amounts as people see them, exact to the satoshi: integers are split, nothing is rounded.
#pragma once

#include <string>
#include <string_view>

#include "chain/types.h"
#include "cli/options/amount_unit.h"

namespace spv::cli {

/// "BTC", "mBTC" or "sat"
std::string_view unit_name(AmountUnit unit);
/// "-1.50000000", "-1500.00000" or "-150000000"
std::string amount_text(chain::Amount amount, AmountUnit unit);
/// "+1.50000000 BTC": with its sign and its unit
std::string change_text(chain::Amount amount, AmountUnit unit);
/// "1.50000000 BTC"
std::string amount_with_unit(chain::Amount amount, AmountUnit unit);

}  // namespace spv::cli
