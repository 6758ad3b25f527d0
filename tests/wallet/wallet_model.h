// The wallet's rules, written down once more in squares and cubes of the number of transactions, without an index or a
// shortcut: what a wallet of sample_config() must answer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "tests/wallet/wallet_samples.h"

namespace spv::test {

using wallet::TxStatus;

/// What is compared.
struct Answer {
  chain::Amount confirmed = 0;
  chain::Amount unconfirmed = 0;
  std::map<chain::OutPoint, chain::Amount> coins;
  /// Status, net, fee, and what counts instead.
  using History = std::tuple<TxStatus, chain::Amount, std::optional<chain::Amount>, std::optional<chain::Txid>>;
  std::map<chain::Txid, History> history;
  std::set<chain::OutPoint> watched;
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Some transactions, and what has been seen of each.
class Model {
 public:
  struct Entry {
    chain::Transaction tx;
    bool seen = false;
    bool held = false;
    std::optional<chain::Height> height;
    int sequence = 0;
    TxStatus status = TxStatus::Unconfirmed;
  };

  explicit Model(std::vector<chain::Transaction> universe) {
    for (auto& tx : universe) {
      entries_.emplace_back();
      entries_.back().tx = std::move(tx);
    }
  }

  void see(std::size_t i) {
    entries_[i].seen = true;
    if (!entries_[i].height) entries_[i].sequence = ++counter_;
  }
  // Whether a block could hold it: all parents confirmed, no rival confirmed.
  bool can_confirm(std::size_t i) const {
    for (const auto& input : entries_[i].tx.inputs) {
      for (const Entry& other : entries_) {
        if (other.tx.txid() == input.previous.txid && !other.height) return false;
        if (&other != &entries_[i] && other.height && spends(other, input.previous)) return false;
      }
    }
    return !entries_[i].height;
  }
  void confirm(std::size_t i, chain::Height height) {
    entries_[i].seen = true;
    entries_[i].height = height;
  }
  void disconnect_above(chain::Height height) {
    for (Entry& entry : entries_) {  // in the universe parents stand before children, and rivals are never both here
      if (!entry.height || *entry.height <= height) continue;
      entry.height.reset();
      entry.sequence = ++counter_;
    }
  }

  Answer answer() {
    hold();
    judge();
    Answer out;
    for (const Entry& entry : entries_) {
      if (entry.held) add(entry, out);
    }
    return out;
  }

 private:
  static bool spends(const Entry& entry, const chain::OutPoint& outpoint) {
    for (const auto& input : entry.tx.inputs) {
      if (input.previous == outpoint) return true;
    }
    return false;
  }
  static bool is_own(const chain::TxOutput& output) {
    static const std::set<util::Bytes> kScripts{receive_script(0), receive_script(1), receive_script(2),
                                                receive_script(3)};
    return kScripts.contains(output.script_pubkey);
  }
  const Entry* held(const chain::Txid& txid) const {
    for (const Entry& entry : entries_) {
      if (entry.held && entry.tx.txid() == txid) return &entry;
    }
    return nullptr;
  }
  // Some inputs of the universe name an output that their parent does not have.
  const Entry* held_parent(const chain::OutPoint& outpoint) const {
    const Entry* parent = held(outpoint.txid);
    return parent != nullptr && outpoint.index < parent->tx.outputs.size() ? parent : nullptr;
  }
  bool is_relevant(const Entry& entry) const {
    for (const auto& output : entry.tx.outputs) {
      if (is_own(output)) return true;
    }
    for (const auto& input : entry.tx.inputs) {
      const Entry* parent = held_parent(input.previous);
      if (parent != nullptr && is_own(parent->tx.outputs[input.previous.index])) return true;
      for (const Entry& other : entries_) {
        if (other.held && &other != &entry && spends(other, input.previous)) return true;
      }
    }
    return false;
  }
  void hold() {
    for (bool again = true; again;) {
      again = false;
      for (Entry& entry : entries_) {
        if (!entry.seen || entry.held || !is_relevant(entry)) continue;
        entry.held = again = true;
      }
    }
  }
  bool has_rival(const Entry& entry, bool confirmed) const {
    for (const auto& input : entry.tx.inputs) {
      for (const Entry& other : entries_) {
        if (!other.held || &other == &entry || !spends(other, input.previous)) continue;
        if (confirmed && other.height) return true;
        if (!confirmed && other.status == TxStatus::Unconfirmed && other.sequence > entry.sequence) return true;
      }
    }
    return false;
  }
  void conflict_descendants() {
    for (bool again = true; again;) {
      again = false;
      for (Entry& entry : entries_) {
        if (!entry.held || entry.status != TxStatus::Unconfirmed) continue;
        for (const auto& input : entry.tx.inputs) {
          const Entry* parent = held(input.previous.txid);
          if (parent == nullptr || parent->status != TxStatus::Conflicted) continue;
          entry.status = TxStatus::Conflicted;
          again = true;
        }
      }
    }
  }
  void judge() {
    for (Entry& entry : entries_) entry.status = entry.height ? TxStatus::Confirmed : TxStatus::Unconfirmed;
    for (Entry& entry : entries_) {
      if (entry.held && !entry.height && has_rival(entry, true)) entry.status = TxStatus::Conflicted;
    }
    conflict_descendants();
    std::vector<Entry*> replaced;
    for (Entry& entry : entries_) {
      if (entry.held && entry.status == TxStatus::Unconfirmed && has_rival(entry, false)) replaced.push_back(&entry);
    }
    for (Entry* entry : replaced) entry->status = TxStatus::Conflicted;
    conflict_descendants();
  }
  // What counts instead of a conflicted one: a confirmed one if there is, else that of the lowest outpoint.
  std::optional<chain::Txid> rival_of(const Entry& entry) const {
    std::map<chain::OutPoint, chain::Txid> unconfirmed;
    std::map<chain::OutPoint, chain::Txid> confirmed;
    if (entry.status != TxStatus::Conflicted) return {};
    for (const auto& input : entry.tx.inputs) {
      for (const Entry& other : entries_) {
        if (!other.held || other.status == TxStatus::Conflicted || !spends(other, input.previous)) continue;
        (other.height ? confirmed : unconfirmed).emplace(input.previous, other.tx.txid());
      }
    }
    const auto& rivals = confirmed.empty() ? unconfirmed : confirmed;
    return rivals.empty() ? std::nullopt : std::optional(rivals.begin()->second);
  }
  bool is_spent(const chain::OutPoint& outpoint, TxStatus by) const {
    for (const Entry& entry : entries_) {
      if (entry.held && entry.status == by && spends(entry, outpoint)) return true;
    }
    return false;
  }
  void add(const Entry& entry, Answer& out) const {
    chain::Amount net = 0;
    std::optional<chain::Amount> fee = 0;  // where every input is ours
    bool ours = false;
    for (std::uint32_t n = 0; n < entry.tx.outputs.size(); ++n) {
      const auto& output = entry.tx.outputs[n];
      const chain::OutPoint outpoint{entry.tx.txid(), n};
      if (fee) *fee -= output.value;
      if (!is_own(output)) continue;
      ours = true;
      net += output.value;
      if (entry.status == TxStatus::Conflicted) continue;
      out.watched.insert(outpoint);  // no spend is buried in so short a chain
      if (is_spent(outpoint, TxStatus::Confirmed)) continue;
      if (entry.height) out.confirmed += output.value;
      if (!is_spent(outpoint, TxStatus::Unconfirmed)) out.coins[outpoint] = output.value;
    }
    for (const auto& input : entry.tx.inputs) {
      if (entry.status == TxStatus::Unconfirmed) out.watched.insert(input.previous);
      const Entry* parent = held_parent(input.previous);
      if (parent == nullptr || !is_own(parent->tx.outputs[input.previous.index])) {
        fee.reset();
        continue;
      }
      const auto& spent = parent->tx.outputs[input.previous.index];
      ours = true;
      if (fee) *fee += spent.value;
      net -= spent.value;
    }
    if (fee && *fee < 0) fee.reset();
    if (entry.status == TxStatus::Unconfirmed) out.unconfirmed += net;
    if (!ours) return;  // a stranger's, that conflicts with one of ours
    out.history[entry.tx.txid()] = {entry.status, net, fee, rival_of(entry)};
  }

  std::vector<Entry> entries_;
  int counter_ = 0;
};

inline Answer answer_of(const wallet::Wallet& wallet) {
  Answer out;
  out.confirmed = wallet.balance().confirmed;
  out.unconfirmed = wallet.balance().unconfirmed;
  for (const auto& coin : wallet.coins()) out.coins[coin.outpoint] = coin.value;
  for (const auto& entry : wallet.history()) {
    out.history[entry.txid] = {entry.status, entry.net, entry.fee, entry.replaced_by};
  }
  for (const auto& outpoint : wallet.watched_outpoints()) out.watched.insert(outpoint);
  return out;
}

}  // namespace spv::test
