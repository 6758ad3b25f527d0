// Change: which script takes it, what it costs, and below which amount it goes to the fee instead.
#pragma once

#include <optional>
#include <span>

#include "chain/types.h"
#include "util/bytes.h"
#include "util/rng.h"
#include "wallet/key_ring.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/input_weight.h"

namespace spv::wallet::spend {

/// A script that the wallet offers for change.
struct ChangeScript {
  util::Bytes script;
  std::optional<KeyId> key = std::nullopt;           // nothing for a script that the user named
  std::optional<InputWeight> weight = std::nullopt;  // of the input that will spend it, where it is known
};

/// The rate at which the wallet expects to spend its coins some day.
inline constexpr FeeRate kLongTermRate{10'000};
/// The rate at which change must be worth spending.
inline constexpr FeeRate kDiscardRate{10'000};

struct ChangeCost {
  std::int64_t output_weight = 0;  // of the output, in weight units
  chain::Amount output_fee = 0;    // of it, at the payment's rate
  chain::Amount spend_fee = 0;     // of the input that spends it some day, at the discard rate
  chain::Amount min_viable = 0;    // less goes to the fee

  [[nodiscard]] chain::Amount total() const { return output_fee + spend_fee; }
};

ChangeCost change_cost(const ChangeScript& change, FeeRate rate);

/// Of the kind of a recipient, so that it does not stand out; else the wallet's first. Null if none is offered.
const ChangeScript* choose_change(std::span<const ChangeScript> offered, std::span<const util::Bytes> recipients);

/// How much change to aim for: random between 50,000 sat and twice the payment, at most 1,000,000 sat.
chain::Amount change_target(chain::Amount payment, util::Rng& rng);

}  // namespace spv::wallet::spend
