// News: what has happened to a wallet's transactions between two moments, from one sync to the next say. A function of
// the history then and now.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "wallet/records.h"

namespace spv::wallet {

/// How many transactions, and what they come to.
struct NewsItem {
  std::uint64_t count = 0;
  chain::Amount net = 0;
  friend bool operator==(const NewsItem&, const NewsItem&) = default;
};

/// Each transaction is in one of them at most; one that stands as before, if in another block, is in none. What is not
/// sent yet is no news.
struct News {
  NewsItem fresh;              // not in the history before, and counts now
  NewsItem confirmed;          // in the history before, and in a block only now
  NewsItem unconfirmed_again;  // was in a block or counted nowhere, and waits for a block now
  NewsItem conflicted;         // counts nowhere now. The sum is what the wallet has lost by that: less than 0 where
                               // payments to it are gone, nothing for those that never counted
  friend bool operator==(const News&, const News&) = default;
  [[nodiscard]] bool empty() const { return *this == News{}; }
};

/// Where each transaction of a history stood.
class HistorySnapshot {
 public:
  HistorySnapshot() = default;
  explicit HistorySnapshot(const std::vector<HistoryEntry>& history);
  /// What has happened since then. n log n.
  [[nodiscard]] News until(const std::vector<HistoryEntry>& now) const;

 private:
  std::vector<std::pair<chain::Txid, TxStatus>> statuses_;  // sorted
};

}  // namespace spv::wallet
