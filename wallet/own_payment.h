// Payments of the wallet's own making: which coins one may spend, and which one may be given up. Whoever stores a
// payment asks here first; what is refused is not stored, and so never sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/balance.h"

namespace spv::wallet {

/// Says what is wrong and what to do.
struct PaymentError {
  std::string message;
};

struct OwnPaymentTerms {
  /// The transaction whose coins it may spend again, all of them: else both may be paid.
  std::optional<chain::Txid> replaces = std::nullopt;
  /// Others pay along: inputs that are not ours are taken as they are.
  bool with_others = false;
};

/// Nothing if the transaction may be stored: every input is a coin of ours that exists, is mature, and is neither
/// frozen nor spent nor reserved by another transaction than itself and the one that it replaces.
std::optional<PaymentError> refusal_of(const Books& books, const chain::Transaction& tx, const OwnPaymentTerms& terms);

/// Whether the wallet pays for all of it: each input spends an output of ours, spent already or not.
bool is_paid_by_us(const Books& books, const chain::Transaction& tx);
/// Which unconfirmed payment of ours a transaction takes the place of: one all of whose coins it spends again, so that
/// only one of the two can be paid. Of several, the one that counts now.
std::optional<chain::Txid> replaced_payment(const Books& books, const chain::Transaction& tx);

/// What the user gives up with a transaction: itself, and what this wallet has made that spends from it. Refused for
/// what is confirmed, and for what a peer has taken unless a block holds another one instead.
util::Expected<std::vector<chain::Txid>, PaymentError> abandoned_with(const Books& books, const chain::Txid& txid);

}  // namespace spv::wallet
