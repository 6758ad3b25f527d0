// The arguments of `spv send` as a request: recipients, coins, change, fee rate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/params.h"
#include "cli/options/options.h"
#include "wallet/spend/payment.h"
#include "wallet/wallet.h"

namespace spv::cli {

/// Satoshis per virtual byte with at most three decimals: "12.5".
std::optional<wallet::spend::FeeRate> parse_fee_rate(std::string_view text);

/// What to pay, and what the payment URI calls it.
struct PaymentOrder {
  wallet::spend::PaymentRequest request;  // without its fee rate, unless the user gave one
  std::optional<wallet::spend::FeeRate> rate;
  std::optional<std::string> label;
};
/// Throws UsageError for what is not an address of this network, an amount, a coin or a rate.
PaymentOrder payment_order(const SendOptions& options, const wallet::Wallet& wallet,
                           const chain::NetworkParams& params);
/// The rate that the user gave; throws UsageError for what is not one.
std::optional<wallet::spend::FeeRate> fee_rate_of(const SpendOptions& options);
wallet::spend::Allowed allowed_by(const SpendOptions& options);

}  // namespace spv::cli
