#include "client/seed_wallet.h"

#include "net/clock.h"
#include "wallet/account.h"

namespace spv::client {
namespace {

using wallet::ScriptKind;

std::vector<ScriptKind> script_kinds(const std::string& name) {
  if (name == "all") return {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr};
  const auto kind = wallet::parse_script_kind(name);
  return kind ? std::vector<ScriptKind>{*kind} : std::vector<ScriptKind>{};
}

}  // namespace

std::optional<std::vector<wallet::KeyChainConfig>> chains_of_seed(const wallet::Seed& seed, const std::string& script,
                                                                  std::uint32_t account,
                                                                  const chain::NetworkParams& params) {
  std::vector<wallet::KeyChainConfig> chains;
  for (const ScriptKind kind : script_kinds(script)) {
    const auto pair = wallet::account_descriptors(seed, kind, account, params);
    if (!pair) return std::nullopt;
    chains.push_back({pair->at(0), false});
    chains.push_back({pair->at(1), true});
  }
  if (chains.empty()) return std::nullopt;
  return chains;
}

util::Expected<store::StoredSecret, wallet::SecretBoxError> protect(const wallet::Seed& seed,
                                                                    const std::optional<util::SecretBytes>& passphrase,
                                                                    chain::Network network) {
  using Format = store::StoredSecret::Format;
  if (!passphrase) {
    return store::StoredSecret{.format = Format::Plain, .data = {seed.bytes.begin(), seed.bytes.end()}};
  }
  wallet::BoxEntropy entropy;
  net::fill_with_entropy(entropy.salt);
  net::fill_with_entropy(entropy.nonce);
  auto box = wallet::seal_secret(seed.view(), *passphrase, network, entropy);
  if (!box) return util::Unexpected{box.error()};
  return store::StoredSecret{.format = Format::Encrypted, .data = std::move(*box)};
}

}  // namespace spv::client
