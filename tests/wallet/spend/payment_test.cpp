#include "wallet/spend/payment.h"

#include <array>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"

namespace spv::wallet::spend {
namespace {

using test::SpendSample;

/// The whole transaction as it will be, by an independent count: 271 for each input.
std::int64_t signed_weight(const Draft& draft) {
  const auto stripped = static_cast<std::int64_t>(draft.tx.serialized_size(chain::Witness::Strip));
  return 4 * stripped + 2 + 107 * static_cast<std::int64_t>(draft.tx.inputs.size());
}

chain::Amount input_sum(const Draft& draft) {
  return std::accumulate(draft.inputs.begin(), draft.inputs.end(), chain::Amount{0},
                         [](chain::Amount sum, const DraftInput& input) { return sum + input.spent.value; });
}
chain::Amount output_sum(const Draft& draft) {
  return std::accumulate(draft.tx.outputs.begin(), draft.tx.outputs.end(), chain::Amount{0},
                         [](chain::Amount sum, const chain::TxOutput& output) { return sum + output.value; });
}
std::size_t change_outputs(const Draft& draft) {
  return static_cast<std::size_t>(std::count_if(draft.outputs.begin(), draft.outputs.end(),
                                                [](const DraftOutput& output) { return output.change; }));
}

std::string code_of(const PaymentRequest& request, const SpendSample& wallet) {
  const auto draft = make_payment(request, wallet.context());
  return draft ? "made" : draft.error().code;
}
std::string message_of(const PaymentRequest& request, const SpendSample& wallet) {
  return make_payment(request, wallet.context()).error().message;
}

/// What is true of every draft of P2WPKH coins.
void expect_sound(const Draft& draft, const PaymentRequest& request) {
  ASSERT_EQ(draft.inputs.size(), draft.tx.inputs.size());
  ASSERT_EQ(draft.outputs.size(), draft.tx.outputs.size());
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    EXPECT_EQ(draft.inputs[i].outpoint, draft.tx.inputs[i].previous);
    EXPECT_EQ(draft.tx.inputs[i].sequence, 0xFFFF'FFFDU);
    EXPECT_TRUE(draft.tx.inputs[i].script_sig.empty());
  }
  for (std::size_t i = 0; i < draft.outputs.size(); ++i) {
    EXPECT_EQ(draft.outputs[i].output, draft.tx.outputs[i]);
    EXPECT_GE(draft.tx.outputs[i].value, dust_threshold(draft.tx.outputs[i].script_pubkey));
  }
  EXPECT_EQ(draft.tx.version, 2);
  EXPECT_EQ(input_sum(draft), output_sum(draft) + draft.fee);
  EXPECT_EQ(draft.weight, signed_weight(draft));
  const chain::Amount asked = request.rate.fee(draft.vsize());
  EXPECT_GE(draft.fee, asked);
  if (change_outputs(draft) > 0) {
    EXPECT_EQ(draft.fee, asked);
  } else {
    // Dropped change: its output and what it must be worth.
    EXPECT_LE(draft.fee, asked + request.rate.fee(31) + 980 + 1);
  }
}

TEST(MakePayment, PaysTheRecipientAndKeepsTheChange) {
  const SpendSample wallet({1'000'000});
  const auto request = test::pay(300'000, 5'000);
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
  ASSERT_EQ(draft.outputs.size(), 2U);
  EXPECT_EQ(change_outputs(draft), 1U);
  EXPECT_EQ(draft.vsize(), 141);
  EXPECT_EQ(draft.fee, 705);
  for (const auto& output : draft.outputs) {
    EXPECT_EQ(output.output.value, output.change ? 1'000'000 - 300'000 - 705 : 300'000);
    EXPECT_EQ(output.key.has_value(), output.change);
  }
  EXPECT_EQ(draft.inputs[0].key, (KeyId{0, 1}));
}

TEST(MakePayment, NeedsNoChangeWhereTheCoinFits) {
  const SpendSample wallet({1'000'000, 300'000 + 550 + 200, 2'000'000});
  const auto request = test::pay(300'000, 5'000);
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
  EXPECT_EQ(draft.outputs.size(), 1U);
  EXPECT_EQ(test::spent_by(draft), std::vector{test::outpoint(2)});
  EXPECT_EQ(draft.fee, 750);
}

TEST(MakePayment, SpendsTheLastSatoshi) {
  // 110 vB for one input and one output.
  for (const chain::Amount more : {0, 1, 979}) {
    const SpendSample wallet({100'000 + 110 + more});
    const auto request = test::pay(100'000, 1'000);
    const auto draft = make_payment(request, wallet.context()).value();
    expect_sound(draft, request);
    EXPECT_EQ(draft.fee, 110 + more);
  }
  EXPECT_EQ(code_of(test::pay(100'000, 1'000), SpendSample({100'109})), "insufficient-funds");
}

TEST(MakePayment, SaysWhatIsMissing) {
  SpendSample wallet({100'000});
  EXPECT_EQ(message_of(test::pay(100'000, 1'000), wallet),
            "not enough money: have 100000 sat, need 100110 sat (110 sat of them for the fee), missing 110 sat");
  wallet.coins.push_back(test::coin(2, 5'000));
  wallet.coins.back().frozen = true;
  wallet.coins.push_back(test::coin(3, 7'000));
  wallet.coins.back().standing = CoinStanding::Foreign;
  const auto message = message_of(test::pay(100'000, 1'000), wallet);
  EXPECT_NE(message.find("another 5000 sat are frozen"), std::string::npos) << message;
  EXPECT_NE(message.find("another 7000 sat are unconfirmed; --unconfirmed allows it"), std::string::npos) << message;
  EXPECT_EQ(code_of(test::pay(1'000, 1'000), SpendSample()), "insufficient-funds");
}

TEST(MakePayment, SendsAll) {
  const SpendSample wallet({100'000, 50'000, 20'000});
  auto request = test::pay(0, 10'000);
  request.recipients[0].amount = std::nullopt;
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
  ASSERT_EQ(draft.outputs.size(), 1U);
  EXPECT_EQ(draft.inputs.size(), 3U);
  EXPECT_EQ(draft.fee, request.rate.fee(draft.vsize()));
  EXPECT_EQ(draft.outputs[0].output.value, 170'000 - draft.fee);
}

TEST(MakePayment, SendsTheRestToOneOfSeveral) {
  const SpendSample wallet({100'000, 50'000});
  auto request = test::pay(30'000, 2'000);
  request.recipients.push_back({.script = test::tr_script(9), .amount = std::nullopt});
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
  EXPECT_EQ(draft.outputs[0].output.value, 30'000);
  EXPECT_EQ(draft.outputs[1].output.value, 120'000 - draft.fee);
  request.recipients.push_back(request.recipients.back());
  EXPECT_EQ(code_of(request, wallet), "several-all");
}

TEST(MakePayment, LeavesACoinThatCostsWhatItBrings) {
  auto request = test::pay(0, 10'000);
  request.recipients[0].amount = std::nullopt;
  // An input costs 678 sat.
  EXPECT_EQ(make_payment(request, SpendSample({100'000, 678}).context())->inputs.size(), 1U);
  EXPECT_EQ(make_payment(request, SpendSample({100'000, 679}).context())->inputs.size(), 2U);
}

TEST(MakePayment, TheRestIsAtLeastOneSatoshiEvenIfItIsNeverDust) {
  // OP_RETURN: 12 bytes of output, 91 vB.
  auto request = test::pay(0, 1'000);
  request.recipients[0] = {.script = {0x6A, 0x01, 0x07}, .amount = std::nullopt};
  request.allowed.high_fee = true;
  EXPECT_EQ(code_of(request, SpendSample({91})), "insufficient-funds");
  EXPECT_EQ(code_of(request, SpendSample({92})), "too-small") << "or it would be made";
  request.recipients.push_back({.script = test::wpkh_script(5), .amount = 300});
  EXPECT_EQ(code_of(request, SpendSample({122 + 300})), "insufficient-funds");
  EXPECT_EQ(code_of(request, SpendSample({122 + 301})), "made");
}

TEST(MakePayment, LeavesCoinsThatCostMoreThanTheyBringUnlessTheyAreNamed) {
  const SpendSample wallet({100'000, 600});
  auto request = test::pay(0, 10'000);
  request.recipients[0].amount = std::nullopt;
  EXPECT_EQ(test::spent_by(make_payment(request, wallet.context()).value()), std::vector{test::outpoint(1)});
  request.coins = {test::outpoint(1), test::outpoint(2)};
  EXPECT_EQ(make_payment(request, wallet.context()).value().inputs.size(), 2U);
}

TEST(MakePayment, AllOfTooLittleIsRefused) {
  auto request = test::pay(0, 1'000);
  request.recipients[0].amount = std::nullopt;
  EXPECT_EQ(code_of(request, SpendSample({110 + 293})), "insufficient-funds");
  request.allowed.high_fee = true;
  EXPECT_EQ(code_of(request, SpendSample({110 + 294})), "made");
}

TEST(MakePayment, SubtractsTheFeeInEqualParts) {
  const SpendSample wallet({1'000'000});
  auto request = test::pay(100'000, 5'003);
  request.recipients.push_back({.script = test::wpkh_script(78), .amount = 200'000});
  request.recipients.push_back({.script = test::wpkh_script(79), .amount = 300'000});
  request.subtract_fee = true;
  const auto draft = make_payment(request, wallet.context()).value();
  EXPECT_EQ(draft.fee, request.rate.fee(draft.vsize()));
  ASSERT_EQ(draft.fee % 3, 2) << "the case needs a remainder";
  std::vector<chain::Amount> paid;
  for (const auto& output : draft.outputs) {
    if (!output.change) paid.push_back(output.output.value);
    EXPECT_TRUE(!output.change || output.output.value == 400'000);
  }
  const chain::Amount part = draft.fee / 3;
  EXPECT_EQ(paid, (std::vector<chain::Amount>{100'000 - part - 2, 200'000 - part, 300'000 - part}));
}

TEST(MakePayment, SubtractsOnlyWhatDroppedChangeDoesNotPay) {
  const SpendSample wallet({100'500});
  auto request = test::pay(100'000, 10'000);
  request.subtract_fee = true;
  const auto draft = make_payment(request, wallet.context()).value();
  ASSERT_EQ(draft.outputs.size(), 1U);
  EXPECT_EQ(draft.fee, 1'100);
  EXPECT_EQ(draft.outputs[0].output.value, 99'400);
}

TEST(MakePayment, SpendsTheCoinOfTheAmountWhereTheRecipientPaysTheFee) {
  const SpendSample wallet({150'000, 100'000, 99'999});
  auto request = test::pay(100'000, 1'000);
  request.subtract_fee = true;
  const auto draft = make_payment(request, wallet.context()).value();
  EXPECT_EQ(test::spent_by(draft), std::vector{test::outpoint(2)});
  EXPECT_EQ(draft.tx.outputs, (std::vector<chain::TxOutput>{{99'890, request.recipients[0].script}}));
}

TEST(MakePayment, SubtractingMoreThanThereIsIsRefused) {
  auto request = test::pay(1'000, 10'000);
  request.subtract_fee = true;
  request.allowed.high_fee = true;
  EXPECT_EQ(code_of(request, SpendSample({1'000'000})), "dust");
  // 141 vB with change: 294 sat are left, or 293.
  request.rate = FeeRate(1'000);
  request.recipients[0].amount = 141 + 294;
  EXPECT_EQ(code_of(request, SpendSample({1'000'000})), "made");
  request.recipients[0].amount = 141 + 293;
  EXPECT_EQ(code_of(request, SpendSample({1'000'000})), "dust");
  request.recipients[0] = {.script = {0x6A, 0x01, 0x07}, .amount = 122};
  EXPECT_EQ(code_of(request, SpendSample({1'000'000})), "dust") << "nothing would be left";
  request.recipients[0].amount = 123;
  EXPECT_EQ(code_of(request, SpendSample({1'000'000})), "made");
}

TEST(MakePayment, SpendsExactlyTheNamedCoins) {
  const SpendSample wallet({100'000, 200'000, 300'000, 400'000});
  auto request = test::pay(50'000, 1'000);
  request.coins = {test::outpoint(3), test::outpoint(1), test::outpoint(3)};
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
  EXPECT_EQ(test::spent_by(draft), (std::vector{test::outpoint(1), test::outpoint(3)}));
  request.recipients[0].amount = 400'000;
  EXPECT_EQ(code_of(request, wallet), "insufficient-funds");
  EXPECT_NE(message_of(request, wallet).find("only the coins named"), std::string::npos);
}

TEST(MakePayment, RefusesNamedCoinsThatMustNotBeSpent) {
  SpendSample wallet({100'000, 200'000});
  auto request = test::pay(50'000, 1'000);
  request.coins = {test::outpoint(2)};
  auto& coin = wallet.coins[1];
  const auto name = to_string(coin.outpoint);
  coin.frozen = true;
  EXPECT_EQ(code_of(request, wallet), "coin-frozen");
  EXPECT_NE(message_of(request, wallet).find(name), std::string::npos);
  coin.frozen = false;
  coin.reserved = true;
  EXPECT_EQ(code_of(request, wallet), "coin-reserved");
  coin.reserved = false;
  coin.standing = CoinStanding::Immature;
  EXPECT_EQ(code_of(request, wallet), "coin-immature");
  coin.standing = CoinStanding::Foreign;
  EXPECT_EQ(code_of(request, wallet), "coin-unconfirmed");
  request.allowed.unconfirmed = true;
  EXPECT_EQ(code_of(request, wallet), "made");
  coin.standing = CoinStanding::Confirmed;
  coin.weight = std::nullopt;
  EXPECT_EQ(code_of(request, wallet), "coin-unknown-script");
  request.coins = {test::outpoint(9)};
  EXPECT_EQ(code_of(request, wallet), "coin-not-found");
}

TEST(MakePayment, NeverTakesWhatItMustNot) {
  const auto request = test::pay(50'000, 1'000);
  const auto taken = [&](auto spoil) {
    SpendSample wallet({100'000});
    spoil(wallet.coins[0]);
    return code_of(request, wallet);
  };
  EXPECT_EQ(taken([](Candidate&) {}), "made");
  EXPECT_EQ(taken([](Candidate& coin) { coin.frozen = true; }), "insufficient-funds");
  EXPECT_EQ(taken([](Candidate& coin) { coin.reserved = true; }), "insufficient-funds");
  EXPECT_EQ(taken([](Candidate& coin) { coin.standing = CoinStanding::Immature; }), "insufficient-funds");
  EXPECT_EQ(taken([](Candidate& coin) { coin.standing = CoinStanding::Foreign; }), "insufficient-funds");
  EXPECT_EQ(taken([](Candidate& coin) { coin.weight = std::nullopt; }), "insufficient-funds");
  EXPECT_EQ(taken([](Candidate& coin) { coin.standing = CoinStanding::OwnChange; }), "made");
}

TEST(MakePayment, TakesUnconfirmedChangeOnlyIfConfirmedCoinsAreNotEnough) {
  SpendSample wallet({100'000, 900'000});
  wallet.coins[1].standing = CoinStanding::OwnChange;
  wallet.coins[1].ancestors = 3;
  EXPECT_EQ(test::spent_by(make_payment(test::pay(50'000, 1'000), wallet.context()).value()),
            std::vector{test::outpoint(1)});
  EXPECT_EQ(code_of(test::pay(500'000, 1'000), wallet), "made");
  wallet.coins[1].ancestors = 24;
  EXPECT_EQ(code_of(test::pay(500'000, 1'000), wallet), "made");
  wallet.coins[1].ancestors = 25;
  EXPECT_EQ(code_of(test::pay(500'000, 1'000), wallet), "insufficient-funds");
}

TEST(MakePayment, CountsTheAncestorsOfAllItsCoins) {
  SpendSample wallet({100'000, 100'000, 100'000});
  for (auto& coin : wallet.coins) {
    coin.standing = CoinStanding::OwnChange;
    coin.ancestors = 10;
  }
  EXPECT_EQ(code_of(test::pay(150'000, 1'000), wallet), "made");
  EXPECT_EQ(code_of(test::pay(250'000, 1'000), wallet), "insufficient-funds");
  auto named = test::pay(250'000, 1'000);
  for (const auto& coin : wallet.coins) named.coins.push_back(coin.outpoint);
  EXPECT_EQ(code_of(named, wallet), "chain-too-long");
  // Of one transaction they have the same ancestors.
  for (std::uint32_t i = 0; i < 3; ++i) wallet.coins[i].outpoint = test::outpoint(1, i);
  EXPECT_EQ(code_of(test::pay(250'000, 1'000), wallet), "made");
  for (auto& coin : wallet.coins) coin.ancestor_vsize = 101'000;
  EXPECT_EQ(code_of(test::pay(250'000, 1'000), wallet), "chain-too-long");
}

TEST(MakePayment, TheLargestUnconfirmedCoinIsNotCrowdedOut) {
  SpendSample wallet(std::vector<chain::Amount>(24, 1'000));
  wallet.coins.push_back(test::coin(99, 900'000));
  for (auto& coin : wallet.coins) {
    coin.standing = CoinStanding::OwnChange;
    coin.ancestors = 1;
  }
  wallet.coins.back().ancestors = 2;
  EXPECT_EQ(code_of(test::pay(500'000, 1'000), wallet), "made");
}

TEST(MakePayment, RefusesWhatNodesDoNotRelay) {
  const SpendSample wallet({10'000'000'000});
  EXPECT_EQ(code_of(test::pay(293, 1'000), wallet), "dust");
  EXPECT_EQ(code_of(test::pay(294, 100), wallet), "made");
  EXPECT_EQ(code_of(test::pay(0, 1'000), wallet), "amount-range");
  EXPECT_EQ(code_of(test::pay(-5, 1'000), wallet), "amount-range");
  EXPECT_EQ(code_of(test::pay(chain::kMaxMoney + 1, 1'000), wallet), "amount-range");
  auto twice = test::pay(chain::kMaxMoney, 1'000);
  twice.recipients.push_back(twice.recipients[0]);
  EXPECT_EQ(code_of(twice, wallet), "amount-range");
  EXPECT_EQ(code_of(PaymentRequest{}, wallet), "no-recipient");
  auto data = test::pay(1, 1'000);
  data.recipients[0].script = {0x6A, 0x01, 0x07};
  data.allowed.high_fee = true;
  EXPECT_EQ(code_of(data, wallet), "made") << "OP_RETURN is never dust";
  auto nobody = test::pay(1'000, 1'000);
  nobody.recipients[0].script.clear();
  EXPECT_EQ(code_of(nobody, wallet), "no-recipient");
}

TEST(MakePayment, MayBeOfAllTheMoneyThatThereIs) {
  const SpendSample wallet({10'000'000'000});
  auto request = test::pay(chain::kMaxMoney, 1'000);
  EXPECT_EQ(code_of(request, wallet), "insufficient-funds");
  request.recipients.push_back({.script = test::wpkh_script(5), .amount = std::nullopt});
  EXPECT_EQ(code_of(request, wallet), "insufficient-funds") << "the rest may be nothing";
  request.recipients.push_back({.script = test::wpkh_script(6), .amount = 1'000});
  EXPECT_EQ(code_of(request, wallet), "amount-range");
}

TEST(MakePayment, RefusesTooSmallATransaction) {
  // Pay to anchor: 13 bytes of output make 64 in all.
  const SpendSample wallet({10'300});
  auto request = test::pay(10'000, 1'000);
  request.recipients[0].script = {0x51, 0x02, 0x4E, 0x73};
  EXPECT_EQ(code_of(request, wallet), "too-small");
  EXPECT_EQ(code_of(request, SpendSample({100'000})), "made");
}

TEST(MakePayment, KeepsTheLimitsOfFees) {
  const SpendSample wallet({100'000'000'000});
  // 141 vB with change.
  EXPECT_EQ(code_of(test::pay(4 * 1'410, 10'000), wallet), "made");
  EXPECT_EQ(code_of(test::pay(4 * 1'410 - 1, 10'000), wallet), "fee-too-high");
  auto high = test::pay(1'000, 10'000);
  high.allowed.high_fee = true;
  EXPECT_EQ(code_of(high, wallet), "made");
  // 0.1 BTC is the end, whatever is allowed.
  auto huge = test::pay(50'000'000'000, 70'921'000);
  huge.allowed.high_fee = true;
  EXPECT_EQ(make_payment(huge, wallet.context()).value().fee, 9'999'861);
  huge.rate = FeeRate(70'922'000);
  EXPECT_EQ(code_of(huge, wallet), "fee-too-high");
  huge.rate = FeeRate(1'000'000'001);
  EXPECT_EQ(code_of(huge, wallet), "fee-too-high");
  EXPECT_EQ(code_of(test::pay(1'000'000, 0), wallet), "fee-rate-range");
}

TEST(MakePayment, KeepsTheFloor) {
  SpendSample wallet({1'000'000});
  wallet.floor = FeeRate(2'000);
  EXPECT_EQ(code_of(test::pay(100'000, 1'999), wallet), "fee-below-floor");
  EXPECT_NE(message_of(test::pay(100'000, 1'999), wallet).find("1.999 sat/vB is below the 2 sat/vB"),
            std::string::npos);
  EXPECT_EQ(code_of(test::pay(100'000, 2'000), wallet), "made");
  auto low = test::pay(100'000, 1'999);
  low.allowed.low_fee = true;
  EXPECT_EQ(code_of(low, wallet), "made");
}

TEST(MakePayment, RefusesTooManyCoins) {
  const SpendSample wallet(std::vector<chain::Amount>(3'000, 10'000));
  EXPECT_EQ(code_of(test::pay(25'000'000, 1'000), wallet), "too-large");
  const auto fits = test::pay(14'000'000, 1'000);
  const auto draft = make_payment(fits, wallet.context()).value();
  expect_sound(draft, fits);
  EXPECT_LE(draft.weight, 400'000);
  auto all = test::pay(0, 1'000);
  all.recipients[0].amount = std::nullopt;
  EXPECT_EQ(code_of(all, wallet), "too-large");
}

TEST(MakePayment, TakesTheLargeCoinsWhereSmallOnesWeighTooMuch) {
  std::vector<chain::Amount> values(3'000, 10'000);
  values.resize(3'300, 100'000);
  const SpendSample wallet(values);
  const auto request = test::pay(29'000'000, 1'000);
  const auto draft = make_payment(request, wallet.context()).value();
  expect_sound(draft, request);
}

TEST(MakePayment, ChangeIsOfTheRecipientsKind) {
  SpendSample wallet({1'000'000});
  wallet.change.push_back(test::tr_change());
  const auto change_script = [&](const PaymentRequest& request) {
    const auto draft = make_payment(request, wallet.context()).value();
    for (const auto& output : draft.outputs) {
      if (output.change) return output.output.script_pubkey;
    }
    return util::Bytes{};
  };
  auto request = test::pay(100'000, 1'000);
  EXPECT_EQ(change_script(request), test::wpkh_change().script);
  request.recipients[0].script = test::tr_script(5);
  EXPECT_EQ(change_script(request), test::tr_change().script);
  request.recipients[0].script = test::pkh_script(5);
  EXPECT_EQ(change_script(request), test::wpkh_change().script);
  request.change = ChangeScript{.script = test::sh_script(6)};
  EXPECT_EQ(change_script(request), test::sh_script(6));
  request.change = std::nullopt;
  wallet.change.clear();
  EXPECT_EQ(code_of(request, wallet), "no-change-script");
}

TEST(MakePayment, SpendsTheCoinsOfAScriptTogetherIfThatCostsNoMore) {
  // Either of the first two would do; with the other of its script the fee is higher.
  SpendSample wallet({1'000'000, 1'000'000});
  wallet.coins[1].output.script_pubkey = wallet.coins[0].output.script_pubkey;
  EXPECT_EQ(make_payment(test::pay(500'000, 10'000), wallet.context()).value().inputs.size(), 1U);
  // Two are needed: those of one script, not one of each.
  SpendSample four({41'000, 41'000, 41'000, 41'000});
  four.coins[2].output.script_pubkey = four.coins[0].output.script_pubkey;
  four.coins[3].output.script_pubkey = four.coins[1].output.script_pubkey;
  for (std::uint8_t seed = 0; seed < 20; ++seed) {
    four.secret.assign(32, seed);
    const auto draft = make_payment(test::pay(26'000, 10'000), four.context()).value();
    ASSERT_EQ(draft.inputs.size(), 2U);
    EXPECT_EQ(draft.inputs[0].spent.script_pubkey, draft.inputs[1].spent.script_pubkey);
  }
}

TEST(MakePayment, LocksToTheTip) {
  SpendSample wallet({1'000'000});
  const auto request = test::pay(100'000, 1'000);
  const auto lock_time = [&] { return make_payment(request, wallet.context()).value().tx.lock_time; };
  int late = 0;
  for (int seed = 0; seed < 300; ++seed) {
    wallet.secret.assign(32, static_cast<std::uint8_t>(seed));
    wallet.secret[1] = static_cast<std::uint8_t>(seed >> 8);
    const auto height = lock_time();
    EXPECT_LE(height, 800'000U);
    EXPECT_GT(height, 800'000U - 100U);
    if (height != 800'000U) ++late;
  }
  EXPECT_GT(late, 10);
  EXPECT_LT(late, 60);
  wallet.now = wallet.tip.time + 8 * 3600 - 1;
  EXPECT_GT(lock_time(), 0U);
  wallet.now = wallet.tip.time + 8 * 3600;
  EXPECT_EQ(lock_time(), 0U);
  wallet.now = wallet.tip.time;
  wallet.tip.height = -1;
  EXPECT_EQ(lock_time(), 0U);
}

TEST(MakePayment, HandsOverWhatSigningNeeds) {
  SpendSample wallet({1'000'000});
  auto context = wallet.context();
  context.solve = [](const KeyId& key) {
    Solution solution;
    solution.threshold = key.index + 1;
    return std::optional(solution);
  };
  context.previous = [](const chain::Txid&) {
    chain::Transaction tx;
    tx.lock_time = 77;
    return std::optional(tx);
  };
  context.key_of = [](util::ByteView) { return std::optional(KeyId{.chain = 5, .index = 6}); };
  const auto draft = make_payment(test::pay(100'000, 1'000), context).value();
  EXPECT_EQ(draft.inputs[0].solution->threshold, 2U);
  EXPECT_EQ(draft.inputs[0].previous->lock_time, 77U);
  for (const auto& output : draft.outputs) {
    EXPECT_EQ(output.key, (output.change ? KeyId{1, 0} : KeyId{5, 6}));
    EXPECT_EQ(output.solution->threshold, output.change ? 1U : 7U);
  }
}

TEST(MakePayment, RefusesForgedSums) {
  SpendSample wallet({chain::kMaxMoney, chain::kMaxMoney});
  for (auto& coin : wallet.coins) coin.standing = CoinStanding::Foreign;
  auto request = test::pay(100'000, 1'000);
  request.allowed.unconfirmed = true;
  EXPECT_EQ(code_of(request, wallet), "amount-range");
  EXPECT_EQ(code_of(request, SpendSample({chain::kMaxMoney - 5'000, 5'000})), "made") << "21 million may be";
}

TEST(MakePayment, InputsStandInAnyOrder) {
  SpendSample wallet({100'000, 100'000, 100'000});
  auto request = test::pay(250'000, 1'000);
  std::set<std::vector<chain::OutPoint>> orders;
  for (int seed = 0; seed < 200; ++seed) {
    wallet.secret.assign(32, static_cast<std::uint8_t>(seed));
    const auto draft = make_payment(request, wallet.context()).value();
    std::vector<chain::OutPoint> order;
    for (const auto& input : draft.tx.inputs) order.push_back(input.previous);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(MakePayment, MixedInputsAreWeighedExactly) {
  SpendSample wallet({100'000, 100'000, 100'000});
  wallet.coins[0].output.script_pubkey = test::pkh_script(1);
  wallet.coins[0].weight = InputWeight{.weight = 588, .segwit = false};
  auto request = test::pay(250'000, 1'000);
  const auto draft = make_payment(request, wallet.context()).value();
  ASSERT_EQ(draft.inputs.size(), 3U);
  EXPECT_EQ(draft.weight, 4 * 10 + 2 + 588 + 1 + 2 * 271 + 4 * 31 * static_cast<std::int64_t>(draft.outputs.size()));
  EXPECT_EQ(draft.fee, request.rate.fee(draft.vsize()));
}

struct RandomWallet {
  SpendSample sample;
  PaymentRequest request;
};

RandomWallet random_wallet(util::Rng& rng) {
  RandomWallet made;
  const auto count = 1 + rng.below(rng.below(4) == 0 ? 300 : 20);
  for (std::uint32_t i = 0; i < count; ++i) {
    made.sample.coins.push_back(
        test::coin(i + 1, static_cast<chain::Amount>(100 + rng.below(1ULL << (8 + rng.below(20))))));
    auto& coin = made.sample.coins.back();
    if (rng.below(4) == 0) coin.output.script_pubkey = test::wpkh_script(static_cast<std::uint32_t>(rng.below(5)));
    if (rng.below(8) == 0) coin.frozen = true;
  }
  made.sample.secret = rng.bytes(32);
  static constexpr std::array kRates{100, 1'000, 1'500, 5'000, 10'000, 30'000, 30'001, 100'000};
  made.request =
      test::pay(static_cast<chain::Amount>(294 + rng.below(1ULL << (8 + rng.below(22)))), kRates.at(rng.below(8)));
  if (rng.below(4) == 0) {
    made.request.recipients.push_back({.script = test::wpkh_script(4'000), .amount = 5'000});
  }
  made.request.allowed.high_fee = true;
  return made;
}

TEST(MakePayment, HoldsOverRandomWallets) {
  util::Rng rng(7);
  int made = 0;
  for (int round = 0; round < 3'000; ++round) {
    const auto [sample, request] = random_wallet(rng);
    const auto draft = make_payment(request, sample.context());
    chain::Amount asked = 0;
    for (const auto& recipient : request.recipients) asked += *recipient.amount;
    if (!draft) {
      // All coins that bring something are not enough, to the satoshi.
      ASSERT_TRUE(draft.error().code == "insufficient-funds") << draft.error().message;
      chain::Amount sum = 0;
      std::int64_t inputs = 0;
      for (const auto& coin : sample.coins) {
        if (coin.frozen || coin.value() * 4'000 <= request.rate.sat_per_kvb() * 271) continue;
        sum += coin.value();
        ++inputs;
      }
      const std::int64_t base =
          42 + 4 * 31 * static_cast<std::int64_t>(request.recipients.size()) + (inputs > 252 ? 8 : 0);
      EXPECT_LT(sum, asked + request.rate.fee(virtual_bytes(base + 271 * inputs)));
      continue;
    }
    ++made;
    expect_sound(*draft, request);
    chain::Amount paid = 0;
    for (const auto& output : draft->outputs) paid += output.change ? 0 : output.output.value;
    EXPECT_EQ(paid, asked);
    for (const auto& coin : sample.coins) {
      const auto spent = test::spent_by(*draft);
      EXPECT_FALSE(coin.frozen && std::binary_search(spent.begin(), spent.end(), coin.outpoint));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(made, 1'000);
}

TEST(MakePayment, ARetryChoosesTheSameCoins) {
  util::Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    auto [sample, request] = random_wallet(rng);
    const auto first = make_payment(request, sample.context());
    if (!first) continue;
    // In whatever order the coins come.
    std::reverse(sample.coins.begin(), sample.coins.end());
    const auto again = make_payment(request, sample.context());
    EXPECT_EQ(first->tx, again->tx);
    // Another address: the recipient learns of no other coins.
    request.recipients[0].script = test::wpkh_script(0xEE00'0002);
    EXPECT_EQ(test::spent_by(*make_payment(request, sample.context())), test::spent_by(*first));
  }
}

TEST(MakePayment, AnotherSecretChoosesOthers) {
  SpendSample wallet(std::vector<chain::Amount>(50, 200'000));
  std::set<std::vector<chain::OutPoint>> choices;
  std::set<std::size_t> places;
  for (std::uint8_t seed = 0; seed < 20; ++seed) {
    wallet.secret.assign(32, seed);
    const auto draft = make_payment(test::pay(300'000, 1'000), wallet.context()).value();
    choices.insert(test::spent_by(draft));
    for (std::size_t i = 0; i < draft.outputs.size(); ++i) {
      if (draft.outputs[i].change) places.insert(i);
    }
  }
  EXPECT_GT(choices.size(), 15U);
  EXPECT_EQ(places.size(), 2U);
}

}  // namespace
}  // namespace spv::wallet::spend
