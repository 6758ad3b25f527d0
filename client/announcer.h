// Announcer: turns what the sessions say into events for the user, each once.
#pragma once

#include <optional>
#include <spv/types.h>

#include "client/events.h"
#include "client/open_wallets.h"
#include "client/shards.h"

namespace spv::client {

class Announcer {
 public:
  explicit Announcer(Events& events) : events_(events) {}

  /// A sync begins.
  void reset();
  /// Something happened in a shard. Transactions are told where they are committed, wallet by wallet.
  void notify(Shard& shard, const SyncEvent& event, const Shards& shards, OpenWallets& wallets);
  /// Shards come to a block one after the other: it is told when the last of them has, but for those that catch up.
  void tell_tip(const Shards& shards);
  /// The same for the log, where it is told once for all who share it: as soon as it is known, or later if the log
  /// could not be written then. Throws StoreError.
  void log_tip(const Shards& shards, OpenWallets& wallets);
  /// If it has moved since the last one.
  void tell_progress(const ProgressEvent& progress);
  /// A wallet has joined: that all are scanned is to be told once more.
  void owe_synced() { synced_told_ = false; }

 private:
  /// What concerns the chain, which all shards follow: told once for all of them.
  void tell_chain(const SyncEvent& event);
  /// Notes it in the wallets that have made the transaction, before it is told.
  void tell_broadcast(const BroadcastChanged& event, const Shards& shards, OpenWallets& wallets);
  void on_finished(Shard& shard, const Shards& shards, OpenWallets& wallets);

  Events& events_;
  bool synced_told_ = false;
  std::optional<ProgressEvent> progress_;
  std::optional<chain::BlockRef> tip_;
  std::optional<chain::BlockRef> logged_tip_;
};

}  // namespace spv::client
