// Where the header file of a wallet begins.
#pragma once

#include "store/header_file.h"
#include "wallet/records.h"

namespace spv::cli {

/// The best built-in start point before the wallet's birthday, or genesis. A file that begins above it is made anew
/// from there: headers are fetched again, wallets lose nothing.
store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config);

}  // namespace spv::cli
