// Which rate a payment gets, and which fees are refused.
#include "wallet/spend/fee_limits.h"

#include <gtest/gtest.h>

#include "wallet/spend/psbt_summary.h"

namespace spv::wallet::spend {
namespace {

using chain::Network;

TEST(UsualRate, IsTheHighestThatTheNetworkAsksForAndWhatNodesRelayAtLeast) {
  EXPECT_EQ(usual_rate(Network::Main, {}), std::nullopt);
  EXPECT_EQ(usual_rate(Network::Main, {.floor = 3'000, .estimate = 9'000}), FeeRate(9'000));
  EXPECT_EQ(usual_rate(Network::Main, {.floor = 9'000, .estimate = 3'000}), FeeRate(9'000));
  EXPECT_EQ(usual_rate(Network::Main, {.floor = {}, .estimate = 2'000}), FeeRate(2'000));
  EXPECT_EQ(usual_rate(Network::Main, {.floor = 100, .estimate = 200}), kMinRelayRate);
}

TEST(UsualRate, OfRegtestIsTheFloor) {
  EXPECT_EQ(usual_rate(Network::Regtest, {}), kMinRelayRate);
  EXPECT_EQ(usual_rate(Network::Regtest, {.floor = 5'000, .estimate = 90'000}), FeeRate(5'000));
}

TEST(FeeRateText, HasNoZerosAtItsEnd) {
  EXPECT_EQ(to_string(FeeRate(1'000)), "1 sat/vB");
  EXPECT_EQ(to_string(FeeRate(12'500)), "12.5 sat/vB");
  EXPECT_EQ(to_string(FeeRate(100'010)), "100.01 sat/vB");
  EXPECT_EQ(to_string(FeeRate(1)), "0.001 sat/vB");
}

std::string verdict_on(const Checked& checked) { return checked ? "good" : checked.error().code; }

TEST(FeeLimits, OfTheRate) {
  const Allowed low{.low_fee = true};
  const FeeRate floor(2'000);
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(0), std::nullopt, low)), "fee-rate-range");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(-1), std::nullopt, low)), "fee-rate-range");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(1), std::nullopt, {})), "good");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(1'000'000'000), std::nullopt, {})), "good");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(1'000'000'001), std::nullopt, {})), "fee-too-high");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(2'000), floor, {})), "good");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(1'999), floor, {})), "fee-below-floor");
  EXPECT_EQ(verdict_on(check_fee_rate(FeeRate(1'999), floor, low)), "good");
}

TEST(FeeLimits, OfTheAmount) {
  const Allowed high{.high_fee = true};
  EXPECT_EQ(verdict_on(check_fee(10'000'000, chain::kMaxMoney, {})), "good");
  EXPECT_EQ(verdict_on(check_fee(10'000'001, chain::kMaxMoney, high)), "fee-too-high");
  EXPECT_EQ(verdict_on(check_fee(250, 1'000, {})), "good");
  EXPECT_EQ(verdict_on(check_fee(250, 999, {})), "fee-too-high");
  EXPECT_EQ(verdict_on(check_fee(250, 999, high)), "good");
}

/// One coin, and one output whose script has so many bytes: 60 bytes and the script.
Draft draft_with_script(std::size_t size, std::uint8_t version_of_coin) {
  Draft draft;
  draft.tx.inputs.resize(1);
  util::Bytes coin(22, 20);
  coin[0] = version_of_coin;
  draft.inputs.push_back({.outpoint = {},
                          .spent = {.value = 100'000, .script_pubkey = coin},
                          .key = std::nullopt,
                          .solution = std::nullopt,
                          .previous = std::nullopt});
  draft.tx.outputs.push_back({.value = 10'000, .script_pubkey = util::Bytes(size, 0x51)});
  return draft;
}

TEST(StandardSize, IsAtLeast65BytesWithoutWitness) {
  EXPECT_EQ(verdict_on(check_standard(draft_with_script(4, 0))), "too-small");
  EXPECT_EQ(verdict_on(check_standard(draft_with_script(5, 0))), "good");
  EXPECT_EQ(verdict_on(check_standard(draft_with_script(4, 0x76))), "good") << "a legacy input will have its script";
}

TEST(StandardSize, IsAtMost400000WeightUnits) {
  Draft draft = draft_with_script(22, 0);
  draft.weight = 400'000;
  EXPECT_EQ(verdict_on(check_standard(draft)), "good");
  draft.weight = 400'001;
  EXPECT_EQ(verdict_on(check_standard(draft)), "too-large");
}

TEST(StandardInputs, AreThereAndDiffer) {
  Draft draft = draft_with_script(22, 0);
  draft.tx.inputs.resize(2);
  EXPECT_EQ(verdict_on(check_standard(draft)), "coin-twice");
  draft.tx.inputs[1].previous.index = 1;
  EXPECT_EQ(verdict_on(check_standard(draft)), "good");
  draft.tx.inputs.clear();
  EXPECT_EQ(verdict_on(check_standard(draft)), "no-coins");
}

TEST(StandardOutputs, MayBeAllTheMoneyThatThereIsAndNoMore) {
  Draft draft;
  draft.tx.inputs.resize(1);
  for (const chain::Amount value : {chain::kMaxMoney - 1'000, chain::Amount{1'000}}) {
    draft.tx.outputs.push_back({.value = value, .script_pubkey = util::Bytes(22, 0x5A)});
  }
  const auto verdict = [&] {
    const auto checked = check_standard(draft);
    return checked ? std::string() : checked.error().code;
  };
  EXPECT_NE(verdict(), "amount-range");
  ++draft.tx.outputs[1].value;
  EXPECT_EQ(verdict(), "amount-range");
}

TEST(PsbtFee, IsMeasuredByWhatIsSentElseByAllThatIsMoved) {
  PsbtSummary summary;
  EXPECT_TRUE(check_fee(summary, {})) << "an unknown fee is refused elsewhere";
  summary.fee = 251;
  summary.outputs.resize(2);
  summary.outputs[0].output.value = 900;
  summary.outputs[1].output.value = 100;
  EXPECT_FALSE(check_fee(summary, {})) << "a quarter of all";
  summary.fee = 250;
  EXPECT_TRUE(check_fee(summary, {}));
  summary.sent = 900;
  summary.fee = 226;
  EXPECT_FALSE(check_fee(summary, {})) << "a quarter of what is sent";
  EXPECT_TRUE(check_fee(summary, {.high_fee = true}));
  summary.sent = 1;
  summary.fee = 1;
  EXPECT_FALSE(check_fee(summary, {})) << "one satoshi is sent";
}

}  // namespace
}  // namespace spv::wallet::spend
