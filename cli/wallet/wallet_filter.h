// The filter of a wallet, outside a sync.
#pragma once

#include "bip37/filter_plan.h"

namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

/// The filter that `spv sync` loads at its usual rate; where the scan takes several, the one that it has at the tip.
bip37::FilterPlan wallet_filter(const wallet::Wallet& wallet);

}  // namespace spv::cli
