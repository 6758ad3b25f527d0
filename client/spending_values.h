// Payments as the library shows and takes them, and as the wallet makes them.
#pragma once

#include <optional>
#include <spv/spending.h>
#include <string>
#include <string_view>

#include "chain/params.h"
#include "client/sync_values.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/payment.h"
#include "wallet/spend/psbt.h"
#include "wallet/wallet.h"

namespace spv::client {

Error to_error(const wallet::spend::PaymentError& error);
Error to_error(const wallet::spend::PsbtError& error);

/// All of it but the rate.
Result<wallet::spend::PaymentRequest> to_request(const PaymentOptions& options, const wallet::Wallet& wallet,
                                                 const chain::NetworkParams& params);
/// What was given, else what the peers ask for; `fees`: null if that is not known.
Result<wallet::spend::FeeRate> to_rate(std::int64_t given, const FeesKnown* fees, const chain::NetworkParams& params);

/// `tx`: signed, or that of the draft.
Payment to_payment(const wallet::spend::Draft& draft, const chain::Transaction& tx, const chain::NetworkParams& params);

Result<wallet::spend::Psbt> read_psbt(std::string_view text);
/// Hex, or a complete PSBT.
Result<chain::Transaction> read_transaction(std::string_view text);

}  // namespace spv::client
