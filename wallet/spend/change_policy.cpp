#include "wallet/spend/change_policy.h"

#include <algorithm>
#include <array>

#include "wallet/script.h"

namespace spv::wallet::spend {
namespace {

constexpr chain::Amount kLeastChangeTarget = 50'000;
constexpr chain::Amount kMostChangeTarget = 1'000'000;

/// Of the input that spends change to a script about which nothing else is known.
std::int64_t usual_input_vsize(util::ByteView script) { return as_witness_program(script) ? 68 : 148; }

}  // namespace

ChangeCost change_cost(const ChangeScript& change, FeeRate rate) {
  ChangeCost cost;
  cost.output_weight = 4 * output_size(change.script);
  cost.output_fee = fee_of_weight(rate, cost.output_weight);
  const std::int64_t spend = change.weight ? virtual_bytes(change.weight->weight) : usual_input_vsize(change.script);
  cost.spend_fee = kDiscardRate.fee(spend);
  cost.min_viable = std::max(dust_threshold(change.script, kDiscardRate), cost.spend_fee + 1);
  return cost;
}

const ChangeScript* choose_change(std::span<const ChangeScript> offered, std::span<const util::Bytes> recipients) {
  using enum OutputKind;
  for (const OutputKind kind : {P2tr, P2wpkh, P2wsh, P2sh, P2pkh}) {
    const auto is_kind = [kind](util::ByteView script) { return output_kind(script) == kind; };
    const bool paid = std::any_of(recipients.begin(), recipients.end(), is_kind);
    const auto match = std::find_if(offered.begin(), offered.end(),
                                    [&](const ChangeScript& change) { return is_kind(change.script); });
    if (paid && match != offered.end()) return &*match;
  }
  return offered.empty() ? nullptr : &offered.front();
}

chain::Amount change_target(chain::Amount payment, util::Rng& rng) {
  const chain::Amount most = std::clamp(2 * payment, kLeastChangeTarget, kMostChangeTarget);
  const auto range = static_cast<std::uint64_t>(most - kLeastChangeTarget);
  return kLeastChangeTarget + static_cast<chain::Amount>(rng.below(range + 1));
}

}  // namespace spv::wallet::spend
