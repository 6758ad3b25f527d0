#include "wallet/spend/check_payment.h"

#include <algorithm>
#include <map>

namespace spv::wallet::spend {
namespace {

using ProvenCoins = std::map<chain::OutPoint, ProvenCoin>;

ProvenCoins proven_coins(const Wallet& wallet, const std::optional<chain::Txid>& replaced) {
  ProvenCoins coins;
  for (const auto& coin : wallet.coins()) {
    const bool mature = coin.spendable || !coin.height;
    coins[coin.outpoint] = {.output = {.value = coin.value, .script_pubkey = coin.script},
                            .spendable = mature && !coin.frozen && !coin.reserved};
  }
  const TxRecord* original = replaced ? wallet.find(*replaced) : nullptr;
  if (original == nullptr) return coins;
  for (const auto& input : original->tx.inputs) {
    const TxRecord* made = wallet.find(input.previous.txid);
    if (made == nullptr || input.previous.index >= made->tx.outputs.size()) continue;
    coins[input.previous] = {.output = made->tx.outputs[input.previous.index], .spendable = true};
  }
  return coins;
}

PaymentIntent intent_of(const Draft& draft, const PaymentTerms& terms) {
  PaymentIntent intent{.recipients = {},
                       .change_scripts = {},
                       .rate = terms.rate,
                       .allow_high_fee = terms.allow_high_fee,
                       .version = draft.tx.version,
                       .lock_time = draft.tx.lock_time,
                       .inputs = {}};
  for (const auto& output : draft.outputs) {
    if (!output.change) intent.recipients.push_back(output.output);
  }
  for (const auto& input : draft.tx.inputs) {
    intent.inputs.push_back({.outpoint = input.previous, .sequence = input.sequence});
  }
  if (terms.change_script) intent.change_scripts.push_back(*terms.change_script);
  return intent;
}

}  // namespace

util::Expected<FinalReport, PaymentError> check_payment(const chain::Transaction& tx, const Draft& draft,
                                                        const PaymentTerms& terms, const Wallet& wallet) {
  const ProvenCoins coins = proven_coins(wallet, terms.replaces);
  const WalletFacts facts{.coin = [&](const chain::OutPoint& outpoint) -> std::optional<ProvenCoin> {
                            const auto found = coins.find(outpoint);
                            return found == coins.end() ? std::nullopt : std::optional(found->second);
                          },
                          .is_own = [&](util::ByteView script) { return wallet.key_of(script).has_value(); }};
  const auto checked = check_finished(tx.serialize(), intent_of(draft, terms), facts);
  if (!checked)
    return refuse("final-check", "the finished transaction is not what was asked for: " + checked.error().message);
  return *checked;
}

}  // namespace spv::wallet::spend
