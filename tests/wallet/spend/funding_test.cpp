// Fee and change to the satoshi, for coins that are given.
#include "wallet/spend/funding.h"

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"

namespace spv::wallet::spend {
namespace {

/// One P2WPKH coin pays 100,000 sat at 1 sat/vB: 110 vB, and 141 vB with change, of which 980 sat are the least.
struct SettleCase {
  Candidate coin = test::coin(1, 0);
  ChangeScript change = test::wpkh_change();
  Plan plan;

  explicit SettleCase(bool subtract_fee, chain::Amount extra_fee = 0) {
    plan.payments = {{.value = 100'000, .script_pubkey = test::wpkh_script(9)}};
    plan.change = &change;
    plan.rate = FeeRate(1'000);
    plan.subtract_fee = subtract_fee;
    plan.extra_fee = extra_fee;
  }
  /// What the recipient, the change and the fee get of a coin of this value.
  std::vector<chain::Amount> split(chain::Amount value) {
    coin.output.value = value;
    const auto funded = settle(plan, {&coin});
    if (!funded) return {};
    EXPECT_EQ(funded->weight, funded->change > 0 ? 561 : 437);
    return {funded->payments[0].value, funded->change, funded->fee};
  }
};

using Split = std::vector<chain::Amount>;

TEST(SpendSettle, ChangeIsWorthItsOutputOrGoesToTheFee) {
  SettleCase made(false);
  EXPECT_EQ(made.split(100'109), Split{});
  EXPECT_EQ(made.split(100'110), (Split{100'000, 0, 110}));
  EXPECT_EQ(made.split(101'120), (Split{100'000, 0, 1'120}));
  EXPECT_EQ(made.split(101'121), (Split{100'000, 980, 141}));
}

TEST(SpendSettle, ARecipientWhoPaysTheFeeGetsTheRest) {
  SettleCase made(true);
  EXPECT_EQ(made.split(99'999), Split{});
  EXPECT_EQ(made.split(100'000), (Split{99'890, 0, 110}));
  EXPECT_EQ(made.split(100'110), (Split{100'000, 0, 110}));
  EXPECT_EQ(made.split(100'979), (Split{100'000, 0, 979})) << "too little for change";
  EXPECT_EQ(made.split(100'980), (Split{99'859, 980, 141}));
}

TEST(SpendSettle, PaysWhatIsAskedOverTheRate) {
  SettleCase made(false, 500);
  EXPECT_EQ(made.split(100'609), Split{});
  EXPECT_EQ(made.split(100'610), (Split{100'000, 0, 610}));
  EXPECT_EQ(made.split(101'621), (Split{100'000, 980, 641}));
  SettleCase subtracted(true, 500);
  EXPECT_EQ(subtracted.split(100'000), (Split{99'390, 0, 610}));
  EXPECT_EQ(subtracted.split(100'980), (Split{99'359, 980, 641}));
}

TEST(SpendSettle, WithoutAChangeScriptAllThatIsLeftIsFee) {
  SettleCase made(false);
  made.plan.change = nullptr;
  EXPECT_EQ(made.split(150'000), (Split{100'000, 0, 50'000}));
  made.plan.subtract_fee = true;
  EXPECT_EQ(made.split(150'000), (Split{100'000, 0, 50'000}));
}

std::string missing(const Plan& plan, const std::vector<Candidate>& coins) {
  CoinRefs refs;
  for (const Candidate& coin : coins) refs.push_back(&coin);
  return insufficient_funds(plan, refs).message;
}

TEST(SpendFunds, ThatAreMissingAreCountedWithTheFee) {
  SettleCase made(false, 500);
  EXPECT_EQ(missing(made.plan, {test::coin(1, 60'000), test::coin(2, 30'000)}),
            "not enough money: have 90000 sat, need 100677 sat (677 sat of them for the fee), missing 10677 sat");
  made.plan.subtract_fee = true;
  EXPECT_EQ(missing(made.plan, {test::coin(1, 60'000)}),
            "not enough money: have 60000 sat, need 100000 sat, missing 40000 sat");
}

TEST(SpendFunds, DoNotCountCoinsThatCostAsMuchAsTheyBring) {
  SettleCase made(false);
  made.plan.rate = FeeRate(10'000);
  // An input costs 678 sat.
  EXPECT_EQ(
      missing(made.plan, {test::coin(1, 60'000), test::coin(2, 678)}),
      "not enough money: have 60678 sat, need 101100 sat (1100 sat of them for the fee), missing 41100 sat; coins "
      "of 678 sat cost more than they bring at 10 sat/vB");
  EXPECT_EQ(missing(made.plan, {test::coin(1, 60'000), test::coin(2, 679)}),
            "not enough money: have 60679 sat, need 101770 sat (1770 sat of them for the fee), missing 41091 sat");
  // Coins that are spent in any case count.
  const Candidate fixed = test::coin(3, 5'000);
  made.plan.fixed = {&fixed};
  EXPECT_EQ(missing(made.plan, {}),
            "not enough money: have 5000 sat, need 101100 sat (1100 sat of them for the fee), missing 96100 sat");
}

std::string package_verdict(std::uint32_t ancestors, std::int64_t ancestor_vsize) {
  Candidate coin = test::coin(1, 100'000);
  coin.ancestors = ancestors;
  coin.ancestor_vsize = ancestor_vsize;
  Draft draft;
  draft.tx.inputs.resize(1);
  draft.tx.outputs.push_back({.value = 99'000, .script_pubkey = test::wpkh_script(9)});
  draft.fee = 1'000;
  draft.weight = 4 * 200;
  Funded funded;
  funded.inputs = {&coin};
  const auto checked = check_draft(draft, funded, 99'000, {});
  return checked ? "good" : checked.error().code;
}

TEST(SpendDraft, HasAPackageThatNodesRelay) {
  EXPECT_EQ(package_verdict(0, 0), "good");
  EXPECT_EQ(package_verdict(24, 100'800), "good") << "101,000 vB together";
  EXPECT_EQ(package_verdict(24, 100'801), "chain-too-long");
  EXPECT_EQ(package_verdict(25, 100), "chain-too-long");
  EXPECT_EQ(package_verdict(0, 100'801), "good") << "what is confirmed is in no package";
}

TEST(SpendDraft, HasASolutionWhereverTheWalletHasTheKey) {
  const test::SpendSample wallet({1'000'000});
  auto context = wallet.context();
  context.solve = [](const KeyId&) { return std::optional(Solution{}); };
  EXPECT_TRUE(change_output(test::wpkh_change(), 1'000, context).solution);
  EXPECT_FALSE(change_output({.script = test::wpkh_script(9)}, 1'000, context).solution) << "named by the user";
  const chain::TxOutput payment{.value = 1'000, .script_pubkey = test::wpkh_script(9)};
  EXPECT_FALSE(payment_output(payment, context).solution);
  context.key_of = [](util::ByteView) -> std::optional<KeyId> { return std::nullopt; };
  EXPECT_FALSE(payment_output(payment, context).solution);
  Candidate coin = test::coin(1, 1'000);
  coin.key = std::nullopt;
  Funded funded;
  funded.inputs = {&coin};
  EXPECT_FALSE(make_draft(funded, {}, 0, context).inputs[0].solution);
}

/// Which coins, of the lists that are offered, pay 100,000 sat at 1 sat/vB.
std::vector<chain::OutPoint> funded_from(const std::vector<std::vector<Candidate>>& lists) {
  const test::SpendSample wallet;
  const SettleCase made(false);
  std::vector<CoinRefs> refs(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Candidate& coin : lists[i]) refs[i].push_back(&coin);
  }
  const auto funded = fund(made.plan, refs, wallet.context());
  std::vector<chain::OutPoint> spent;
  if (funded) {
    for (const Candidate* coin : funded->inputs) spent.push_back(coin->outpoint);
  }
  return spent;
}

TEST(SpendFunds, MayWeigh400000) {
  const auto verdict = [](std::int64_t weight) {
    const test::SpendSample wallet;
    const SettleCase made(false);
    Candidate heavy = test::coin(1, 250'000);
    heavy.weight = InputWeight{.weight = weight, .segwit = true};
    const auto funded = fund(made.plan, {{&heavy}}, wallet.context());
    return funded ? std::to_string(funded->weight) : funded.error().code;
  };
  // 166 for all but the input, and 124 where there is room for change.
  EXPECT_EQ(verdict(399'710), "400000");
  EXPECT_EQ(verdict(399'711), "too-large");
}

TEST(SpendFunds, AreOfTheFirstListThatHasEnough) {
  const auto poor = std::vector{test::coin(1, 50'000)};
  const auto rich = std::vector{test::coin(2, 500'000)};
  const auto richer = std::vector{test::coin(3, 900'000)};
  EXPECT_EQ(funded_from({poor, rich, richer}), std::vector{test::outpoint(2)});
  EXPECT_EQ(funded_from({{}, richer, rich}), std::vector{test::outpoint(3)});
  EXPECT_TRUE(funded_from({poor, {}}).empty());
  EXPECT_TRUE(funded_from({}).empty());
}

}  // namespace
}  // namespace spv::wallet::spend
