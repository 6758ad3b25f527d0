// Teller: which news of a wallet's transactions were told, and which are due. One event for each change: of the state,
// of the block, and of the sum, which a wider window can correct.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "wallet/balance.h"
#include "wallet/tx_event.h"

namespace spv::wallet {

class Teller {
 public:
  explicit Teller(const std::vector<Told>& told);

  /// Something about the transactions has changed.
  void note_change() { changed_ = true; }
  /// False if take() would find nothing at this height. Blocks alone change only what is neither confirmed nor settled:
  /// a lock that ends, a transaction that is forgotten.
  [[nodiscard]] bool is_due(chain::Height scanned) const { return changed_ || (unsettled_ && scanned != looked_at_); }
  /// What was not told yet, oldest first; it counts as told from now on. Linear in the number of transactions.
  [[nodiscard]] std::vector<TxEvent> take(const Books& books);
  /// Of these, which a reorganisation has taken out of the chain: those that were told as confirmed.
  [[nodiscard]] std::vector<TxEvent> take_undone(const Books& books, const std::vector<TxRecord>& undone);

 private:
  /// True if it is news.
  bool note(const TxEvent& event);

  std::unordered_map<chain::Txid, Told> told_;
  bool changed_ = true;
  bool unsettled_ = false;
  chain::Height looked_at_ = -1;
};

}  // namespace spv::wallet
