// Signs a whole draft: every input, or none.
#pragma once

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/payment_error.h"
#include "wallet/spend/signer.h"

namespace spv::wallet::spend {

/// The finished transaction; an error names the first input that the keys cannot sign.
util::Expected<chain::Transaction, PaymentError> sign_draft(const Draft& draft, const SigningKeys& keys);

}  // namespace spv::wallet::spend
