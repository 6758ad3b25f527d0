// The wallet under any order of sightings, confirmations and reorganisations: every answer is that of the plain rules
// (tests/wallet/wallet_model.h), the balance is the sum of the coins, and what was committed gives the same wallet.
#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "tests/support/simulation.h"
#include "tests/wallet/wallet_model.h"

namespace {

using namespace spv;
using test::TxBuilder;

// A few transactions that spend each other's outputs and a few foreign coins, often the same ones.
std::vector<chain::Transaction> universe_from(fuzz::Input& input) {
  static const std::vector<util::Bytes> kOwn{test::receive_script(0), test::receive_script(1), test::receive_script(2),
                                             test::receive_script(3)};
  std::vector<chain::Transaction> universe;
  for (std::uint64_t i = 0; i < 8; ++i) {
    TxBuilder builder(500 + i);
    std::set<chain::OutPoint> coins;
    const std::uint8_t shape = input.byte();
    for (unsigned n = 0; n <= (shape & 1U); ++n) {
      const std::size_t from = input.below(universe.size() + 3);
      coins.insert(
          from < universe.size()
              ? test::outpoint(universe[from], shape >> 1U & 1U)
              : test::outpoint(TxBuilder(900 + from - universe.size()).pays(test::foreign_script(), 1).build()));
    }
    for (const auto& coin : coins) builder.spends(coin);
    for (unsigned n = 0; n <= (shape >> 2U & 1U); ++n) {
      const auto script = static_cast<std::uint8_t>((shape >> (3U + 2 * n)) % 7);
      builder.pays(script < 4 ? kOwn.at(script) : test::foreign_script(), 1 + input.byte());
    }
    universe.push_back(builder.build());
  }
  return universe;
}

}  // namespace

SPV_FUZZ_TARGET(wallet_events, input) {
  static const auto config = test::sample_config(1);
  static const wallet::Wallet fresh(config, wallet::Wallet::fresh_state(config));
  fuzz::Input rest(input);
  const auto universe = universe_from(rest);
  test::Model model(universe);
  wallet::Wallet wallet = fresh;
  auto committed = wallet::Wallet::fresh_state(config);
  const auto commit = [&](const wallet::Changes& changes) { test::apply_changes(committed, changes); };
  chain::Height tip = 1;
  std::uint32_t index = 1;
  std::uint8_t branch = 0;
  for (int steps = 0; !rest.empty() && steps < 60; ++steps) {
    const std::uint8_t action = rest.byte() % 10;
    const std::size_t i = rest.below(universe.size());
    if (action == 9) {
      tip = std::max(0, tip - rest.byte() % 6);
      model.disconnect_above(tip);
      commit(wallet.disconnect_above(test::block_at(tip, branch++)));
    } else if (action >= 5 && model.can_confirm(i)) {
      if (action >= 7) ++tip;
      commit(wallet.set_scan(test::scanned_to(tip)));
      model.confirm(i, tip);
      commit(test::confirm(wallet, universe[i], tip, index++, branch));
    } else {
      model.see(i);
      commit(test::see(wallet, universe[i]));
    }
    util::ensure(test::answer_of(wallet) == model.answer(), "another answer than the rules give");
    chain::Amount sum = 0;
    for (const auto& coin : wallet.coins()) sum += coin.value;
    util::ensure(wallet.balance().total() == sum, "the balance is the sum of the coins");
  }
  const wallet::Wallet restarted(config, committed);
  util::ensure(restarted.balance() == wallet.balance(), "a restart changes the balance");
}
