// The unit in which people see amounts (--unit). JSON is always in satoshis.
#pragma once

namespace spv::cli {

enum class AmountUnit { Btc, Mbtc, Sat };

}  // namespace spv::cli
