#include "wallet/news.h"

#include <algorithm>
#include <optional>

#include "wallet/amount_sum.h"

namespace spv::wallet {
namespace {

struct NewsSum {
  std::uint64_t count = 0;
  AmountSum net;

  [[nodiscard]] NewsItem item() const { return {count, net.clamped()}; }
};

}  // namespace

HistorySnapshot::HistorySnapshot(const std::vector<HistoryEntry>& history) {
  statuses_.reserve(history.size());
  for (const auto& entry : history) {
    if (entry.set_apart != SetApart::NotSent) statuses_.emplace_back(entry.txid, entry.status);
  }
  std::ranges::sort(statuses_);
}

News HistorySnapshot::until(const std::vector<HistoryEntry>& now) const {
  NewsSum fresh;
  NewsSum confirmed;
  NewsSum unconfirmed_again;
  NewsSum conflicted;
  for (const auto& entry : now) {
    if (entry.set_apart == SetApart::NotSent) continue;
    const auto found = std::ranges::lower_bound(statuses_, entry.txid, {}, &std::pair<chain::Txid, TxStatus>::first);
    const bool is_new = found == statuses_.end() || found->first != entry.txid;
    if (!is_new && found->second == entry.status) continue;
    if (entry.status == TxStatus::Conflicted) {
      ++conflicted.count;
      if (!is_new) conflicted.net.subtract(entry.net);
      continue;
    }
    NewsSum& sum = is_new ? fresh : entry.status == TxStatus::Confirmed ? confirmed : unconfirmed_again;
    ++sum.count;
    sum.net.add(entry.net);
  }
  return {.fresh = fresh.item(),
          .confirmed = confirmed.item(),
          .unconfirmed_again = unconfirmed_again.item(),
          .conflicted = conflicted.item()};
}

}  // namespace spv::wallet
