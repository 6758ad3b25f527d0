#include "wallet/balance.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "wallet/amount_sum.h"

namespace spv::wallet {
namespace {

/// Of all inputs of unconfirmed transactions together.
constexpr std::size_t kMaxWatchedInputs = 500;

// One output of ours, and who spends it.
struct HeldOutput {
  std::size_t place = 0;
  chain::OutPoint outpoint;
  const chain::TxOutput& output;
  KeyId key;
  std::optional<chain::Height> spent_at;  // highest block that spends it
  bool spent_by_active = false;
  bool spent_by_unconfirmed = false;
};

void note_spenders(const Ledger& ledger, const std::vector<TxStatus>& statuses, HeldOutput& own) {
  for (const std::size_t spender : ledger.spenders(own.outpoint)) {
    if (statuses[spender] == TxStatus::Confirmed) {
      own.spent_at = std::max(own.spent_at.value_or(-1), ledger.records()[spender].confirmation->block.height);
    } else {
      own.spent_by_unconfirmed = true;
      own.spent_by_active = own.spent_by_active || statuses[spender] == TxStatus::Unconfirmed;
    }
  }
}

template <typename Visit>
void for_each_own_output(const Books& books, const std::vector<TxStatus>& statuses, Visit visit) {
  for (std::size_t place = 0; place < statuses.size(); ++place) {
    if (statuses[place] == TxStatus::Conflicted) continue;
    const TxRecord& record = books.ledger.records()[place];
    for (std::uint32_t n = 0; n < record.tx.outputs.size(); ++n) {
      const auto key = books.keys.find(record.tx.outputs[n].script_pubkey);
      if (!key) continue;
      HeldOutput own{.place = place,
                     .outpoint = {.txid = record.txid, .index = n},
                     .output = record.tx.outputs[n],
                     .key = *key,
                     .spent_at = std::nullopt};
      note_spenders(books.ledger, statuses, own);
      visit(own);
    }
  }
}

// What the unconfirmed transactions before a coin tell of it.
struct Ancestry {
  bool own = true;  // this wallet made them all, of its own coins, and peers took them
  std::uint32_t count = 0;
};

bool spends_ours_alone(const Books& books, const TxRecord& record) {
  return std::ranges::all_of(record.tx.inputs, [&](const chain::TxInput& input) {
    const chain::TxOutput* spent = books.ledger.output(input.previous);
    return spent != nullptr && books.keys.find(spent->script_pubkey).has_value();
  });
}

// From an unconfirmed transaction upwards, itself included. Ends at what is not our own, and at kMaxAncestors: bounded,
// whatever strangers send us.
Ancestry ancestry_of(const Books& books, const TxRecord& from) {
  Ancestry out;
  std::set<const TxRecord*> known{&from};
  std::vector<const TxRecord*> todo{&from};
  while (!todo.empty() && out.own && known.size() <= kMaxAncestors) {
    const TxRecord& record = *todo.back();
    todo.pop_back();
    out.own = record.sending && is_taken(record.sending->state) && spends_ours_alone(books, record);
    if (!out.own) break;
    for (const auto& input : record.tx.inputs) {
      const TxRecord* parent = books.ledger.find(input.previous.txid);
      if (!parent->confirmation && known.insert(parent).second) todo.push_back(parent);
    }
  }
  out.count = static_cast<std::uint32_t>(std::min<std::size_t>(known.size(), kMaxAncestors + 1));
  return out;
}

/// Walks once for all outputs of a transaction, which come one after the other.
class Ancestors {
 public:
  explicit Ancestors(const Books& books) : books_(books) {}
  void note(std::size_t place, Coin& coin) {
    if (std::exchange(place_, place) != place) last_ = ancestry_of(books_, books_.ledger.records()[place]);
    coin.own_change = last_.own;
    coin.ancestors = last_.count;
  }

 private:
  const Books& books_;
  std::optional<std::size_t> place_;
  Ancestry last_;
};

Coin coin_of(const Books& books, const HeldOutput& own) {
  const TxRecord& record = books.ledger.records()[own.place];
  Coin coin;
  coin.outpoint = own.outpoint;
  coin.value = own.output.value;
  coin.script = own.output.script_pubkey;
  coin.chain = own.key.chain;
  coin.index = own.key.index;
  if (record.confirmation) coin.height = record.confirmation->block.height;
  coin.coinbase = record.tx.is_coinbase();
  coin.confirmations = confirmations_of(record.confirmation, books.scanned);
  coin.frozen = books.frozen.contains(own.outpoint);
  coin.spendable = record.confirmation.has_value() && !is_immature(record, books.scanned) && !coin.frozen;
  return coin;
}

}  // namespace

std::uint32_t confirmations_of(const std::optional<Confirmation>& confirmation, chain::Height scanned) {
  if (!confirmation) return 0;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(std::int64_t{scanned} - confirmation->block.height + 1, 1));
}

bool is_immature(const TxRecord& record, chain::Height scanned) {
  return record.tx.is_coinbase() &&
         confirmations_of(record.confirmation, scanned) < std::uint32_t{chain::kCoinbaseMaturity};
}

Balance balance_of(const Books& books) {
  AmountSum confirmed;
  AmountSum immature;
  AmountSum unconfirmed;
  const auto statuses = books.ledger.statuses(books.scanned);
  for_each_own_output(books, statuses, [&](const HeldOutput& own) {
    if (own.spent_at) return;
    const TxRecord& record = books.ledger.records()[own.place];
    if (!record.confirmation) {
      unconfirmed.add(own.output.value);
    } else {
      (is_immature(record, books.scanned) ? immature : confirmed).add(own.output.value);
    }
    if (own.spent_by_active) unconfirmed.subtract(own.output.value);
  });
  return {.confirmed = confirmed.clamped(), .unconfirmed = unconfirmed.clamped(), .immature = immature.clamped()};
}

std::vector<Coin> coins_of(const Books& books) {
  struct Entry {
    chain::Height height;
    std::uint32_t index;
    Coin coin;
  };
  std::vector<Entry> entries;
  const auto statuses = books.ledger.statuses(books.scanned);
  const auto reserving = books.ledger.reserving();
  Ancestors ancestors(books);
  for_each_own_output(books, statuses, [&](const HeldOutput& own) {
    if (own.spent_at || own.spent_by_active) return;
    const auto& at = books.ledger.records()[own.place].confirmation;
    Entry& entry = entries.emplace_back(Entry{at ? at->block.height : std::numeric_limits<chain::Height>::max(),
                                              at ? at->index : 0, coin_of(books, own)});
    for (const std::size_t by : books.ledger.spenders(own.outpoint)) {
      entry.coin.reserved = entry.coin.reserved || reserving[by];
    }
    entry.coin.spendable = entry.coin.spendable && !entry.coin.reserved;
    if (!at) ancestors.note(own.place, entry.coin);
  });
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.height, a.index, a.coin.outpoint) < std::tie(b.height, b.index, b.coin.outpoint);
  });
  std::vector<Coin> coins;
  coins.reserve(entries.size());
  for (Entry& entry : entries) coins.push_back(std::move(entry.coin));
  return coins;
}

std::vector<chain::OutPoint> watched_outpoints_of(const Books& books, chain::Height depth) {
  std::vector<chain::OutPoint> watched;
  const auto statuses = books.ledger.statuses(books.scanned);
  for_each_own_output(books, statuses, [&](const HeldOutput& own) {
    const bool spent_lately = own.spent_at && std::int64_t{*own.spent_at} + depth > books.scanned;
    if (!own.spent_at || own.spent_by_unconfirmed || spent_lately) watched.push_back(own.outpoint);
  });
  // Anybody can send us payments with any number of inputs that do not exist: the newest few are watched, so that
  // they cannot fill the filter.
  std::size_t room = kMaxWatchedInputs;
  for (std::size_t place = statuses.size(); place-- > 0;) {
    const auto& inputs = books.ledger.records()[place].tx.inputs;
    if (statuses[place] != TxStatus::Unconfirmed || inputs.size() > room) continue;
    room -= inputs.size();
    for (const auto& input : inputs) watched.push_back(input.previous);
  }
  std::sort(watched.begin(), watched.end());
  watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
  return watched;
}

std::vector<ScriptEntry> addresses_of(const Books& books) {
  struct Receipt {
    bool used = false;
    AmountSum received;
  };
  std::vector<std::vector<Receipt>> receipts(books.keys.chain_count());
  for (std::size_t chain = 0; chain < receipts.size(); ++chain) {
    const KeyChainState& state = books.keys.state(chain);
    const std::uint32_t used = state.last_used ? *state.last_used + 1 : 0;
    const auto shown = std::max({used, state.next_unissued, std::uint32_t{1}});
    receipts[chain].resize(std::min<std::size_t>(shown, books.keys.scripts(chain).size()));
  }
  const auto statuses = books.ledger.statuses(books.scanned);
  for (std::size_t place = 0; place < statuses.size(); ++place) {
    for (const auto& output : books.ledger.records()[place].tx.outputs) {
      const auto key = books.keys.find(output.script_pubkey);
      if (!key || key->index >= receipts[key->chain].size()) continue;
      receipts[key->chain][key->index].used = true;
      if (statuses[place] != TxStatus::Conflicted) receipts[key->chain][key->index].received.add(output.value);
    }
  }
  std::vector<ScriptEntry> entries;
  for (std::size_t chain = 0; chain < receipts.size(); ++chain) {
    for (std::uint32_t index = 0; index < receipts[chain].size(); ++index) {
      const auto first = books.keys.find(books.keys.script({chain, index}));
      const bool elsewhere = first && *first != KeyId{chain, index} && first->index < receipts[first->chain].size();
      if (elsewhere) continue;  // listed there, with what it received
      const Receipt& receipt = receipts[chain][index];
      entries.push_back({.chain = chain,
                         .index = index,
                         .script = util::to_bytes(books.keys.script({chain, index})),
                         .used = receipt.used,
                         .received = receipt.received.clamped()});
    }
  }
  return entries;
}

}  // namespace spv::wallet
