// What create, restore and watch say of the wallet that they have made.
#pragma once

#include <vector>

#include <boost/json/fwd.hpp>

#include "wallet/mnemonic.h"
#include "wallet/records.h"

namespace spv::cli {

struct CommonOptions;

/// The descriptors of the chains, as texts.
boost::json::array descriptors_json(const std::vector<wallet::KeyChainConfig>& chains);
/// One line each.
void print_descriptors(const boost::json::array& descriptors);

/// Name, master fingerprint and descriptors of a wallet that was made from a seed.
boost::json::object seed_wallet_json(const CommonOptions& common, const wallet::Seed& seed,
                                     const std::vector<wallet::KeyChainConfig>& chains);
/// The same for people.
void print_seed_wallet(const CommonOptions& common, const boost::json::object& document);
/// Who can read keys that are not under a passphrase.
std::string readers(const CommonOptions& common);
/// A note on stderr if the keys are not under a passphrase.
void print_plain_secret_note(const CommonOptions& common, bool encrypted);

}  // namespace spv::cli
