// A transaction of the wallet by its id, as `spv tx` and `spv proof` take it.
#pragma once

#include <string>

#include "wallet/wallet.h"

namespace spv::cli {

/// Throws UsageError if the text is no id, CommandError if the wallet does not have it.
const wallet::TxRecord& find_transaction(const wallet::Wallet& wallet, const std::string& text);

}  // namespace spv::cli
