#include "wallet/spend/fee_limits.h"

#include <algorithm>
#include <set>

#include "wallet/script.h"
#include "wallet/spend/candidate.h"
#include "wallet/spend/input_weight.h"

namespace spv::wallet::spend {
namespace {

std::string in_sat(chain::Amount amount) { return std::to_string(amount) + " sat"; }

Checked check_outputs(const Draft& draft) {
  chain::Amount sum = 0;
  for (const chain::TxOutput& output : draft.tx.outputs) {
    if (!chain::is_money(output.value)) return refuse("amount-range", "an amount must be between 0 and 21 million BTC");
    sum += output.value;
    if (!chain::is_money(sum)) return refuse("amount-range", "the amounts are more than 21 million BTC together");
    const chain::Amount least = dust_threshold(output.script_pubkey);
    if (output.value < least) {
      return refuse("dust", "an output of " + in_sat(output.value) +
                                " is dust, which nodes do not relay; the least is " + in_sat(least));
    }
  }
  return {};
}

bool has_stripped_inputs(const Draft& draft) {
  return std::all_of(draft.inputs.begin(), draft.inputs.end(),
                     [](const DraftInput& input) { return as_witness_program(input.spent.script_pubkey).has_value(); });
}

Checked check_inputs(const Draft& draft) {
  std::set<chain::OutPoint> seen;
  for (const chain::TxInput& input : draft.tx.inputs) {
    if (!seen.insert(input.previous).second) {
      return refuse("coin-twice", "the coin " + to_string(input.previous) + " would be spent twice");
    }
  }
  if (seen.empty()) return refuse("no-coins", "there is no coin to spend");
  return {};
}

}  // namespace

std::string to_string(FeeRate rate) {
  const std::int64_t whole = rate.sat_per_kvb() / 1'000;
  std::string part = std::to_string(1'000 + rate.sat_per_kvb() % 1'000).substr(1);
  while (!part.empty() && part.back() == '0') part.pop_back();
  return std::to_string(whole) + (part.empty() ? "" : "." + part) + " sat/vB";
}

std::optional<FeeRate> usual_rate(chain::Network network, const FeesHeard& heard) {
  if (network == chain::Network::Regtest) return std::max(kMinRelayRate, FeeRate(heard.floor.value_or(0)));
  const auto highest = std::max(heard.floor, heard.estimate);
  if (!highest) return std::nullopt;
  return std::max(kMinRelayRate, FeeRate(*highest));
}

Checked check_fee_rate(FeeRate rate, std::optional<FeeRate> floor, const Allowed& allowed) {
  if (rate <= FeeRate{}) return refuse("fee-rate-range", "the fee rate must be above 0 sat/vB");
  if (rate > kMaxFeeRate) {
    return refuse("fee-too-high", "a fee rate of " + to_string(rate) + " is beyond any use; the unit is sat/vB");
  }
  if (floor && rate < *floor && !allowed.low_fee) {
    return refuse("fee-below-floor", "the fee rate of " + to_string(rate) + " is below the " + to_string(*floor) +
                                         " that peers ask for: they would not relay it; raise it, or allow it with "
                                         "--allow-low-fee");
  }
  return {};
}

Checked check_fee(chain::Amount fee, chain::Amount amount, const Allowed& allowed) {
  if (fee > kMaxFee) {
    return refuse("fee-too-high", "the fee of " + in_sat(fee) + " is above the limit of " + in_sat(kMaxFee) +
                                      " (0.1 BTC); lower the fee rate, or spend fewer coins");
  }
  if (fee * kMaxFeeShare > amount && !allowed.high_fee) {
    return refuse("fee-too-high", "the fee of " + in_sat(fee) + " is above 25% of the amount of " + in_sat(amount) +
                                      "; lower the fee rate, or allow it with --allow-high-fee");
  }
  return {};
}

Checked check_standard(const Draft& draft) {
  if (auto inputs = check_inputs(draft); !inputs) return inputs;
  if (auto outputs = check_outputs(draft); !outputs) return outputs;
  if (draft.weight > kMaxStandardWeight) {
    return refuse("too-large", "the transaction has " + std::to_string(draft.inputs.size()) + " coins and weighs " +
                                   std::to_string(draft.weight) + ", more than the " +
                                   std::to_string(kMaxStandardWeight) +
                                   " that nodes relay; send in several parts, with --coin");
  }
  const auto stripped = static_cast<std::int64_t>(draft.tx.serialized_size(chain::Witness::Strip));
  if (stripped < kMinStrippedSize && has_stripped_inputs(draft)) {
    return refuse("too-small", "the transaction has " + std::to_string(stripped) + " bytes, fewer than the " +
                                   std::to_string(kMinStrippedSize) + " that nodes relay; add a recipient");
  }
  return {};
}

}  // namespace spv::wallet::spend
