// Payment: recipients, coins and a fee rate in; a draft that may be signed out, or the reason why there is none.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/expected.h"
#include "util/time.h"
#include "wallet/spend/anti_fee_sniping.h"
#include "wallet/spend/candidate.h"
#include "wallet/spend/change_policy.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/fee_limits.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/payment_error.h"

namespace spv::wallet::spend {

struct Recipient {
  util::Bytes script;
  std::optional<chain::Amount> amount;  // nothing: all that is left
};

/// What the wallet knows and offers; the same for payments and replacements.
struct SpendContext {
  std::span<const Candidate> coins;
  /// One script for each kind that the wallet has, its usual one first.
  std::span<const ChangeScript> change;
  /// Known to nobody else, at least 32 bytes, the same for the wallet's life. With the set of coins it gives the random
  /// numbers: asked again, the same coins are chosen, whatever the recipient says went wrong.
  util::ByteView secret;
  Tip tip;
  util::UnixTime now = 0;
  /// What peers announce, where it is known.
  std::optional<FeeRate> floor;
  /// For the chosen coins and the change, not for all: solving takes time. May be empty.
  std::function<std::optional<Solution>(const KeyId&)> solve;
  std::function<std::optional<chain::Transaction>(const chain::Txid&)> previous;
  /// Which of ours a script is, if it is. May be empty.
  std::function<std::optional<KeyId>(util::ByteView)> key_of;
};

struct PaymentRequest {
  std::vector<Recipient> recipients;
  FeeRate rate;
  /// The recipients pay the fee, in equal parts; the first also pays what does not divide.
  bool subtract_fee = false;
  /// If not empty: exactly these coins, all of them.
  std::vector<chain::OutPoint> coins;
  /// Takes the change instead of those that the wallet offers.
  std::optional<ChangeScript> change;
  Allowed allowed;
};

util::Expected<Draft, PaymentError> make_payment(const PaymentRequest& request, const SpendContext& context);

}  // namespace spv::wallet::spend
