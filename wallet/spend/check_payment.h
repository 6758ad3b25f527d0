// The final check of a signed payment against what the wallet has proven: the last step before it is stored and sent.
#pragma once

#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/final_check.h"
#include "wallet/spend/payment_error.h"
#include "wallet/wallet.h"

namespace spv::wallet::spend {

struct PaymentTerms {
  FeeRate rate;  // at least
  bool allow_high_fee = false;
  std::optional<chain::Txid> replaces = std::nullopt;       // whose coins it spends again
  std::optional<util::Bytes> change_script = std::nullopt;  // named by the user for the change
};

/// Reads the bytes of the transaction again; see final_check.h.
util::Expected<FinalReport, PaymentError> check_payment(const chain::Transaction& tx, const Draft& draft,
                                                        const PaymentTerms& terms, const Wallet& wallet);

}  // namespace spv::wallet::spend
