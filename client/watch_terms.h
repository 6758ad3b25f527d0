// What a new watch-only wallet watches, as a request of the API or the command line has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/params.h"
#include "client/new_wallet.h"

namespace spv::client {

/// Any number of each.
struct WatchTerms {
  std::vector<std::string> descriptors = {};
  std::optional<std::string> xpub = std::nullopt;
  /// Of the xpub: pkh, sh-wpkh, wpkh, tr, or all of them. Absent: its prefix decides (SLIP-132), else wpkh.
  std::optional<std::string> script = std::nullopt;
  std::vector<std::string> addresses = {};
};

/// Receive and change chains of an account's xpub.
util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_xpub(const std::string& xpub,
                                                                               const std::optional<std::string>& script,
                                                                               const chain::NetworkParams& params);
/// All chains, each descriptor once. There are none if nothing is given.
util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_to_watch(const WatchTerms& terms,
                                                                                const chain::NetworkParams& params);

}  // namespace spv::client
