// Where a wallet stands on the best chain: a reorganisation that happened while it was away is found by its anchors.
#pragma once

#include "chain/header_chain.h"
#include "wallet/wallet.h"

namespace spv::sync {

/// The last scanned block if it is on the chain (or nothing was scanned), else the highest anchor that is, else a block
/// well below the birthday.
chain::BlockRef standing_of(const wallet::ScanState& scan, chain::Height birthday, const chain::HeaderChain& chain);

/// The first block that a wallet lacks.
chain::Height position_of(const wallet::Wallet& wallet);

}  // namespace spv::sync
