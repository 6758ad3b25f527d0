// Balance, coins and what to watch, as folds over the ledger: computed on every call, and linear in the number of
// transactions. What a store keeps of them is checked against what they were computed from (store/stored_balance.h).
// The history is in wallet/history.h.
#pragma once

#include <set>
#include <vector>

#include "chain/types.h"
#include "wallet/key_ring.h"
#include "wallet/ledger.h"
#include "wallet/records.h"

namespace spv::wallet {

/// What the folds read: the facts, which scripts are ours, the height up to which blocks were scanned, and which coins
/// the user has frozen.
struct Books {
  const Ledger& ledger;
  const KeyRing& keys;
  chain::Height scanned = -1;
  const std::set<chain::OutPoint>& frozen;
};

/// The sums of a wallet; a sum that forged unconfirmed transactions push beyond 21 million stops there.
Balance balance_of(const Books& books);
/// Confirmed coins in chain order, then unconfirmed ones by outpoint. What a transaction that counts spends is none.
std::vector<Coin> coins_of(const Books& books);
/// Own outpoints that are unspent, spent by an unconfirmed transaction or spent by one of the last `depth` blocks,
/// and all inputs of unconfirmed transactions that are not conflicted. Sorted, each once.
std::vector<chain::OutPoint> watched_outpoints_of(const Books& books, chain::Height depth);
/// Every script up to the last used or issued one of each chain (at least the first), with what it received.
std::vector<ScriptEntry> addresses_of(const Books& books);
/// Whether no block may hold a spend of it yet: the output of a coinbase that is not buried deep enough.
bool is_immature(const TxRecord& record, chain::Height scanned);
/// Blocks from the one of `height` to the last scanned one, at least one; zero where there is no height.
std::uint32_t confirmations_of(const std::optional<Confirmation>& confirmation, chain::Height scanned);

}  // namespace spv::wallet
