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

using wallet::SendState;
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
  std::set<chain::OutPoint> reserved;
  std::map<chain::Txid, SendState> sent;
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
    std::optional<SendState> sent;
    std::size_t place = 0;  // in the order of arrival
  };

  explicit Model(std::vector<chain::Transaction> universe) {
    for (auto& tx : universe) {
      entries_.emplace_back();
      entries_.back().tx = std::move(tx);
    }
  }

  void see(std::size_t i) {
    Entry& entry = entries_[i];
    entry.seen = true;
    if (entry.sent) entry.sent = SendState::Accepted;
    if (!entry.height && !is_replaced_by_own(entry)) entry.sequence = ++counter_;
  }
  /// The order in which the wallet holds them, which tells a replacement from its original.
  void note_order(const std::deque<wallet::TxRecord>& records) {
    for (Entry& entry : entries_) {
      for (std::size_t n = 0; n < records.size(); ++n) {
        if (records[n].txid == entry.tx.txid()) entry.place = n;
      }
    }
  }
  /// Whether the wallet may store it as its own payment, others paying along.
  bool can_add(std::size_t i, std::optional<std::size_t> replaces) {
    static_cast<void>(answer());
    const Entry& entry = entries_[i];
    if (entry.height) return false;
    if (replaces) {
      const Entry& original = entries_[*replaces];
      if (*replaces == i || !original.held || original.height) return false;
      for (const auto& input : original.tx.inputs) {
        if (!spends(entry, input.previous)) return false;
      }
    }
    bool pays = false;
    for (const auto& input : entry.tx.inputs) {
      const Entry* parent = held_parent(input.previous);
      const bool ours = parent != nullptr && is_own(parent->tx.outputs[input.previous.index]);
      pays = pays || ours;
      if (ours && parent->status == TxStatus::Conflicted) return false;
      for (std::size_t n = 0; n < entries_.size(); ++n) {
        const Entry& other = entries_[n];
        if (n == i || !other.held || !spends(other, input.previous)) continue;
        if (replaces == n && !other.height) continue;
        if (other.status != TxStatus::Conflicted || is_reserving(other)) return false;
      }
    }
    return pays;
  }
  void add_own(std::size_t i, SendState state) {
    Entry& entry = entries_[i];
    entry.seen = true;
    if (entry.sent && is_out(*entry.sent)) return;
    entry.sent = entry.held && !entry.sent ? SendState::Accepted : state;
    if (!entry.held || is_out(*entry.sent)) entry.sequence = ++counter_;
  }
  void set_send_state(std::size_t i, SendState state) {
    Entry& entry = entries_[i];
    if (!entry.sent || entry.height || *entry.sent == SendState::Abandoned || !is_out(state)) return;
    if (*entry.sent == SendState::Accepted) return;
    if (*entry.sent == SendState::Fetched && state != SendState::Accepted) return;
    if (*entry.sent == SendState::NotSent) entry.sequence = ++counter_;
    entry.sent = state;
  }
  /// Whether the user may give it up; if so it is done.
  bool abandon(std::size_t i) {
    static_cast<void>(answer());
    if (!entries_[i].held || !entries_[i].sent || *entries_[i].sent == SendState::Abandoned) return false;
    std::set<std::size_t> all{i};
    for (bool again = true; again;) {
      again = false;
      for (std::size_t n = 0; n < entries_.size(); ++n) {
        for (const auto& input : entries_[n].tx.inputs) {
          for (const std::size_t parent : std::set(all)) {
            if (!entries_[n].held || entries_[parent].tx.txid() != input.previous.txid) continue;
            again = all.insert(n).second || again;
          }
        }
      }
    }
    const auto is_given_up = [&](const Entry& entry) { return !entry.sent || *entry.sent == SendState::Abandoned; };
    for (const std::size_t n : all) {
      if (is_given_up(entries_[n])) continue;
      if (entries_[n].height || (is_reserving(entries_[n]) && is_taken(*entries_[n].sent))) return false;
    }
    for (const std::size_t n : all) {
      if (!is_given_up(entries_[n])) entries_[n].sent = SendState::Abandoned;
    }
    return true;
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
    if (entries_[i].sent) entries_[i].sent = SendState::Accepted;
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
  bool is_replaced_by_own(const Entry& entry) const {
    for (const auto& input : entry.tx.inputs) {
      for (const Entry& other : entries_) {
        if (!entry.held || !other.held || !spends(other, input.previous) || other.height) continue;
        if (!other.sent || !is_out(*other.sent)) continue;
        if (other.place > entry.place && other.sequence > entry.sequence) return true;
      }
    }
    return false;
  }
  // A block rules it out, or one that it descends from.
  bool is_dead(const Entry& entry) const {
    if (entry.height) return false;
    if (has_rival(entry, true)) return true;
    for (const auto& input : entry.tx.inputs) {
      const Entry* parent = held(input.previous.txid);
      if (parent != nullptr && is_dead(*parent)) return true;
    }
    return false;
  }
  bool is_reserving(const Entry& entry) const {
    return entry.held && entry.sent && *entry.sent != SendState::Abandoned && !entry.height && !is_dead(entry);
  }
  // For another one, or because it descends from what is.
  bool is_lost(const Entry& entry) const {
    if (entry.status != TxStatus::Conflicted) return false;
    if (rival_of(entry)) return true;
    for (const auto& input : entry.tx.inputs) {
      const Entry* parent = held(input.previous.txid);
      if (parent != nullptr && is_lost(*parent)) return true;
    }
    return false;
  }
  bool is_kept_back(const Entry& entry) const {
    return entry.sent == SendState::NotSent && !entry.height && !is_lost(entry);
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
      const bool is_apart = entry.sent && !is_out(*entry.sent);
      if (entry.held && !entry.height && (is_apart || has_rival(entry, true))) entry.status = TxStatus::Conflicted;
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
    if (entry.sent && !is_out(*entry.sent)) unconfirmed.clear();
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
      if (is_spent(outpoint, TxStatus::Unconfirmed)) continue;
      out.coins[outpoint] = output.value;
      for (const Entry& other : entries_) {
        if (spends(other, outpoint) && is_reserving(other)) out.reserved.insert(outpoint);
      }
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
    const TxStatus shown = is_kept_back(entry) ? TxStatus::Unconfirmed : entry.status;
    out.history[entry.tx.txid()] = {shown, net, fee, rival_of(entry)};
    if (entry.sent) out.sent[entry.tx.txid()] = *entry.sent;
  }

  std::vector<Entry> entries_;
  int counter_ = 0;
};

inline Answer answer_of(const wallet::Wallet& wallet) {
  Answer out;
  out.confirmed = wallet.balance().confirmed;
  out.unconfirmed = wallet.balance().unconfirmed;
  for (const auto& coin : wallet.coins()) {
    out.coins[coin.outpoint] = coin.value;
    if (coin.reserved) out.reserved.insert(coin.outpoint);
  }
  for (const auto& entry : wallet.history()) {
    out.history[entry.txid] = {entry.status, entry.net, entry.fee, entry.replaced_by};
    if (entry.sending) out.sent[entry.txid] = entry.sending->state;
  }
  for (const auto& outpoint : wallet.watched_outpoints()) out.watched.insert(outpoint);
  return out;
}

}  // namespace spv::test
