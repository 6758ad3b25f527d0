// Shards: which wallets are followed together. The first shard fetches the headers, and the others find them in the
// file once they are there.
#pragma once

#include <memory>
#include <spv/types.h>
#include <vector>

#include "client/open_wallets.h"
#include "client/shard.h"

namespace spv::client {

class Shards {
 public:
  Shards(const ClientSetup& setup, Events& events) : setup_(setup), events_(events) {}

  // --- wallets ---
  /// Into the first shard with room; the last resort is a new one. Warns of a wallet that no filter holds.
  void place(Held& held, const OpenWallets& wallets);
  /// Undoes place(): a shard that was made for it goes too. Nobody else knows of that one yet.
  void displace(Held& held);

  // --- shards ---
  [[nodiscard]] bool empty() const { return shards_.empty(); }
  [[nodiscard]] Shard& first() { return *shards_.front(); }
  /// All shards follow the same chain: the first one speaks of it.
  [[nodiscard]] bool is_first(const Shard& shard) const { return &shard == shards_.front().get(); }
  [[nodiscard]] bool contains(const Shard* shard) const;
  /// A copy: others may add to them.
  [[nodiscard]] std::vector<Shard*> all() const;
  /// Those that can be started now.
  [[nodiscard]] std::vector<Shard*> due();
  /// Those that wait for the headers of the first can be started.
  [[nodiscard]] bool others_can_start() const;
  /// It is stopped: it can be started again, and what it has read and written stays counted.
  void retire(Shard& shard);
  void erase(const Shard& shard);
  /// All of them, which are stopped.
  void clear();

  // --- how they stand ---
  /// Null if nothing runs.
  [[nodiscard]] const chain::HeaderStore* headers() const;
  void flush_headers();
  /// Every wallet is scanned to the tip.
  [[nodiscard]] bool all_finished() const;
  /// Nothing more comes of any.
  [[nodiscard]] bool all_ended() const;
  /// The block that all of them have come to; nothing while they differ.
  [[nodiscard]] std::optional<chain::BlockRef> common_tip() const;
  /// Of all of them together; there is one.
  [[nodiscard]] ProgressEvent progress() const;
  /// How long the loop should wait for more to come.
  [[nodiscard]] util::Duration gather_time() const;

 private:
  void warn_of_size(const Held& held, std::size_t elements);
  void count(const Shard& shard);

  const ClientSetup& setup_;
  Events& events_;
  std::vector<std::unique_ptr<Shard>> shards_;
  ByteCounts past_;  // of shards that are gone
};

}  // namespace spv::client
