#include "client/watch_terms.h"

#include <set>

#include "wallet/account.h"

namespace spv::client {
namespace {

using wallet::ScriptKind;

/// One that is nothing is left to the prefix; none at all: the word is unknown.
std::vector<std::optional<ScriptKind>> kinds_of(const std::optional<std::string>& script) {
  if (!script) return {std::nullopt};
  if (*script == "all") return {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr};
  const auto kind = wallet::parse_script_kind(*script);
  if (!kind) return {};
  return {kind};
}

}  // namespace

util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_of_xpub(const std::string& xpub,
                                                                               const std::optional<std::string>& script,
                                                                               const chain::NetworkParams& params) {
  if (const auto wrong = private_key_in(xpub)) return util::Unexpected{*wrong};
  const auto kinds = kinds_of(script);
  if (kinds.empty()) {
    return util::Unexpected{WatchError{WatchError::Kind::BadXpub,
                                       "'" + *script + "' is not a script type; use pkh, sh-wpkh, wpkh, tr or all"}};
  }
  std::vector<wallet::KeyChainConfig> chains;
  for (const auto& kind : kinds) {
    const auto pair = wallet::descriptors_of_xpub(xpub, kind, params);
    if (!pair) return util::Unexpected{WatchError{WatchError::Kind::BadXpub, pair.error().message}};
    add_pairs(*pair, chains);
  }
  return chains;
}

util::Expected<std::vector<wallet::KeyChainConfig>, WatchError> chains_to_watch(const WatchTerms& terms,
                                                                                const chain::NetworkParams& params) {
  auto chains = chains_of_descriptors(terms.descriptors, params);
  if (!chains) return chains;
  if (terms.xpub) {
    const auto more = chains_of_xpub(*terms.xpub, terms.script, params);
    if (!more) return util::Unexpected{more.error()};
    chains->insert(chains->end(), more->begin(), more->end());
  }
  const auto fixed = chains_of_addresses(terms.addresses, params);
  if (!fixed) return util::Unexpected{fixed.error()};
  chains->insert(chains->end(), fixed->begin(), fixed->end());
  std::set<std::string> texts;
  std::erase_if(*chains, [&](const auto& chain) { return !texts.insert(chain.descriptor.to_string()).second; });
  return chains;
}

}  // namespace spv::client
