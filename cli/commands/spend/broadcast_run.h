// A transaction on its way to the network, and what came of it; and the fees that peers ask for.
#pragma once

#include <optional>

#include "chain/transaction.h"
#include "cli/options/options.h"
#include "cli/wallet/wallet_file.h"
#include "client/sync_values.h"
#include "report/payment.h"

namespace spv::cli {

/// Asks the peers for their fees; with a wallet, brings it up to date too. Throws CommandError if that cannot be done.
client::FeesKnown ask_fees(const CommonOptions& common, const SyncOptions& sync, OpenWallet* open);

/// Sends a transaction that is stored already, and notes in the wallet what came of it. Null: nowhere. Where it cannot
/// be sent, and when it is interrupted, the outcome is "uncertain", with a warning that says why.
report::SendOutcome broadcast(const CommonOptions& common, const SyncOptions& sync, OpenWallet* open,
                              const chain::Transaction& tx);

}  // namespace spv::cli
