// Changes a wallet while it is closed: what a scan must start anew for.
#pragma once

#include <functional>
#include <spv/client.h>
#include <string>

#include "client/open_wallet.h"

namespace spv::client {

/// Closes a wallet, changes it as it is stored, and opens it again: it takes the place of one that has blocks to catch
/// up on. What could not be committed is in the blocks that are scanned again.
Result<void> change_closed(Client& client, const std::string& wallet,
                           const std::function<Result<void>(OpenWallet&)>& change);

}  // namespace spv::client
