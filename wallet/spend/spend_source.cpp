#include "wallet/spend/spend_source.h"

#include <algorithm>
#include <deque>
#include <set>

#include "util/codec.h"
#include "util/hash.h"

namespace spv::wallet::spend {
namespace {

CoinStanding standing_of(const Coin& coin) {
  if (coin.height)
    return coin.coinbase && coin.confirmations < std::uint32_t{chain::kCoinbaseMaturity} ? CoinStanding::Immature
                                                                                         : CoinStanding::Confirmed;
  return coin.own_change ? CoinStanding::OwnChange : CoinStanding::Foreign;
}

/// Known to nobody who does not have the wallet's file: not even its descriptors are enough to guess it.
std::array<std::uint8_t, 32> secret_of(const WalletConfig& config) {
  util::Writer in;
  in.integer(config.filter.decoy_seed).integer(config.filter.tweak);
  for (const auto& chain : config.key_chains) in.var_string(chain.descriptor.to_string());
  return util::tagged_sha256("spv/coin selection", in.data()).bytes;
}

}  // namespace

SpendSource::SpendSource(const Wallet& wallet, const SpendMoment& moment)
    : wallet_(wallet), moment_(moment), secret_(secret_of(wallet.config())) {
  for (const auto& chain : wallet.config().key_chains) {
    const auto solution = solve(chain.descriptor, 0);
    weights_.push_back(solution ? std::optional(input_weight(*solution)) : std::nullopt);
  }
  for (const auto& coin : wallet.coins()) coins_.push_back(to_candidate(coin));
  offer_change();
}

// A script that could be solved is worth little where its coins could not be spent: the first kind is the usual one.
void SpendSource::offer_change() {
  const auto offer = [this](bool change) {
    for (std::size_t chain = 0; chain < weights_.size(); ++chain) {
      if (wallet_.config().key_chains[chain].change != change) continue;
      const auto entry = wallet_.next_script(chain);
      if (!entry) continue;
      change_.push_back(
          {.script = entry->script, .key = KeyId{.chain = chain, .index = entry->index}, .weight = weights_[chain]});
    }
  };
  offer(true);
  // A wallet without change addresses takes it back to one of its own.
  if (change_.empty()) offer(false);
}

std::optional<Solution> SpendSource::solve_key(const KeyId& key) const {
  return solve(wallet_.config().key_chains.at(key.chain).descriptor, key.index);
}

Candidate SpendSource::to_candidate(const Coin& coin) const {
  return {.outpoint = coin.outpoint,
          .output = {.value = coin.value, .script_pubkey = coin.script},
          .key = KeyId{.chain = coin.chain, .index = coin.index},
          .weight = weights_.at(coin.chain),
          .standing = standing_of(coin),
          .ancestors = coin.ancestors,
          .reserved = coin.reserved,
          .frozen = coin.frozen};
}

SpendContext SpendSource::context() const {
  return {.coins = coins_,
          .change = change_,
          .secret = secret_,
          .tip = moment_.tip,
          .now = moment_.now,
          .floor = moment_.floor,
          .solve = [this](const KeyId& key) { return solve_key(key); },
          .previous = [this](const chain::Txid& txid) -> std::optional<chain::Transaction> {
            const TxRecord* record = wallet_.find(txid);
            if (record == nullptr) return std::nullopt;
            return record->tx;
          },
          .key_of = [this](util::ByteView script) { return wallet_.key_of(script); }};
}

Candidate SpendSource::spent_by(const chain::TxInput& input) const {
  Candidate coin;
  coin.outpoint = input.previous;
  const TxRecord* made = wallet_.find(input.previous.txid);
  if (made == nullptr || input.previous.index >= made->tx.outputs.size()) return coin;
  coin.output = made->tx.outputs[input.previous.index];
  coin.key = wallet_.key_of(coin.output.script_pubkey);
  if (coin.key) coin.weight = weights_.at(coin.key->chain);
  return coin;
}

std::vector<Descendant> SpendSource::descendants_of(const chain::Txid& txid) const {
  std::vector<HistoryEntry> left = wallet_.history();
  std::erase_if(left, [](const HistoryEntry& entry) { return entry.status != TxStatus::Unconfirmed; });
  std::set<chain::Txid> family{txid};
  std::vector<Descendant> found;
  const auto belongs = [&](const HistoryEntry& entry) {
    return std::ranges::any_of(wallet_.find(entry.txid)->tx.inputs,
                               [&](const chain::TxInput& input) { return family.contains(input.previous.txid); });
  };
  // They come in no fixed order: goes on until nothing is added. What waits for a block is a short list.
  for (auto next = std::ranges::find_if(left, belongs); next != left.end();
       next = std::ranges::find_if(left, belongs)) {
    if (next->txid != txid) found.push_back({.txid = next->txid, .fee = next->fee.value_or(0)});
    family.insert(next->txid);
    left.erase(next);
  }
  return found;
}

util::Expected<Original, PaymentError> SpendSource::original(const chain::Txid& txid) const {
  const TxRecord* record = wallet_.find(txid);
  const auto entry = record == nullptr ? std::nullopt : wallet_.entry(txid);
  if (!entry) return refuse("unknown-txid", "the wallet has no transaction " + util::to_string(txid));
  if (entry->status == TxStatus::Conflicted) {
    return refuse("nothing-to-bump", util::to_string(txid) + " does not count any more; see spv tx");
  }
  Original original{.tx = record->tx,
                    .confirmed = entry->status == TxStatus::Confirmed,
                    .inputs = {},
                    .outputs = {},
                    .descendants = descendants_of(txid)};
  for (const auto& input : record->tx.inputs) original.inputs.push_back(spent_by(input));
  for (const auto& output : record->tx.outputs) {
    const auto key = wallet_.key_of(output.script_pubkey);
    OriginalOutput ours{.key = key, .weight = std::nullopt, .change = false};
    if (key) {
      ours.weight = weights_.at(key->chain);
      ours.change = wallet_.config().key_chains.at(key->chain).change;
    }
    original.outputs.push_back(ours);
  }
  return original;
}

util::Expected<Parent, PaymentError> SpendSource::parent(const chain::Txid& txid) const {
  const TxRecord* record = wallet_.find(txid);
  const auto entry = record == nullptr ? std::nullopt : wallet_.entry(txid);
  if (!entry) return refuse("unknown-txid", "the wallet has no transaction " + util::to_string(txid));
  if (entry->status == TxStatus::Conflicted) {
    return refuse("nothing-to-bump", util::to_string(txid) + " does not count any more; see spv tx");
  }
  Parent parent{.txid = txid, .confirmed = entry->status == TxStatus::Confirmed, .vsize = 0, .fee = 0};
  std::map<chain::Txid, std::optional<chain::Amount>> fees;  // of what waits for a block
  for (const auto& each : wallet_.history()) {
    if (each.status == TxStatus::Unconfirmed) fees.emplace(each.txid, each.fee);
  }
  std::deque<chain::Txid> todo{txid};
  while (!todo.empty()) {
    const auto next = fees.extract(todo.front());
    todo.pop_front();
    if (next.empty()) continue;
    const chain::Transaction& tx = wallet_.find(next.key())->tx;
    parent.vsize += estimated_vsize(tx);
    parent.fee = parent.fee && next.mapped() ? std::optional(*parent.fee + *next.mapped()) : std::nullopt;
    for (const auto& input : tx.inputs) todo.push_back(input.previous.txid);
  }
  return parent;
}

}  // namespace spv::wallet::spend
