// One transaction of a wallet: what it means to the wallet, its block, and whether its proof is stored.
#pragma once

#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "wallet/wallet.h"

namespace spv::report {

/// What is shown, and what it is looked up in.
struct ShownTx {
  const wallet::Wallet& wallet;
  const wallet::TxRecord& record;
  wallet::HistoryEntry entry;
  const chain::NetworkParams& params;
  std::string label;  // empty: none
};

/// What an input spends; null where the wallet does not have the transaction before.
const chain::TxOutput* spent_output(const wallet::Wallet& wallet, const chain::OutPoint& previous);
/// Satoshis a virtual byte, to three digits; unknown where the fee or the size is.
std::optional<double> fee_rate_of(const ShownTx& shown);

/// The document of `spv tx`.
boost::json::object transaction_json(const ShownTx& shown);

}  // namespace spv::report
