#include "wallet/spend/replacement.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"

namespace spv::wallet::spend {
namespace {

using test::SpendSample;

/// A payment of ours, as the wallet sees it later.
Original original_of(const SpendSample& wallet, const Draft& draft) {
  Original original;
  original.tx = draft.tx;
  for (const auto& input : draft.inputs) {
    for (const auto& coin : wallet.coins) {
      if (coin.outpoint == input.outpoint) original.inputs.push_back(coin);
    }
  }
  for (const auto& output : draft.outputs) {
    original.outputs.push_back({.key = output.key, .weight = std::nullopt, .change = output.change});
    if (output.change) original.outputs.back().weight = InputWeight{.weight = test::kWpkhWeight, .segwit = true};
  }
  return original;
}

/// The coins that are left.
void forget_spent(SpendSample& wallet, const Draft& draft) {
  const auto spent = test::spent_by(draft);
  std::erase_if(wallet.coins,
                [&](const Candidate& coin) { return std::binary_search(spent.begin(), spent.end(), coin.outpoint); });
}

struct Sent {
  SpendSample wallet;
  Draft draft;
  Original original;
};

Sent sent(const std::vector<chain::Amount>& values, chain::Amount amount, std::int64_t rate,
          std::vector<chain::OutPoint> coins = {}) {
  Sent made{.wallet = SpendSample(values), .draft = {}, .original = {}};
  auto request = test::pay(amount, rate);
  request.coins = std::move(coins);
  made.draft = make_payment(request, made.wallet.context()).value();
  made.original = original_of(made.wallet, made.draft);
  forget_spent(made.wallet, made.draft);
  return made;
}

ReplaceRequest at(std::int64_t rate) { return {.rate = FeeRate(rate), .allowed = {}}; }

chain::Amount paid_to_others(const Draft& draft) {
  chain::Amount sum = 0;
  for (const auto& output : draft.outputs) sum += output.change ? 0 : output.output.value;
  return sum;
}

template <typename Result>
std::string code_of(const Result& result) {
  return result ? "made" : result.error().code;
}

TEST(Bump, TakesTheFeeFromTheChange) {
  const auto made = sent({1'000'000}, 300'000, 1'000);
  const auto result = bump(made.original, at(10'000), made.wallet.context()).value();
  EXPECT_EQ(test::spent_by(result.draft), test::spent_by(made.draft));
  EXPECT_EQ(paid_to_others(result.draft), 300'000);
  EXPECT_EQ(result.draft.fee, 1'410);
  ASSERT_EQ(result.draft.outputs.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.draft.outputs[i].change, made.draft.outputs[i].change);
    EXPECT_EQ(result.draft.outputs[i].output.script_pubkey, made.draft.outputs[i].output.script_pubkey);
    EXPECT_EQ(result.draft.outputs[i].key, made.draft.outputs[i].key);
  }
  EXPECT_TRUE(result.also_replaces.empty());
  EXPECT_EQ(result.draft.tx.inputs[0].sequence, 0xFFFF'FFFDU);
  auto without_addresses = made.wallet;
  without_addresses.change.clear();
  EXPECT_EQ(code_of(bump(made.original, at(10'000), without_addresses.context())), "made") << "it has its change";
}

TEST(Bump, PaysTheStepOrIsRefused) {
  const auto made = sent({1'000'000}, 300'000, 1'000);
  // 141 sat before, and 141 more for its relay.
  const auto low = bump(made.original, at(1'999), made.wallet.context());
  EXPECT_EQ(code_of(low), "made") << "rounded up, 282 sat";
  const auto lower = bump(made.original, at(1'990), made.wallet.context());
  ASSERT_EQ(code_of(lower), "fee-too-low");
  EXPECT_NE(lower.error().message.find("use a fee rate of at least 2 sat/vB"), std::string::npos)
      << lower.error().message;
  EXPECT_EQ(code_of(bump(made.original, at(2'000), made.wallet.context())), "made");
  EXPECT_EQ(code_of(bump(made.original, at(1'000), made.wallet.context())), "fee-too-low");
}

TEST(Bump, PaysForTheDescendantsThatFall) {
  auto made = sent({1'000'000}, 300'000, 1'000);
  made.original.descendants = {{.txid = test::outpoint(77).txid, .fee = 500},
                               {.txid = test::outpoint(78).txid, .fee = 60}};
  EXPECT_EQ(code_of(bump(made.original, at(5'900), made.wallet.context())), "fee-too-low");
  // 141 + 560 + 141 sat.
  const auto result = bump(made.original, at(5'972), made.wallet.context()).value();
  EXPECT_GE(result.draft.fee, 842);
  EXPECT_EQ(result.also_replaces, (std::vector{test::outpoint(77).txid, test::outpoint(78).txid}));
  // The rate is rounded up: 358 sat for 141 vB.
  made.original.descendants = {{.txid = test::outpoint(77).txid, .fee = 76}};
  const auto low = bump(made.original, at(2'000), made.wallet.context());
  ASSERT_EQ(code_of(low), "fee-too-low");
  EXPECT_NE(low.error().message.find("at least 2.54 sat/vB"), std::string::npos) << low.error().message;
  made.original.descendants.assign(100, {.txid = test::outpoint(77).txid, .fee = 0});
  EXPECT_EQ(code_of(bump(made.original, at(50'000), made.wallet.context())), "too-many-replaced");
}

TEST(Bump, ReplacesAtMostAHundred) {
  auto made = sent({1'000'000}, 300'000, 1'000);
  made.original.descendants.assign(99, {.txid = test::outpoint(77).txid, .fee = 0});
  EXPECT_EQ(code_of(bump(made.original, at(50'000), made.wallet.context())), "made");
  made.original.descendants.emplace_back();
  EXPECT_EQ(code_of(bump(made.original, at(50'000), made.wallet.context())), "too-many-replaced");
}

TEST(Bump, TakesNothingOffForADescendantOfUnknownFee) {
  auto made = sent({1'000'000}, 300'000, 1'000);
  made.original.descendants = {{.txid = test::outpoint(77).txid, .fee = -100}};
  // 141 sat before, 141 for its relay.
  EXPECT_EQ(code_of(bump(made.original, at(2'000), made.wallet.context())), "made");
  EXPECT_EQ(code_of(bump(made.original, at(1'990), made.wallet.context())), "fee-too-low");
}

TEST(Bump, ReplacesWhatPaidNothing) {
  auto made = sent({300'110}, 300'000, 1'000);
  ASSERT_EQ(made.draft.outputs.size(), 1U);
  made.original.inputs[0].output.value = 300'000;
  made.wallet.coins.push_back(test::coin(9, 50'000));
  EXPECT_EQ(code_of(bump(made.original, at(2'000), made.wallet.context())), "made");
  made.original.inputs[0].output.value = 299'999;
  EXPECT_EQ(code_of(bump(made.original, at(2'000), made.wallet.context())), "not-ours");
}

TEST(Bump, HasABetterRateThanBeforeEvenIfItIsLarger) {
  // 84 vB for 5,500 sat before, as it was signed; 208 vB with another coin and change.
  auto made = sent({305'500, 90'000}, 300'000, 50'000, {test::outpoint(1)});
  ASSERT_EQ(made.draft.fee, 5'500);
  made.original.tx.inputs[0].witness = {util::Bytes(1)};
  const auto low = bump(made.original, at(60'000), made.wallet.context());
  ASSERT_EQ(code_of(low), "fee-too-low");
  EXPECT_NE(low.error().message.find("would pay 12480 sat; nodes ask for 13620 sat"), std::string::npos)
      << low.error().message;
  EXPECT_NE(low.error().message.find("at least 65.481 sat/vB"), std::string::npos) << low.error().message;
  EXPECT_EQ(code_of(bump(made.original, at(65'481), made.wallet.context())), "made");
}

TEST(Bump, LetsTheLargestChangePay) {
  auto made = sent({1'000'000}, 300'000, 1'000);
  const std::size_t old = made.draft.outputs[0].change ? 0 : 1;
  const auto payer_beside = [&](chain::Amount other) {
    auto original = made.original;
    original.tx.outputs.push_back({.value = other, .script_pubkey = test::wpkh_script(77)});
    original.outputs.push_back(original.outputs[old]);
    original.inputs[0].output.value += other;
    const auto result = bump(original, at(10'000), made.wallet.context()).value();
    EXPECT_EQ(result.draft.tx.outputs[1 - old], original.tx.outputs[1 - old]) << "the recipient gets the same";
    return result.draft.tx.outputs[2].value == other ? old : 2;
  };
  const chain::Amount change = made.draft.tx.outputs[old].value;
  EXPECT_EQ(payer_beside(change - 1), old);
  EXPECT_EQ(payer_beside(change), old);
  EXPECT_EQ(payer_beside(change + 1), 2U);
}

TEST(Bump, PutsWhatItAddsAnywhere) {
  auto made = sent({300'110, 90'000}, 300'000, 1'000, {test::outpoint(1)});
  std::set<std::pair<bool, bool>> places;  // of the coin and of the change
  for (int seed = 0; seed < 50; ++seed) {
    made.wallet.secret.assign(32, static_cast<std::uint8_t>(seed));
    const auto result = bump(made.original, at(5'000), made.wallet.context()).value();
    ASSERT_EQ(result.draft.inputs.size(), 2U);
    ASSERT_EQ(result.draft.outputs.size(), 2U);
    places.emplace(result.draft.inputs[0].outpoint == test::outpoint(2), result.draft.outputs[0].change);
  }
  EXPECT_EQ(places.size(), 4U);
}

TEST(Bump, AddsConfirmedCoinsWhereChangeIsNotEnough) {
  auto made = sent({305'000, 40'000, 80'000}, 300'000, 1'000, {test::outpoint(1)});
  ASSERT_EQ(made.draft.inputs.size(), 1U);
  // Only these may be added.
  made.wallet.coins[0].standing = CoinStanding::OwnChange;
  const auto result = bump(made.original, at(50'000), made.wallet.context()).value();
  EXPECT_EQ(test::spent_by(result.draft), (std::vector{test::outpoint(1), test::outpoint(3)}));
  EXPECT_EQ(paid_to_others(result.draft), 300'000);
  EXPECT_EQ(result.draft.fee, FeeRate(50'000).fee(result.draft.vsize()));
  made.wallet.coins[1].frozen = true;
  EXPECT_EQ(code_of(bump(made.original, at(50'000), made.wallet.context())), "insufficient-funds");
}

TEST(Bump, AddsCoinsToAPaymentWithoutChange) {
  auto made = sent({300'110, 90'000}, 300'000, 1'000, {test::outpoint(1)});
  ASSERT_EQ(made.draft.outputs.size(), 1U);
  const auto result = bump(made.original, at(5'000), made.wallet.context()).value();
  EXPECT_EQ(result.draft.inputs.size(), 2U);
  EXPECT_EQ(result.draft.outputs.size(), 2U);
  EXPECT_EQ(paid_to_others(result.draft), 300'000);
  EXPECT_EQ(result.draft.fee, FeeRate(5'000).fee(result.draft.vsize()));
  made.wallet.change.clear();
  EXPECT_EQ(code_of(bump(made.original, at(5'000), made.wallet.context())), "no-change-script");
}

TEST(Bump, DropsChangeThatIsNotWorthItsOutput) {
  const auto made = sent({302'000}, 300'000, 1'000);
  ASSERT_EQ(made.draft.outputs.size(), 2U);
  const auto result = bump(made.original, at(10'000), made.wallet.context()).value();
  EXPECT_EQ(result.draft.outputs.size(), 1U);
  EXPECT_EQ(result.draft.fee, 2'000);
}

TEST(Bump, LetsAnOwnOutputPayWhereAllAreOurs) {
  SpendSample wallet({1'000'000});
  auto request = test::pay(0, 1'000);
  request.recipients[0].amount = std::nullopt;
  const auto draft = make_payment(request, wallet.context()).value();
  auto original = original_of(wallet, draft);
  EXPECT_EQ(code_of(bump(original, at(5'000), SpendSample().context())), "insufficient-funds");
  original.outputs[0].key = KeyId{.chain = 0, .index = 3};
  const auto result = bump(original, at(5'000), SpendSample().context()).value();
  EXPECT_EQ(result.draft.fee, 550);
}

TEST(Bump, IsRefusedWhereItCannotBe) {
  auto made = sent({1'000'000}, 300'000, 1'000);
  auto confirmed = made.original;
  confirmed.confirmed = true;
  EXPECT_EQ(code_of(bump(confirmed, at(10'000), made.wallet.context())), "already-confirmed");
  EXPECT_EQ(code_of(cancel(confirmed, at(10'000), made.wallet.context())), "already-confirmed");
  auto foreign = made.original;
  foreign.inputs[0].weight = std::nullopt;
  EXPECT_EQ(code_of(bump(foreign, at(10'000), made.wallet.context())), "not-ours");
  foreign.inputs.push_back(made.original.inputs[0]);
  foreign.inputs[0] = made.original.inputs[0];
  EXPECT_EQ(code_of(bump(foreign, at(10'000), made.wallet.context())), "not-ours") << "one input more than it has";
  foreign.inputs.clear();
  EXPECT_EQ(code_of(cancel(foreign, at(10'000), made.wallet.context())), "not-ours");
  auto other = made.original;
  other.inputs[0].outpoint = test::outpoint(5);
  EXPECT_EQ(code_of(bump(other, at(10'000), made.wallet.context())), "not-ours");
  made.wallet.floor = FeeRate(20'000);
  EXPECT_EQ(code_of(bump(made.original, at(10'000), made.wallet.context())), "fee-below-floor");
  // 141 vB at 600 sat/vB are above a quarter of the payment.
  EXPECT_EQ(code_of(bump(made.original, at(600'000), made.wallet.context())), "fee-too-high");
}

TEST(Bump, HoldsOverRandomWallets) {
  util::Rng rng(21);
  int bumped = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<chain::Amount> values;
    const auto count = 1 + rng.below(15);
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<chain::Amount>(5'000 + rng.below(200'000)));
    SpendSample wallet(values);
    auto request = test::pay(static_cast<chain::Amount>(1'000 + rng.below(300'000)), 1'000);
    const auto draft = make_payment(request, wallet.context());
    if (!draft) continue;
    const auto original = original_of(wallet, *draft);
    forget_spent(wallet, *draft);
    const FeeRate rate(static_cast<std::int64_t>(1'000 + rng.below(30'000)));
    const auto result = bump(original, {.rate = rate, .allowed = {.high_fee = true}}, wallet.context());
    if (!result) continue;
    ++bumped;
    EXPECT_EQ(paid_to_others(result->draft), *request.recipients[0].amount);
    const auto before = test::spent_by(*draft);
    const auto after = test::spent_by(result->draft);
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    EXPECT_GE(result->draft.fee, rate.fee(result->draft.vsize()));
    EXPECT_GE(result->draft.fee, draft->fee + result->draft.vsize());
    chain::Amount sum = 0;
    for (const auto& input : result->draft.inputs) sum += input.spent.value;
    for (const auto& output : result->draft.tx.outputs) sum -= output.value;
    EXPECT_EQ(sum, result->draft.fee);
  }
  EXPECT_GT(bumped, 100);
}

TEST(Cancel, TakesEverythingBack) {
  const auto made = sent({400'000, 600'000}, 700'000, 1'000);
  const auto result = cancel(made.original, at(5'000), made.wallet.context()).value();
  EXPECT_EQ(test::spent_by(result.draft), test::spent_by(made.draft));
  ASSERT_EQ(result.draft.outputs.size(), 1U);
  EXPECT_TRUE(result.draft.outputs[0].change);
  EXPECT_EQ(result.draft.outputs[0].key, test::wpkh_change().key);
  EXPECT_EQ(result.draft.outputs[0].output.value, 1'000'000 - result.draft.fee);
  EXPECT_EQ(result.draft.fee, FeeRate(5'000).fee(result.draft.vsize()));
}

TEST(Cancel, PaysTheStepToo) {
  const auto made = sent({1'000'000}, 300'000, 1'000);
  // 141 sat before; 110 vB now.
  EXPECT_EQ(code_of(cancel(made.original, at(2'270), made.wallet.context())), "fee-too-low");
  EXPECT_EQ(code_of(cancel(made.original, at(2'282), made.wallet.context())), "made");
}

TEST(Cancel, OfTooLittleIsRefused) {
  const auto made = sent({2'000}, 1'700, 1'000);
  ReplaceRequest request = at(10'000);
  request.allowed.high_fee = true;
  EXPECT_EQ(code_of(cancel(made.original, request, made.wallet.context())), "insufficient-funds");
}

SpendSample with_incoming(chain::Amount value) {
  SpendSample wallet({500'000});
  wallet.coins.push_back(test::coin(50, value));
  wallet.coins.back().standing = CoinStanding::Foreign;
  wallet.coins.back().ancestors = 1;
  return wallet;
}

Parent parent(std::optional<chain::Amount> fee) {
  return {.txid = test::outpoint(50).txid, .confirmed = false, .vsize = 200, .fee = fee};
}

TEST(ChildPaysForParent, LiftsBothToTheRate) {
  const auto wallet = with_incoming(100'000);
  const auto child = child_pays_for_parent(parent(200), at(10'000), wallet.context()).value();
  EXPECT_EQ(test::spent_by(child.draft), std::vector{test::outpoint(50)});
  ASSERT_EQ(child.draft.outputs.size(), 1U);
  EXPECT_TRUE(child.parent_fee_known);
  // 310 vB together.
  EXPECT_EQ(child.draft.vsize(), 110);
  EXPECT_EQ(child.package_vsize, 310);
  EXPECT_EQ(child.package_fee, 3'100);
  EXPECT_EQ(child.draft.fee, 2'900);
}

TEST(ChildPaysForParent, TakesTheFloorWhereTheFeeIsNotKnown) {
  auto wallet = with_incoming(100'000);
  wallet.floor = FeeRate(2'000);
  const auto child = child_pays_for_parent(parent(std::nullopt), at(10'000), wallet.context()).value();
  EXPECT_FALSE(child.parent_fee_known);
  EXPECT_EQ(child.draft.fee, 3'100 - 400);
  wallet.floor = std::nullopt;
  EXPECT_EQ(child_pays_for_parent(parent(std::nullopt), at(10'000), wallet.context()).value().draft.fee, 3'100);
}

TEST(ChildPaysForParent, AddsConfirmedCoinsWhereTheOutputIsTooSmall) {
  auto wallet = with_incoming(3'000);
  ReplaceRequest request = at(10'000);
  const auto child = child_pays_for_parent(parent(200), request, wallet.context()).value();
  EXPECT_EQ(test::spent_by(child.draft), (std::vector{test::outpoint(1), test::outpoint(50)}));
  EXPECT_EQ(child.package_fee, FeeRate(10'000).fee(child.draft.vsize()) + 2'000);
  wallet.coins[0].frozen = true;
  EXPECT_EQ(code_of(child_pays_for_parent(parent(200), request, wallet.context())), "insufficient-funds");
}

TEST(ChildPaysForParent, SpendsOnlyOutputsThatMayBeSpent) {
  const auto verdict = [](auto spoil) {
    auto wallet = with_incoming(100'000);
    spoil(wallet.coins.back());
    return code_of(child_pays_for_parent(parent(200), at(10'000), wallet.context()));
  };
  EXPECT_EQ(verdict([](Candidate&) {}), "made");
  EXPECT_EQ(verdict([](Candidate& coin) { coin.frozen = true; }), "nothing-to-bump");
  EXPECT_EQ(verdict([](Candidate& coin) { coin.reserved = true; }), "nothing-to-bump");
  EXPECT_EQ(verdict([](Candidate& coin) { coin.weight = std::nullopt; }), "nothing-to-bump");
  EXPECT_EQ(verdict([](Candidate& coin) { coin.output.value = 0; }), "nothing-to-bump");
  EXPECT_EQ(verdict([](Candidate& coin) { coin.output.value = 1; }), "made") << "with a confirmed coin";
  EXPECT_EQ(verdict([](Candidate& coin) { coin.output.value = chain::kMaxMoney + 1; }), "nothing-to-bump");
}

TEST(ChildPaysForParent, LeavesOutputsThatCostWhatTheyBring) {
  const auto inputs = [](const std::vector<chain::Amount>& values) {
    auto wallet = with_incoming(values[0]);
    for (std::uint32_t i = 1; i < values.size(); ++i) {
      wallet.coins.push_back(wallet.coins.back());
      wallet.coins.back().outpoint.index = i;
      wallet.coins.back().output.value = values[i];
    }
    return child_pays_for_parent(parent(200), at(10'000), wallet.context())->draft.inputs.size();
  };
  // An input costs 678 sat.
  EXPECT_EQ(inputs({100'000, 678}), 1U);
  EXPECT_EQ(inputs({100'000, 679}), 2U);
  EXPECT_EQ(inputs({678, 500}), 3U) << "or there would be no child: both, and a confirmed coin";
}

TEST(ChildPaysForParent, AddsTenConfirmedCoinsAtMost) {
  const auto verdict = [](chain::Amount each) {
    SpendSample wallet(std::vector<chain::Amount>(12, each));
    wallet.coins.push_back(with_incoming(3'000).coins.back());
    ReplaceRequest request = at(10'000);
    request.allowed.high_fee = true;
    return code_of(child_pays_for_parent(parent(200), request, wallet.context()));
  };
  // With ten coins 787 vB: 7,870 sat, 1,800 for the parent, and 980 of change. Eleven of 764 sat would do.
  EXPECT_EQ(verdict(765), "made");
  EXPECT_EQ(verdict(764), "insufficient-funds");
}

TEST(ChildPaysForParent, HasAParentThatNodesCanHave) {
  SpendSample wallet = with_incoming(50'000'000);
  const auto verdict = [&](std::int64_t vsize) {
    auto large = parent(0);
    large.vsize = vsize;
    return code_of(child_pays_for_parent(large, at(10'000), wallet.context()));
  };
  EXPECT_EQ(verdict(-1), "chain-too-long");
  EXPECT_EQ(verdict(0), "chain-too-long");
  EXPECT_EQ(verdict(1), "made");
  EXPECT_EQ(verdict(101'000), "made");
  EXPECT_EQ(verdict(101'001), "chain-too-long");
}

TEST(ChildPaysForParent, IsRefusedWhereItIsOfNoUse) {
  auto wallet = with_incoming(100'000);
  auto confirmed = parent(200);
  confirmed.confirmed = true;
  EXPECT_EQ(code_of(child_pays_for_parent(confirmed, at(10'000), wallet.context())), "already-confirmed");
  EXPECT_EQ(code_of(child_pays_for_parent(parent(2'000), at(10'000), wallet.context())), "nothing-to-bump");
  EXPECT_EQ(code_of(child_pays_for_parent(parent(1'999), at(10'000), wallet.context())), "made");
  auto large = parent(200);
  large.vsize = 101'001;
  EXPECT_EQ(code_of(child_pays_for_parent(large, at(10'000), wallet.context())), "chain-too-long");
  wallet.coins.pop_back();
  EXPECT_EQ(code_of(child_pays_for_parent(parent(200), at(10'000), wallet.context())), "nothing-to-bump");
}

TEST(EstimatedVsize, CountsWitnessesThatAreNotThere) {
  chain::Transaction tx;
  tx.inputs.resize(2);
  tx.outputs.push_back({.value = 1, .script_pubkey = test::wpkh_script(1)});
  EXPECT_EQ(estimated_vsize(tx), virtual_bytes(4 * (10 + 2 * 41 + 31) + 2 + 2 * 108));
  for (auto& input : tx.inputs) input.witness = {util::Bytes(71), util::Bytes(33)};
  EXPECT_EQ(estimated_vsize(tx), virtual_bytes(4 * (10 + 2 * 41 + 31) + 2 + 2 * 107));
}

TEST(EstimatedVsize, CountsALegacyInputBesideThemAsItIs) {
  chain::Transaction tx;
  tx.inputs.resize(6);
  tx.inputs[0].script_sig = util::Bytes(107, 0x51);
  tx.outputs.push_back({.value = 1, .script_pubkey = test::wpkh_script(1)});
  // One byte for the empty witness.
  EXPECT_EQ(estimated_vsize(tx), virtual_bytes(4 * (10 + 6 * 41 + 107 + 31) + 2 + 1 + 5 * 108));
}

}  // namespace
}  // namespace spv::wallet::spend
