// ScanCommits: when what the scan has found is committed, and that the user hears of it only then.
#pragma once

#include <optional>
#include <vector>

#include "sync/types/outbox.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

class ScanCommits {
 public:
  /// Scanned blocks are committed at least this often.
  static constexpr util::Duration kInterval = std::chrono::seconds(1);
  /// More than this in one commit costs more in merging than a commit does.
  static constexpr std::size_t kMaxPendingTransactions = 500;

  explicit ScanCommits(Watcher& watcher) : watcher_(watcher) {}

  /// Told with the next commit.
  void note(const WatchEffect& effect);
  [[nodiscard]] bool is_due(util::Now now) const;
  /// Commits what the wallets have to be committed, and then tells of it.
  void flush(util::Now now, Outbox& out);
  /// Another one whenever a change of transactions was committed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  Watcher& watcher_;
  std::vector<TransactionSeen> untold_;
  std::optional<util::TimePoint> last_;
  std::uint64_t version_ = 0;
};

}  // namespace spv::sync
