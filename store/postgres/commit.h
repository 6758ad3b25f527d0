// One commit of any number of wallets.
#pragma once

#include <span>

#include "store/postgres/backend.h"
#include "store/store.h"

namespace spv::store::postgres {

/// See Store::commit. One transaction, in one round trip; one more where a wallet watches more scripts than before.
void commit_batch(Backend& backend, std::span<WalletChanges> batch, util::UnixTime now);

}  // namespace spv::store::postgres
