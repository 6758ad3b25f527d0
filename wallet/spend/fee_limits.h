// Limits that every new transaction keeps: against mistakes (fees), and against what nodes do not relay.
#pragma once

#include <optional>
#include <string>

#include "chain/params.h"
#include "chain/types.h"
#include "util/expected.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/payment_error.h"

namespace spv::wallet::spend {

/// No transaction of ours pays more, whatever the user allows.
inline constexpr chain::Amount kMaxFee = chain::kCoin / 10;
/// Part of the amount that a fee may be unless a high one is allowed: one in four.
inline constexpr chain::Amount kMaxFeeShare = 4;
/// 1,000,000 sat/vB; beyond any use, and small enough to multiply.
inline constexpr FeeRate kMaxFeeRate{1'000'000'000};

/// What nodes relay by default.
inline constexpr FeeRate kMinRelayRate{1'000};

/// What the network says about fees, in satoshis per 1,000 virtual bytes.
struct FeesHeard {
  std::optional<std::int64_t> floor;     // peers relay nothing below
  std::optional<std::int64_t> estimate;  // what recent blocks took
};

/// The rate of a payment for which the user gives none; nothing where the network has said nothing. The blocks of
/// regtest say nothing about fees: there it is the floor.
std::optional<FeeRate> usual_rate(chain::Network network, const FeesHeard& heard);

/// What the user lets pass.
struct Allowed {
  bool high_fee = false;     // above 25% of the amount
  bool low_fee = false;      // a rate below the floor
  bool unconfirmed = false;  // strangers' unconfirmed coins
};

using Checked = util::Expected<void, PaymentError>;

/// Before anything is computed with it. The floor is what peers announce, where it is known.
Checked check_fee_rate(FeeRate rate, std::optional<FeeRate> floor, const Allowed& allowed);
/// `amount` is what the payment is about: the recipients' sum.
Checked check_fee(chain::Amount fee, chain::Amount amount, const Allowed& allowed);
/// Dust, weight, size and sums of a finished draft.
Checked check_standard(const Draft& draft);

/// "12.5 sat/vB".
std::string to_string(FeeRate rate);

}  // namespace spv::wallet::spend
