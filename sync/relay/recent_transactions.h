// RecentTransactions: the last few transactions that arrived, kept for a moment because a proof that needs one of them
// may follow.
#pragma once

#include <deque>

#include "chain/transaction.h"
#include "chain/types.h"

namespace spv::sync {

class RecentTransactions {
 public:
  /// Bounds against floods (security.md R8).
  static constexpr std::size_t kMaxCount = 100;
  static constexpr std::size_t kMaxBytes = 4'000'000;

  /// Keeps a transaction; the oldest ones make room for it.
  void add(const chain::Txid& txid, chain::Transaction tx);
  /// Null if it is not kept any more, or never was.
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& txid) const;

 private:
  struct Entry {
    chain::Txid txid;
    chain::Transaction tx;
    std::size_t bytes = 0;
  };
  std::deque<Entry> entries_;  // the oldest first
  std::size_t bytes_ = 0;      // of all of them
};

}  // namespace spv::sync
