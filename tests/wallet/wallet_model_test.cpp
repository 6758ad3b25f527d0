// The wallet against a model that knows no index and no shortcut.
#include "tests/wallet/wallet_model.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::wallet {
namespace {

using test::answer_of;
using test::Model;
using test::TxBuilder;

// From the whole range in every case; rapidcheck begins with low numbers.
template <typename T>
T any(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

// A few transactions that spend each other's outputs and a few foreign coins, often the same ones.
// `strangers` of them: out of how many coins and scripts beside ours each one chooses.
std::vector<chain::Transaction> make_universe(int strangers = 3) {
  std::vector<chain::Transaction> universe;
  const auto choose = [](int below) { return any(0, below); };
  for (std::uint64_t i = 0; i < 10; ++i) {
    TxBuilder builder(500 + i);
    std::set<chain::OutPoint> coins;
    for (int n = choose(2); n >= 0; --n) {
      const auto from = static_cast<std::size_t>(choose(static_cast<int>(universe.size()) + strangers));
      coins.insert(
          from < universe.size()
              ? test::outpoint(universe[from], static_cast<std::uint32_t>(choose(2)))
              : test::outpoint(TxBuilder(900 + from - universe.size()).pays(test::foreign_script(), 1).build()));
    }
    for (const auto& coin : coins) builder.spends(coin);
    for (int n = choose(2); n >= 0; --n) {
      const int script = choose(4 + strangers);
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

// With payments of the wallet's own: sent or not, replaced, given up and seen again, in any order.
RC_GTEST_PROP(WalletModel, EveryAnswerIsThatOfTheRulesWithOwnPayments, ()) {
  static const Wallet fresh = test::sample_wallet(1);
  const auto universe = make_universe(1);
  Model model(universe);
  Wallet wallet = fresh;
  chain::Height tip = 1;
  std::uint32_t index = 1;
  std::uint8_t branch = 0;
  for (std::size_t i = 0; i < 3; ++i) {  // coins to begin with
    model.see(i);
    test::see(wallet, universe[i]);
  }
  model.note_order(wallet.transactions());
  const auto any_state = [] { return static_cast<SendState>(any(0, 5)); };
  for (int step = any(1, 60); step > 0; --step) {
    const int action = any(0, 14);
    const auto i = any<std::size_t>(0, universe.size());
    if (action == 13) {
      tip = std::max(0, tip - any(0, 6));
      model.disconnect_above(tip);
      wallet.disconnect_above(test::block_at(tip, branch++));
    } else if (action >= 10 && model.can_confirm(i)) {
      if (action >= 11) ++tip;
      wallet.set_scan(test::scanned_to(tip));
      model.confirm(i, tip);
      test::confirm(wallet, universe[i], tip, index++, branch);
    } else if (action >= 5 && action <= 7) {
      const auto state = any_state();
      std::optional<std::size_t> replaces;
      OwnPaymentTerms terms{.replaces = std::nullopt, .with_others = true};
      if (action == 7) {
        replaces = any<std::size_t>(0, universe.size());
        terms.replaces = universe[*replaces].txid();
      }
      const bool allowed = model.can_add(i, replaces);
      RC_ASSERT(wallet.add_own(universe[i], state, test::kNow, terms).has_value() == allowed);
      if (allowed) model.add_own(i, state);
      RC_CLASSIFY(allowed, "own payment");
    } else if (action == 8) {
      const bool abandoned = model.abandon(i);
      RC_ASSERT(wallet.abandon(universe[i].txid()).has_value() == abandoned);
      RC_CLASSIFY(abandoned, "abandoned");
    } else if (action == 9) {
      const auto state = any_state();
      model.set_send_state(i, state);
      wallet.set_send_state(universe[i].txid(), state);
    } else {
      model.see(i);
      test::see(wallet, universe[i]);
    }
    model.note_order(wallet.transactions());
    const auto expected = model.answer();
    RC_ASSERT(answer_of(wallet) == expected);
    // As a restart would find it.
    WalletState stored = Wallet::fresh_state(wallet.config());
    stored.transactions.assign(wallet.transactions().begin(), wallet.transactions().end());
    stored.scan = wallet.scan();
    RC_ASSERT(answer_of(Wallet(wallet.config(), stored)) == expected);
  }
}

}  // namespace
}  // namespace spv::wallet
