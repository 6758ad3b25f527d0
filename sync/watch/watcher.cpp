#include "sync/watch/watcher.h"

#include <algorithm>

namespace spv::sync {

void WatchEffect::merge(const WatchEffect& later) {
  for (const auto& fresh : later.seen) {
    const auto known = std::ranges::find(seen, fresh.txid, &TransactionSeen::txid);
    if (known == seen.end()) {
      seen.push_back(fresh);
    } else {
      *known = fresh;
    }
  }
  if (later.widened_from) widened_from = std::min(widened_from.value_or(*later.widened_from), *later.widened_from);
  changed = changed || later.changed;
}

}  // namespace spv::sync
