// Funding: finds the coins for fixed outputs, and settles fee and change to the satoshi.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "util/rng.h"
#include "wallet/spend/candidate.h"
#include "wallet/spend/change_policy.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/payment.h"
#include "wallet/spend/payment_error.h"

namespace spv::wallet::spend {

struct Plan {
  CoinRefs fixed;  // are spent in any case
  std::vector<chain::TxOutput> payments;
  const ChangeScript* change = nullptr;  // nothing: what is left goes to the fee
  FeeRate rate;
  chain::Amount extra_fee = 0;  // over what the rate asks for
  bool subtract_fee = false;
};

struct Funded {
  CoinRefs inputs;  // those that are fixed first
  std::vector<chain::TxOutput> payments;
  chain::Amount change = 0;  // zero: there is none
  chain::Amount fee = 0;
  std::int64_t weight = 0;
};

/// With exactly these coins; nothing if they are not enough.
std::optional<Funded> settle(const Plan& plan, CoinRefs inputs);
/// Adds coins of the first list that has enough of them, and none if the fixed ones are enough.
util::Expected<Funded, PaymentError> fund(const Plan& plan, const std::vector<CoinRefs>& lists,
                                          const SpendContext& context);
PaymentError insufficient_funds(const Plan& plan, const CoinRefs& coins);

chain::Amount sum_of(const CoinRefs& coins);
chain::Amount sum_of(const std::vector<chain::TxOutput>& outputs);

/// The same numbers for the same coins; a stranger cannot guess them.
util::Rng rng_for(const SpendContext& context, const CoinRefs& coins, std::string_view purpose);

/// Puts inputs and outputs, in this order, into a transaction, with all that signing needs.
Draft make_draft(const Funded& funded, std::vector<DraftOutput> outputs, std::uint32_t lock_time,
                 const SpendContext& context);
DraftOutput change_output(const ChangeScript& change, chain::Amount value, const SpendContext& context);
/// To whomever; it may be ours, too.
DraftOutput payment_output(const chain::TxOutput& payment, const SpendContext& context);
/// Fees, standard sizes, and chains of unconfirmed coins that are too long. `amount` is what the payment is about.
Checked check_draft(const Draft& draft, const Funded& funded, chain::Amount amount, const Allowed& allowed);

}  // namespace spv::wallet::spend
