// Another program with the keys of a wallet uses addresses that the wallet does not watch yet.
#pragma once

#include <spv/client.h>
#include <string>

#include "wallet/script_table.h"

namespace spv::client {

/// The wallet watches its scripts up to this one and beyond, and its blocks are scanned again for them. It need not be
/// open, but it must be followed here or by nobody. From any thread; may block.
Result<void> hand_out_to(Client& client, const std::string& wallet, const wallet::KeyId& id);

}  // namespace spv::client
