#include "sync/scan/scan_commits.h"

#include <utility>

namespace spv::sync {

void ScanCommits::note(const WatchEffect& effect) {
  untold_.insert(untold_.end(), effect.seen.begin(), effect.seen.end());
}

bool ScanCommits::is_due(util::Now now) const {
  return !last_ || now.monotonic - *last_ >= kInterval || untold_.size() >= kMaxPendingTransactions;
}

void ScanCommits::flush(util::Now now, Outbox& out) {
  last_ = now.monotonic;
  version_ = watcher_.version();
  if (auto wallets = watcher_.take_changes(); !wallets.empty()) out.persist(std::move(wallets));
  for (const auto& seen : std::exchange(untold_, {})) out.notify(seen);
}

}  // namespace spv::sync
