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
}

}  // namespace
}  // namespace spv::wallet::spend
