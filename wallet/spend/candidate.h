// Candidate: a coin that a payment may spend, and what speaks against it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/key_ring.h"
#include "wallet/spend/input_weight.h"
#include "wallet/spend/payment_error.h"

namespace spv::wallet::spend {

enum class CoinStanding {
  Confirmed,
  OwnChange,  // unconfirmed, of a transaction whose inputs are all ours
  Foreign,    // unconfirmed, of somebody else's transaction: he can take it back
  Immature,   // of a coinbase, too young
};

struct Candidate {
  chain::OutPoint outpoint;
  chain::TxOutput output;
  std::optional<KeyId> key = std::nullopt;
  /// Nothing where the wallet does not know how it is spent: then it is not.
  std::optional<InputWeight> weight = std::nullopt;
  CoinStanding standing = CoinStanding::Confirmed;
  /// Unconfirmed transactions that must confirm first, the one that made it among them; zero where it is confirmed.
  std::uint32_t ancestors = 0;
  std::int64_t ancestor_vsize = 0;  // of all of them
  bool reserved = false;            // for a transaction that was not sent yet
  bool frozen = false;              // by the user

  [[nodiscard]] chain::Amount value() const { return output.value; }
};

/// Nodes take at most 25 unconfirmed transactions in a row, 101,000 vB in all; ours is the last of them.
inline constexpr std::uint32_t kMaxAncestors = 24;
inline constexpr std::int64_t kMaxPackageVsize = 101'000;

/// "txid:vout".
std::string to_string(const chain::OutPoint& outpoint);

using CoinRefs = std::vector<const Candidate*>;

/// The coins that a payment may choose from: each list is tried if those before it do not suffice. Confirmed coins
/// first, then own change with them, then strangers' unconfirmed coins if they are allowed. Unconfirmed coins of one
/// list have at most kMaxAncestors ancestors together, so that any choice of them is relayed.
std::vector<CoinRefs> eligible_coins(std::span<const Candidate> coins, bool allow_unconfirmed);

/// Exactly these coins; an error names the one that is not there or must not be spent.
util::Expected<CoinRefs, PaymentError> named_coins(std::span<const Candidate> coins,
                                                   std::span<const chain::OutPoint> wanted, bool allow_unconfirmed);

/// What the wallet has but may not spend now, for a message: " (another 5000 sat: unconfirmed)"; empty if nothing.
std::string held_back(std::span<const Candidate> coins, bool allow_unconfirmed);

}  // namespace spv::wallet::spend
