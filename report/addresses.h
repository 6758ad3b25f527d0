// The addresses of a wallet.
#pragma once

#include <vector>

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "report/label_book.h"
#include "wallet/wallet.h"

namespace spv::report {

/// Each script of Wallet::addresses() once: one may be watched twice, by itself and by a descriptor. Throws StoreError
/// if a stored script is not the one that its descriptor gives.
std::vector<wallet::ScriptEntry> addresses_of(wallet::Wallet& wallet);

/// {"address","path","used","received_sat"} and its label.
boost::json::object address_row(const wallet::ScriptEntry& entry, const wallet::Wallet& wallet,
                                const chain::NetworkParams& params, const LabelBook& book);

}  // namespace spv::report
