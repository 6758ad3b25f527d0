// Payments as plans: coins are chosen and the transaction is made, but nothing is signed, stored or sent. Functions of
// a wallet as it is, open here or loaded from a store; the coins that its user has frozen are those of the wallet.
#pragma once

#include <optional>
#include <spv/spending.h>
#include <string>

#include "client/spending_values.h"
#include "client/sync_values.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/spend_source.h"

namespace spv::client {

/// What a payment depends on besides the wallet. `fees`: null if they are not known.
wallet::spend::SpendMoment moment_of(const wallet::Wallet& wallet, const FeesKnown* fees, util::UnixTime now);

/// A payment that may be signed.
struct SpendPlan {
  wallet::spend::Draft draft;
  wallet::spend::FeeRate rate;
  bool allow_high_fee = false;
  std::optional<chain::Txid> replaces{};
  std::optional<util::Bytes> change_script{};
};

/// Chooses coins for the request, which has its rate.
util::Expected<SpendPlan, wallet::spend::PaymentError> plan_payment(const wallet::Wallet& wallet,
                                                                    const wallet::spend::PaymentRequest& request,
                                                                    const wallet::spend::SpendMoment& moment);
/// The same for what the library's callers give.
Result<SpendPlan> plan_payment(const wallet::Wallet& wallet, const PaymentOptions& options, wallet::spend::FeeRate rate,
                               const wallet::spend::SpendMoment& moment, const chain::NetworkParams& params);

/// A plan as a payment that is not signed, with its PSBT.
Result<Payment> unsigned_payment(const SpendPlan& plan, std::uint32_t psbt_version, const chain::NetworkParams& params);

}  // namespace spv::client
