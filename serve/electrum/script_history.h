// ScriptHistory: the transactions that touch a script, as Electrum clients want them, and the hash by which they notice
// that it has changed (the "status" of the protocol).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/hash256.h"

namespace spv::serve::electrum {

struct ScriptTag;
/// SHA-256 of a script, printed reversed.
using ScriptHash = util::TaggedHash<ScriptTag>;
ScriptHash hash_of_script(util::ByteView script);

/// Heights of those that are in no block.
inline constexpr chain::Height kUnconfirmed = 0;
inline constexpr chain::Height kUnconfirmedParent = -1;

struct HistoryLine {
  chain::Txid txid;
  chain::Height height = kUnconfirmed;
  std::uint32_t index = 0;  // in its block
  chain::Amount fee = 0;    // of one in no block; 0: not known
  [[nodiscard]] bool is_confirmed() const { return height > 0; }
  friend bool operator==(const HistoryLine&, const HistoryLine&) = default;
};
/// The order of the protocol: by height and place in the block; behind them, by txid, what is in no block, those with
/// an unconfirmed parent last.
bool comes_before(const HistoryLine& a, const HistoryLine& b);

/// An output that pays a script.
struct PaidOutput {
  chain::OutPoint outpoint;
  chain::Amount value = 0;
  chain::Height height = kUnconfirmed;  // of its transaction, zero for all that are in no block
  enum class Spent { No, Unconfirmed, Confirmed } spent = Spent::No;
  friend bool operator==(const PaidOutput&, const PaidOutput&) = default;
};

struct ScriptHistory {
  std::vector<HistoryLine> lines;   // in order
  std::vector<PaidOutput> outputs;  // in order of their transactions
};
/// What several wallets know of one script, as one.
ScriptHistory merged(const std::vector<const ScriptHistory*>& parts);

using Status = std::optional<util::Hash256>;  // nothing without transactions
Status status_of(const std::vector<HistoryLine>& lines);

struct ScriptBalance {
  chain::Amount confirmed = 0;
  chain::Amount unconfirmed = 0;  // what transactions in no block add or take
};
ScriptBalance balance_of(const std::vector<PaidOutput>& outputs);

}  // namespace spv::serve::electrum
