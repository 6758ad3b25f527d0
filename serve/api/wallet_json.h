// A wallet as the API shows it.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "client/wallet_board.h"

namespace spv::serve {

/// {"confirmed_sat","unconfirmed_sat","immature_sat","total_sat"}
boost::json::object balance_json(const Balance& balance);
/// {"name","watch_only","birthday","gap_limit","scripts","scanned_to","synced","balance":{…}}
boost::json::object wallet_json(const std::string& name, const client::WalletSummary& wallet,
                                const client::ChainSummary& chain);

}  // namespace spv::serve
