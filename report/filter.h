// The filter of a wallet, and what peers see of a filter.
#pragma once

#include <boost/json/fwd.hpp>

#include "bip37/filter_plan.h"
#include "wallet/wallet.h"

namespace spv::report {

/// The filter that a sync loads at its usual rate; where the scan takes several, the one that it has at the tip.
bip37::FilterPlan filter_of(const wallet::Wallet& wallet);

/// A filter's shape as peers see it, and what it was planned for.
boost::json::object filter_json(const bip37::FilterPlan& plan);

}  // namespace spv::report
