// The wallet against a model that knows no index and no shortcut: the rules, written down once more, in squares and
// cubes of the number of transactions.
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

struct Answer {
  chain::Amount confirmed = 0;
  chain::Amount unconfirmed = 0;
  std::map<chain::OutPoint, chain::Amount> coins;
  std::map<chain::Txid, std::tuple<TxStatus, chain::Amount, std::optional<chain::Amount>>> history;
  std::set<chain::OutPoint> watched;
  friend bool operator==(const Answer&, const Answer&) = default;
};

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
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (output.script_pubkey == test::receive_script(i)) return true;
    }
    return false;
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
  bool is_spent(const chain::OutPoint& outpoint, TxStatus by) const {
    for (const Entry& entry : entries_) {
      if (entry.held && entry.status == by && spends(entry, outpoint)) return true;
    }
    return false;
  }
  void add(const Entry& entry, Answer& out) const {
    chain::Amount net = 0;
    std::optional<chain::Amount> fee = 0;
    for (std::uint32_t n = 0; n < entry.tx.outputs.size(); ++n) {
      const auto& output = entry.tx.outputs[n];
      const chain::OutPoint outpoint{entry.tx.txid(), n};
      if (fee) *fee -= output.value;
      if (!is_own(output)) continue;
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
      if (parent == nullptr) {
        fee.reset();
        continue;
      }
      const auto& spent = parent->tx.outputs[input.previous.index];
      if (fee) *fee += spent.value;
      if (is_own(spent)) net -= spent.value;
    }
    if (fee && *fee < 0) fee.reset();
    if (entry.status == TxStatus::Unconfirmed) out.unconfirmed += net;
    out.history[entry.tx.txid()] = {entry.status, net, fee};
  }

  std::vector<Entry> entries_;
  int counter_ = 0;
};

Answer answer_of(const Wallet& wallet) {
  Answer out;
  out.confirmed = wallet.balance().confirmed;
  out.unconfirmed = wallet.balance().unconfirmed;
  for (const auto& coin : wallet.coins()) out.coins[coin.outpoint] = coin.value;
  for (const auto& entry : wallet.history()) out.history[entry.txid] = {entry.status, entry.net, entry.fee};
  for (const auto& outpoint : wallet.watched_outpoints()) out.watched.insert(outpoint);
  return out;
}

// A few transactions that spend each other's outputs and a few foreign coins, often the same ones.
std::vector<chain::Transaction> make_universe() {
  std::vector<chain::Transaction> universe;
  const auto choose = [](int below) { return *rc::gen::inRange(0, below); };
  for (std::uint64_t i = 0; i < 10; ++i) {
    TxBuilder builder(500 + i);
    std::set<chain::OutPoint> coins;
    for (int n = choose(2); n >= 0; --n) {
      const auto from = static_cast<std::size_t>(choose(static_cast<int>(universe.size()) + 3));
      coins.insert(
          from < universe.size()
              ? test::outpoint(universe[from], static_cast<std::uint32_t>(choose(2)))
              : test::outpoint(TxBuilder(900 + from - universe.size()).pays(test::foreign_script(), 1).build()));
    }
    for (const auto& coin : coins) builder.spends(coin);
    for (int n = choose(2); n >= 0; --n) {
      const int script = choose(7);
      builder.pays(script < 4 ? test::receive_script(static_cast<std::uint32_t>(script)) : test::foreign_script(),
                   1 + choose(1'000));
    }
    universe.push_back(builder.build());
  }
  return universe;
}

RC_GTEST_PROP(WalletModel, W10_EveryAnswerIsThatOfTheRules, ()) {
  static const Wallet fresh = test::sample_wallet(1);
  const auto universe = make_universe();
  Model model(universe);
  Wallet wallet = fresh;
  chain::Height tip = 1;
  std::uint32_t index = 1;
  std::uint8_t branch = 0;
  for (int step = *rc::gen::inRange(1, 40); step > 0; --step) {
    const int action = *rc::gen::inRange(0, 10);
    const auto i = *rc::gen::inRange<std::size_t>(0, universe.size());
    if (action == 9) {
      tip = std::max(0, tip - *rc::gen::inRange(0, 6));
      model.disconnect_above(tip);
      wallet.disconnect_above(test::block_at(tip, branch++));
    } else if (action >= 5 && model.can_confirm(i)) {
      if (action >= 7) ++tip;
      wallet.set_scan(test::scanned_to(tip));
      model.confirm(i, tip);
      test::confirm(wallet, universe[i], tip, index++, branch);
    } else {
      model.see(i);
      test::see(wallet, universe[i]);
    }
    RC_ASSERT(answer_of(wallet) == model.answer());
    RC_ASSERT(wallet.balance().total() == [&] {
      chain::Amount sum = 0;
      for (const auto& coin : wallet.coins()) sum += coin.value;
      return sum;
    }());
  }
}

}  // namespace
}  // namespace spv::wallet
