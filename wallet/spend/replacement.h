// Replacements of an unconfirmed transaction of ours (bump, cancel), and a child that pays for its parent (CPFP).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/spend/candidate.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/payment.h"
#include "wallet/spend/payment_error.h"

namespace spv::wallet::spend {

/// What a replacement pays for its own relay, over all that it replaces.
inline constexpr FeeRate kRelayStep{1'000};
/// Nodes refuse a replacement of more transactions.
inline constexpr std::size_t kMaxReplaced = 100;

/// An output of the transaction that is replaced.
struct OriginalOutput {
  std::optional<KeyId> key;           // where it is ours
  std::optional<InputWeight> weight;  // of the input that would spend it, where it is ours
  bool change = false;                // ours, and made to take what was left
};

/// Of the wallet's own transactions, spending from the original: it falls with it.
struct Descendant {
  chain::Txid txid;
  chain::Amount fee = 0;
};

/// The transaction that is replaced.
struct Original {
  chain::Transaction tx;
  bool confirmed = false;
  /// What its inputs spend, in their order; one that is not ours has no weight. Shorter than the inputs where the
  /// wallet does not know them all.
  std::vector<Candidate> inputs;
  std::vector<OriginalOutput> outputs;  // in their order
  /// All that spend from it or from each other, strangers' with the fee that is known of them.
  std::vector<Descendant> descendants;
};

struct ReplaceRequest {
  FeeRate rate;
  Allowed allowed;
};

struct Replacement {
  Draft draft;
  std::vector<chain::Txid> also_replaces;  // without the original
};

/// The same payments at a higher fee. Change pays for it; confirmed coins are added only if that is not enough.
util::Expected<Replacement, PaymentError> bump(const Original& original, const ReplaceRequest& request,
                                               const SpendContext& context);
/// The same coins, all back to a change script of ours.
util::Expected<Replacement, PaymentError> cancel(const Original& original, const ReplaceRequest& request,
                                                 const SpendContext& context);

/// An unconfirmed transaction whose fee is too low.
struct Parent {
  chain::Txid txid;
  bool confirmed = false;
  std::int64_t vsize = 0;            // with its unconfirmed ancestors; see estimated_vsize()
  std::optional<chain::Amount> fee;  // of the same; nothing where it is not known
};

struct Child {
  Draft draft;
  bool parent_fee_known = false;  // if not, the floor was taken: it pays at least that, or no node has it
  chain::Amount package_fee = 0;
  std::int64_t package_vsize = 0;
};

/// Spends our outputs of the parent (those among the context's coins), so that both together reach the rate; confirmed
/// coins are added only if they are worth too little.
util::Expected<Child, PaymentError> child_pays_for_parent(const Parent& parent, const ReplaceRequest& request,
                                                          const SpendContext& context);

/// In virtual bytes; inputs whose witness was left out are counted as the usual ones, by one key.
std::int64_t estimated_vsize(const chain::Transaction& tx);

}  // namespace spv::wallet::spend
