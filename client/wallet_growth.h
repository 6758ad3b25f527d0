// A wallet that watches more than before: a higher gap limit, further descriptors. What is scanned without them is
// owed a second look.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/stored_wallet.h"
#include "wallet/records.h"

namespace spv::client {

struct Growth {
  /// Not below that of the wallet.
  std::optional<std::uint32_t> gap_limit = std::nullopt;
  std::vector<wallet::KeyChainConfig> chains = {};
  /// The first block that may concern what is new; absent: that of the wallet. Below it, the wallet's goes down too.
  std::optional<chain::Height> birthday = std::nullopt;
};

/// What is stored then, for StoredWallet::reconfigure(). If blocks are scanned already, all from the birthday of
/// what is new are to be scanned again; with a higher gap limit, all from that of the wallet.
store::WalletContents grown(store::WalletContents before, const Growth& growth);

}  // namespace spv::client
