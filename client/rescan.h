// Rescan: marks scanned blocks of a wallet, so that they are scanned again.
#pragma once

#include <string>

#include "util/expected.h"
#include "wallet/wallet.h"

namespace spv::client {

/// Why nothing can be scanned again: "below-birthday" or "not-scanned", and one line that says what to do.
struct RescanRefused {
  std::string code;
  std::string message;
};

/// The blocks from this one on are owed; what is returned is to be committed.
util::Expected<wallet::Changes, RescanRefused> owe_rescan(wallet::Wallet& wallet, chain::Height from);

}  // namespace spv::client
