// The views for people's own queries say what the wallet says, after any changes.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/store/postgres/store_fixture.h"

namespace spv::store::postgres {
namespace {

using test::TxBuilder;
using wallet::SendState;

/// Numbers below a bound, the same for the same seed on every system.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }

 private:
  std::mt19937 engine_;
};

// A few transactions that spend each other's outputs and foreign coins, often the same ones; some are coinbases.
std::vector<chain::Transaction> make_universe(Dice& dice) {
  std::vector<chain::Transaction> universe;
  const auto script = [&] {
    const std::size_t n = dice.below(6);
    if (n > 4) return test::foreign_script();
    return n == 4 ? test::change_script(0) : test::receive_script(static_cast<std::uint32_t>(n));
  };
  for (std::uint64_t i = 0; i < 16; ++i) {
    if (dice.below(6) == 0) {
      universe.push_back(TxBuilder::coinbase(static_cast<chain::Height>(i), script(), 5'000, i));
      continue;
    }
    TxBuilder builder(500 + i);
    std::set<chain::OutPoint> coins;
    for (std::size_t n = dice.below(2) + 1; n > 0; --n) {
      const std::size_t from = dice.below(universe.size() + 1);
      coins.insert(from < universe.size() ? test::outpoint(universe[from], static_cast<std::uint32_t>(dice.below(2)))
                                          : test::outpoint(TxBuilder(900 + from - universe.size()).build()));
    }
    for (const auto& coin : coins) builder.spends(coin);
    for (std::size_t n = dice.below(2) + 1; n > 0; --n) {
      builder.pays(script(), 1 + static_cast<chain::Amount>(dice.below(1'000)));
    }
    universe.push_back(builder.build());
  }
  return universe;
}

class Life {
 public:
  Life(wallet::Wallet& wallet, std::uint32_t seed) : wallet_(wallet), dice_(seed), universe_(make_universe(dice_)) {}

  wallet::Changes step() {
    const chain::Transaction& tx = universe_[dice_.below(universe_.size())];
    wallet::Changes changes;
    const std::size_t action = dice_.below(12);
    if (action == 0) {
      tip_ = std::max<chain::Height>(1, tip_ - static_cast<chain::Height>(dice_.below(4)));
      changes = wallet_.disconnect_above(test::block_at(tip_, branch_++));
    } else if (action <= 2) {
      if (can_confirm(tx)) changes = test::confirm(wallet_, tx, ++tip_, 1, branch_);
    } else if (action <= 6) {
      changes = pay(tx);
    } else if (action <= 8) {
      if (auto given_up = wallet_.abandon(tx.txid())) changes = std::move(*given_up);
    } else if (!tx.is_coinbase()) {
      changes = test::see(wallet_, tx);
    }
    // Far enough at times for coinbases to mature, and for strangers' payments to be forgotten.
    if (dice_.below(10) == 0) tip_ += 100;
    changes.merge(wallet_.set_scan(test::scanned_to(tip_)));
    changes.merge(wallet_.tell());
    return changes;
  }

 private:
  // What is kept back has no children: nobody has seen it.
  wallet::Changes pay(const chain::Transaction& tx) {
    if (tx.is_coinbase()) return {};
    const bool has_children = std::ranges::any_of(universe_, [&](const chain::Transaction& other) {
      return std::ranges::any_of(other.inputs, [&](const auto& input) { return input.previous.txid == tx.txid(); });
    });
    const SendState state = has_children || dice_.below(2) == 0 ? SendState::Announced : SendState::NotSent;
    auto changes = wallet_.add_own(tx, state, test::kNow, {.replaces = std::nullopt, .with_others = true});
    return changes ? std::move(*changes) : wallet::Changes{};
  }
  // As a block could have it: no parent that is not confirmed, no rival that is.
  bool can_confirm(const chain::Transaction& tx) const {
    const auto is_confirmed = [&](const chain::Transaction& other) {
      const auto* record = wallet_.find(other.txid());
      return record != nullptr && record->confirmation;
    };
    if (is_confirmed(tx)) return false;
    for (const auto& input : tx.inputs) {
      for (const auto& other : universe_) {
        const bool is_parent = other.txid() == input.previous.txid;
        if (is_parent && !is_confirmed(other)) return false;
        const bool is_rival = !tx.is_coinbase() && std::ranges::any_of(other.inputs, [&](const auto& its) {
          return its.previous == input.previous;
        });
        if (is_rival && is_confirmed(other)) return false;
      }
    }
    return true;
  }

  wallet::Wallet& wallet_;
  Dice dice_;
  std::vector<chain::Transaction> universe_;
  chain::Height tip_ = 5;
  std::uint8_t branch_ = 0;
};

std::string balance_of(const wallet::Wallet& wallet) {
  const auto sums = wallet.balance();
  return std::to_string(sums.confirmed) + " " + std::to_string(sums.unconfirmed) + " " + std::to_string(sums.immature) +
         " " + std::to_string(sums.total());
}

std::string sorted_lines(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  std::string out;
  for (const auto& line : lines) out += (out.empty() ? "" : ", ") + line;
  return out;
}

std::string coins_of(const wallet::Wallet& wallet) {
  std::vector<std::string> lines;
  for (const auto& coin : wallet.coins()) {
    lines.push_back(to_string(coin.outpoint.txid) + " " + std::to_string(coin.outpoint.index) + " " +
                    std::to_string(coin.value) + " " + std::to_string(coin.confirmations) + " " +
                    (coin.coinbase ? "t" : "f") + " " + std::to_string(coin.chain) + " " + std::to_string(coin.index));
  }
  return sorted_lines(std::move(lines));
}

// What the wallet keeps back has a name of its own here.
std::string state_of(const wallet::HistoryEntry& entry) {
  using wallet::SetApart;
  if (entry.sending && entry.sending->state == SendState::NotSent) return "not-sent";
  if (entry.set_apart == SetApart::Forgotten) return "forgotten";
  if (entry.set_apart == SetApart::Abandoned) return "abandoned";
  return std::string(to_string(entry.status));
}

std::string history_of(const wallet::Wallet& wallet) {
  std::vector<std::string> lines;
  for (const auto& entry : wallet.history()) {
    const auto height = entry.confirmation ? std::to_string(entry.confirmation->block.height) : "-";
    lines.push_back(to_string(entry.txid) + " " + state_of(entry) + " " + std::to_string(entry.net) + " " + height);
  }
  return sorted_lines(std::move(lines));
}

constexpr Statement kBalanceLines{
    .name = "balance_lines",
    .sql = "SELECT concat_ws(' ', confirmed, unconfirmed, immature, total) FROM balance WHERE wallet = $1"};
constexpr Statement kCoinLines{
    .name = "coin_lines",
    .sql =
        "SELECT coalesce(string_agg(line, ', ' ORDER BY line COLLATE \"C\"), '') FROM (SELECT concat_ws(' ', txid, "
        "vout,"
        " amount, confirmations, coinbase, chain, index) AS line FROM utxo WHERE wallet = $1) AS lines"};
constexpr Statement kHistoryLines{
    .name = "history_lines",
    .sql =
        "SELECT coalesce(string_agg(line, ', ' ORDER BY line COLLATE \"C\"), '') FROM (SELECT concat_ws(' ', txid,"
        " state, net, coalesce(block_height::text, '-')) AS line FROM history WHERE wallet = $1) AS lines"};

class ViewAgreementTest : public StoreTest {
 protected:
  /// Lives a life and compares after each step; adds the states that it has seen.
  void live(Store& store, std::uint32_t seed, std::set<std::string>& states) {
    const std::string name = "w" + std::to_string(seed);
    store.create(name, watch_only(1));
    OpenedWallet opened(store, name);
    Life life(opened.wallet, seed);
    Connection connection = connect();
    const auto lines = [&](const Statement& statement) {
      return std::string(connection.run(statement, Params().text(name)).text(0, 0));
    };
    for (int step = 0; step < 150; ++step) {
      commit(store, opened, life.step());
      const std::string where = "seed " + std::to_string(seed) + ", step " + std::to_string(step);
      ASSERT_EQ(lines(kBalanceLines), balance_of(opened.wallet)) << where;
      ASSERT_EQ(lines(kCoinLines), coins_of(opened.wallet)) << where;
      ASSERT_EQ(lines(kHistoryLines), history_of(opened.wallet)) << where;
      for (const auto& entry : opened.wallet.history()) states.insert(state_of(entry));
    }
    // Loaded again it is the same wallet.
    opened.stored.reset();
    OpenedWallet again(store, name);
    EXPECT_EQ(again.wallet.transactions(), opened.wallet.transactions());
    EXPECT_EQ(coins_of(again.wallet), coins_of(opened.wallet));
    EXPECT_TRUE(again.wallet.tell().events.empty());
  }
};

TEST_F(ViewAgreementTest, HoldsAfterEachChange) {
  const auto store = process();
  std::set<std::string> states;
  for (std::uint32_t seed = 1; seed <= 12 && !HasFailure(); ++seed) live(*store, seed, states);
  EXPECT_EQ(states, (std::set<std::string>{"abandoned", "confirmed", "conflicted", "not-sent", "unconfirmed"}));
}

}  // namespace
}  // namespace spv::store::postgres
