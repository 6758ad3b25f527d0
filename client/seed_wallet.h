// Wallets from a seed: their key chains, and the seed as their file keeps it. Left out with SPV_WITH_SECRETS=OFF.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/params.h"
#include "store/stored_wallet.h"
#include "util/expected.h"
#include "util/secret.h"
#include "wallet/mnemonic.h"
#include "wallet/records.h"
#include "wallet/secret_box.h"

namespace spv::client {

/// Receive and change chains of an account; `script`: pkh, sh-wpkh, wpkh, tr, or all of them. Nothing for another
/// word, and for a seed without a master key (one in 2^127).
std::optional<std::vector<wallet::KeyChainConfig>> chains_of_seed(const wallet::Seed& seed, const std::string& script,
                                                                  std::uint32_t account,
                                                                  const chain::NetworkParams& params);

/// A seed as the file keeps it: sealed, or plain without a passphrase.
util::Expected<store::StoredSecret, wallet::SecretBoxError> protect(const wallet::Seed& seed,
                                                                    const std::optional<util::SecretBytes>& passphrase,
                                                                    chain::Network network);

}  // namespace spv::client
