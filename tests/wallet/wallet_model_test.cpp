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
