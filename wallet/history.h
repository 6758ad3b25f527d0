// The history of a wallet: its transactions, newest first, each with what it means to the wallet. A fold over the
// ledger, like those of wallet/balance.h: n log n in the number of transactions.
//
// The ledger also holds strangers' transactions: the double spend of a payment to us, which pays us nothing and spends
// nothing of ours. Those are no part of the history.
#pragma once

#include <optional>
#include <vector>

#include "wallet/balance.h"

namespace spv::wallet {

/// Newest first: on top what waits for a block, by the time it was first seen; then the blocks downwards. What counts
/// nowhere stands among the blocks by the time it was first seen. A total order: two copies of the same facts give the
/// same list.
std::vector<HistoryEntry> history_of(const Books& books);
/// One transaction that is held, a stranger's too.
std::optional<HistoryEntry> entry_of(const Books& books, const chain::Txid& txid);
/// Pays a script of ours, or spends an output of ours.
bool is_own(const Books& books, const chain::Transaction& tx);
/// Those of ours that count nowhere, in the order of arrival; not those that are kept back.
std::vector<Conflict> conflicts_of(const Books& books);

}  // namespace spv::wallet
