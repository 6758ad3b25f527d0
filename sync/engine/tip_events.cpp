#include "sync/engine/tip_events.h"

#include <utility>

namespace spv::sync {

TipEvents::TipEvents(const Watcher& watcher) : watcher_(watcher) {
  for (const auto& conflict : watcher_.conflicts()) conflicted_.insert(conflict.txid);
}

void TipEvents::at_rest(const chain::BlockRef& tip, std::uint64_t version, Outbox& out) {
  if (std::exchange(version_, version) != version) {
    std::set<chain::Txid> now;
    for (const auto& conflict : watcher_.conflicts()) {
      // Each wallet that holds it names it.
      if (!now.insert(conflict.txid).second) continue;
      if (!conflicted_.contains(conflict.txid)) out.notify(TransactionConflicted{conflict.txid, conflict.replaced_by});
    }
    conflicted_ = std::move(now);
  }
  if (reported_ == tip) return;
  reported_ = tip;
  out.notify(TipChanged{tip});
}

}  // namespace spv::sync
