// The coins of a wallet.
#pragma once

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "report/label_book.h"
#include "wallet/wallet.h"

namespace spv::report {

/// {"txid","vout","amount_sat","address","height","confirmations","spendable","frozen","reserved","path"}, and its
/// label or that of its address.
boost::json::object coin_row(const wallet::Coin& coin, const wallet::Wallet& wallet, const chain::NetworkParams& params,
                             const LabelBook& book);

}  // namespace spv::report
