// What the library shows of a wallet's coins, history and addresses.
#pragma once

#include <spv/types.h>

#include "chain/params.h"
#include "store/logged_event.h"
#include "wallet/wallet.h"

namespace spv::client {

Coin to_coin(const wallet::Coin& coin, const wallet::Wallet& wallet, const chain::NetworkParams& params);
HistoryEntry to_entry(const wallet::HistoryEntry& entry);
Address to_address(const wallet::ScriptEntry& entry, const wallet::Wallet& wallet, const chain::NetworkParams& params);

/// What a wallet's event is told as.
TransactionEvent to_event(const std::string& wallet, const wallet::TxEvent& event, const chain::NetworkParams& params);
/// The same for one of the log.
LoggedData to_logged(const store::LoggedEvent& event, const chain::NetworkParams& params);

}  // namespace spv::client
