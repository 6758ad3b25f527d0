// From a mnemonic to the key chains of its wallet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "wallet/mnemonic.h"
#include "wallet/records.h"

namespace spv::cli {

/// Throws CommandError for a BIP39 passphrase that cannot be used.
wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase);
/// The chains of each account, each account once; `script` as --script has it. Throws UsageError for too many of them.
std::vector<wallet::KeyChainConfig> chains_of(const wallet::Seed& seed, const std::string& script,
                                              const std::vector<std::uint32_t>& accounts,
                                              const chain::NetworkParams& params);

}  // namespace spv::cli
