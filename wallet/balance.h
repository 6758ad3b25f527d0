// Balance, coins and what to watch, as folds over the ledger: computed on every call, never stored, and linear in the
// number of transactions. The history is in wallet/history.h.
#pragma once

#include <vector>

#include "chain/types.h"
#include "wallet/key_ring.h"
#include "wallet/ledger.h"
#include "wallet/records.h"

namespace spv::wallet {

/// What the folds read: the facts, which scripts are ours, and the height up to which blocks were scanned.
struct Books {
  const Ledger& ledger;
  const KeyRing& keys;
  chain::Height scanned = -1;
};

/// The sums of a wallet; a sum that forged unconfirmed transactions push beyond 21 million stops there.
Balance balance_of(const Books& books);
/// Confirmed coins in chain order, then unconfirmed ones by outpoint.
std::vector<Coin> coins_of(const Books& books);
/// Own outpoints that are unspent, spent by an unconfirmed transaction or spent by one of the last `depth` blocks,
/// and all inputs of unconfirmed transactions that are not conflicted. Sorted, each once.
std::vector<chain::OutPoint> watched_outpoints_of(const Books& books, chain::Height depth);
/// Every script up to the last used or issued one of each chain (at least the first), with what it received.
std::vector<ScriptEntry> addresses_of(const Books& books);
/// Blocks from the one of `height` to the last scanned one, at least one; zero where there is no height.
std::uint32_t confirmations_of(const std::optional<Confirmation>& confirmation, chain::Height scanned);

}  // namespace spv::wallet
