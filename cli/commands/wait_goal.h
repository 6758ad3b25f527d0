// What `spv wait` waits for, and whether a wallet has it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/types.h"
#include "cli/options/amount_unit.h"
#include "util/bytes.h"

namespace spv::chain {
struct NetworkParams;
}
namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

struct WaitOptions;

/// A transaction that counts, or may count later.
struct AwaitedTx {
  chain::Txid txid;
  chain::Amount amount = 0;  // what the address receives by it; of a transaction its net effect
  std::optional<chain::Height> height;
  std::uint32_t confirmations = 0;
};

/// How far a wait has come.
struct WaitState {
  bool reached = false;
  bool conflicted = false;       // it was a transaction, and another one took its place
  std::vector<AwaitedTx> found;  // newest first
  chain::Amount received = 0;    // by those with enough confirmations
};

class WaitGoal {
 public:
  /// Throws UsageError for what is neither a txid nor an address, CommandError for what the wallet cannot see.
  WaitGoal(const WaitOptions& options, const wallet::Wallet& wallet, const chain::NetworkParams& params);

  [[nodiscard]] WaitState look(const wallet::Wallet& wallet) const;
  /// The txid or address, in full.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_address() const { return std::holds_alternative<util::Bytes>(target_); }
  [[nodiscard]] std::uint32_t confirmations() const { return confirmations_; }
  /// "2 confirmations (0 so far)", "a payment of 0.50000000 BTC (0.10000000 so far)"
  [[nodiscard]] std::string missing_text(const WaitState& state, AmountUnit unit = AmountUnit::Btc) const;

 private:
  [[nodiscard]] chain::Amount received_by(const wallet::Wallet& wallet, const chain::Txid& txid) const;

  std::variant<chain::Txid, util::Bytes> target_;  // or the script of an address
  std::string name_;
  std::uint32_t confirmations_ = 1;
  std::optional<chain::Amount> amount_;
};

}  // namespace spv::cli
