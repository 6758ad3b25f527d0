#include "wallet/spend/wallet_psbt.h"

namespace spv::wallet::spend {

// What a stranger sent and no block holds proves nothing: its amounts may be made up.
std::optional<KnownCoin> WalletPsbt::coin(const chain::OutPoint& outpoint) const {
  const TxRecord* record = wallet_.find(outpoint.txid);
  if (record == nullptr || outpoint.index >= record->tx.outputs.size()) return std::nullopt;
  if (!record->confirmation && !record->sending) return std::nullopt;
  return KnownCoin{.output = record->tx.outputs[outpoint.index], .previous = record->tx};
}

std::optional<KnownScript> WalletPsbt::script(util::ByteView script_pubkey) const {
  const auto key = wallet_.key_of(script_pubkey);
  if (!key) return std::nullopt;
  const KeyChainConfig& chain = wallet_.config().key_chains.at(key->chain);
  return KnownScript{.key = *key,
                     .change = chain.change,
                     .path = wallet_.path_of(key->chain, key->index),
                     .solution = solve(chain.descriptor, key->index)};
}

}  // namespace spv::wallet::spend
