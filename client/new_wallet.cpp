#include "client/new_wallet.h"

#include <set>

#include "net/clock.h"
#include "wallet/address.h"
#include "wallet/private_key_text.h"
#include "wallet/wallet.h"

namespace spv::client {
namespace {

std::string without_checksum(const wallet::Descriptor& descriptor) {
  const std::string text = descriptor.to_string();
  return text.substr(0, text.rfind('#'));
}

// The text of the receive chain, were this the change chain beside it.
std::string as_receive_chain(std::string text) {
  for (auto at = text.find("/1/*"); at != std::string::npos; at = text.find("/1/*", at)) text[at + 1] = '0';
  return text;
}

wallet::FilterIdentity fresh_filter_identity() {
  util::Rng rng(net::system_entropy());
  return {.tweak = static_cast<std::uint32_t>(rng.next()), .decoy_seed = rng.next()};
}

// Stored with it, so that nobody derives them again.
wallet::WalletState with_scripts(const wallet::WalletConfig& config, wallet::WalletState state) {
  auto derived = wallet::Wallet(config, state).take_derived();
  state.scripts.resize(config.key_chains.size());
  for (auto& each : derived.scripts) state.scripts[each.chain] = std::move(each.scripts);
  return state;
}

}  // namespace

void add_pairs(const std::vector<wallet::Descriptor>& descriptors, std::vector<wallet::KeyChainConfig>& chains) {
  for (std::size_t i = 0; i < descriptors.size(); ++i) chains.push_back({descriptors[i], i == 1});
}

void mark_change(std::vector<wallet::KeyChainConfig>& chains) {
  std::set<std::string> texts;
  for (const auto& chain : chains) texts.insert(without_checksum(chain.descriptor));
  for (auto& chain : chains) {
    const std::string text = without_checksum(chain.descriptor);
    const std::string receive = as_receive_chain(text);
    chain.change = chain.change || (receive != text && texts.contains(receive));
  }
}

std::optional<WatchError> private_key_in(std::string_view text) {
  if (!wallet::has_private_key(text)) return std::nullopt;
  return WatchError{WatchError::Kind::PrivateKey,
                    "a watch-only wallet takes no private keys; give the public form of the descriptor"};
}

util::Expected<std::vector<wallet::Descriptor>, WatchError> parse_watched(const std::string& descriptor,
                                                                          const chain::NetworkParams& params) {
  if (auto wrong = private_key_in(descriptor)) return util::Unexpected{std::move(*wrong)};
  auto parsed = wallet::Descriptor::parse(descriptor, params);
  if (!parsed) return util::Unexpected{WatchError{WatchError::Kind::BadDescriptor, parsed.error().message}};
  return std::move(*parsed);
}

util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_descriptors(
    const std::vector<std::string>& descriptors, const chain::NetworkParams& params) {
  std::vector<wallet::KeyChainConfig> chains;
  for (const auto& text : descriptors) {
    const auto parsed = parse_watched(text, params);
    if (!parsed) return util::Unexpected{parsed.error()};
    add_pairs(*parsed, chains);
  }
  mark_change(chains);
  return chains;
}

util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_addresses(
    const std::vector<std::string>& addresses, const chain::NetworkParams& params) {
  std::vector<wallet::KeyChainConfig> chains;
  for (const auto& address : addresses) {
    const auto script = wallet::script_of_address(address, params);
    if (!script) return util::Unexpected{WatchError{WatchError::Kind::BadAddress, script.error().message}};
    const auto parsed = parse_watched("addr(" + address + ")", params);
    if (!parsed) return util::Unexpected{parsed.error()};
    add_pairs(*parsed, chains);
  }
  return chains;
}

store::NewStoredWallet to_stored(chain::Network network, NewWallet wallet) {
  wallet::WalletConfig config;
  config.network = network;
  config.key_chains = std::move(wallet.chains);
  config.gap_limit = wallet.gap_limit;
  config.birthday = wallet.birthday.height;
  config.birthday_time = wallet.birthday.time;
  config.filter = fresh_filter_identity();
  store::WalletInfo info;
  info.kind = wallet.secret ? store::WalletKind::Mnemonic : store::WalletKind::Watch;
  info.created = wallet.created ? *wallet.created : net::read_clock().wall;
  info.fingerprint = wallet.fingerprint;
  auto state = with_scripts(config, wallet::Wallet::fresh_state(config));
  return {{std::move(config), std::move(state)}, info, std::move(wallet.secret)};
}

}  // namespace spv::client
