#include "sync/relay/recent_transactions.h"

#include <algorithm>
#include <utility>

namespace spv::sync {

void RecentTransactions::add(const chain::Txid& txid, chain::Transaction tx) {
  if (find(txid) != nullptr) return;
  const std::size_t bytes = tx.serialized_size();
  if (bytes > kMaxBytes) return;
  while (entries_.size() >= kMaxCount || bytes_ + bytes > kMaxBytes) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  entries_.push_back({txid, std::move(tx), bytes});
  bytes_ += bytes;
}

const chain::Transaction* RecentTransactions::find(const chain::Txid& txid) const {
  const auto found = std::ranges::find(entries_, txid, &Entry::txid);
  return found == entries_.end() ? nullptr : &found->tx;
}

}  // namespace spv::sync
