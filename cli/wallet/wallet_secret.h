// The secret of a wallet between its file and its user: put under a passphrase, and taken out again.
#pragma once

#include <optional>
#include <string>

#include "store/stored_wallet.h"
#include "util/secret.h"
#include "wallet/mnemonic.h"

namespace spv::cli {

/// A passphrase to be set: from a file, or asked for twice on the terminal. Throws CommandError for an empty one.
util::SecretBytes choose_passphrase(const std::string& file);
/// The same for a new wallet; nothing if its keys are not to be encrypted.
std::optional<util::SecretBytes> passphrase_if(bool encrypt, const std::string& file);
/// A seed as the file keeps it: sealed, or plain without a passphrase.
store::StoredSecret protect(const wallet::Seed& seed, const std::optional<util::SecretBytes>& passphrase,
                            chain::Network network);
/// The seed of a wallet. Where it is under a passphrase, that comes from the file or the terminal; a wrong one is a
/// CommandError with exit code 4. Throws CommandError for a watch-only wallet.
wallet::Seed unlock(store::StoredWallet& file, const std::string& passphrase_file);

}  // namespace spv::cli
