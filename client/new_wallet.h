// New wallets: what they watch and where they begin. What needs a seed is in seed_wallet.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "store/store.h"
#include "util/expected.h"
#include "wallet/descriptor.h"
#include "wallet/records.h"

namespace spv::client {

/// The first block that may concern a wallet: a height, or a date that becomes one once the headers are known.
struct Birthday {
  chain::Height height = 0;
  std::optional<util::UnixTime> time;
};

/// Of a pair such as <0;1> the second is the change chain.
void add_pairs(const std::vector<wallet::Descriptor>& descriptors, std::vector<wallet::KeyChainConfig>& chains);
/// Of descriptors given one by one, as listdescriptors shows them, ".../1/*" beside its ".../0/*" is the change chain.
void mark_change(std::vector<wallet::KeyChainConfig>& chains);

/// Why something cannot be watched.
struct WatchError {
  enum class Kind { PrivateKey, BadDescriptor, BadAddress, BadXpub };
  Kind kind{};
  std::string message;
};
/// A complaint if the text has a private key, which a watch-only wallet must not get.
std::optional<WatchError> private_key_in(std::string_view text);
util::Expected<std::vector<wallet::Descriptor>, WatchError> parse_watched(const std::string& descriptor,
                                                                          const chain::NetworkParams& params);
/// Their chains, those for change marked.
util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_descriptors(
    const std::vector<std::string>& descriptors, const chain::NetworkParams& params);
util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_addresses(
    const std::vector<std::string>& addresses, const chain::NetworkParams& params);

struct NewWallet {
  std::vector<wallet::KeyChainConfig> chains;
  std::uint32_t gap_limit = wallet::kDefaultGapLimit;
  Birthday birthday;
  /// Without one the wallet is watch-only.
  std::optional<store::StoredSecret> secret;
  std::optional<std::array<std::uint8_t, 4>> fingerprint;
  /// Now, by the system's clock, if it is not given.
  std::optional<util::UnixTime> created = std::nullopt;
};
/// What a store keeps of it at first.
store::NewStoredWallet to_stored(chain::Network network, NewWallet wallet);

}  // namespace spv::client
