// The balance of a wallet.
#pragma once

#include <boost/json/fwd.hpp>

#include "report/scan.h"
#include "wallet/wallet.h"

namespace spv::report {

/// The four sums of a balance.
boost::json::object balance_json(const wallet::Balance& balance);

/// The document of `spv balance`: the sums, the block that they are of, and how far they can be relied on.
boost::json::object balance_document(const wallet::Balance& balance, const Scanned& scanned,
                                     const ScanProgress& progress);

}  // namespace spv::report
