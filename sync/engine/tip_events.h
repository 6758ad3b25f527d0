// TipEvents: what is reported once the wallet is scanned to the tip: the tip itself and transactions that lost against
// others, each once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "sync/types/outbox.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

class TipEvents {
 public:
  /// What is conflicted already is not reported.
  explicit TipEvents(const Watcher& watcher);

  /// The wallet is scanned up to `tip`; `version` is another one if its transactions changed since the last call.
  void at_rest(const chain::BlockRef& tip, std::uint64_t version, Outbox& out);

 private:
  const Watcher& watcher_;
  std::optional<chain::BlockRef> reported_;
  std::uint64_t version_ = 0;
  std::set<chain::Txid> conflicted_;
};

}  // namespace spv::sync
