// Draft: a transaction that nobody has signed yet, with all that signing it, showing it and checking it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "wallet/key_ring.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/solution.h"

namespace spv::wallet::spend {

struct DraftInput {
  chain::OutPoint outpoint;
  chain::TxOutput spent;
  std::optional<KeyId> key;          // which of our scripts it is; nothing for a stranger's
  std::optional<Solution> solution;  // nothing where the wallet knows only the script: addr() and raw()
  /// The transaction that made the coin, without witness; the proof of its amount for legacy and segwit v0 inputs.
  std::optional<chain::Transaction> previous;
};

struct DraftOutput {
  chain::TxOutput output;
  bool change = false;
  std::optional<KeyId> key;          // where it is ours
  std::optional<Solution> solution;  // the same
};

struct Draft {
  /// No input has a script or a witness. Inputs and outputs are in the order of the lists below.
  chain::Transaction tx;
  std::vector<DraftInput> inputs;
  std::vector<DraftOutput> outputs;
  chain::Amount fee = 0;
  /// Of the transaction once it is signed, at most: exact but for signatures that happen to be shorter.
  std::int64_t weight = 0;

  [[nodiscard]] std::int64_t vsize() const { return virtual_bytes(weight); }
};

}  // namespace spv::wallet::spend
