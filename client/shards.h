// Shards: which wallets are followed together. The first shard fetches the headers, and the others find them in the
// file once they are there.
//
// Nobody waits for a wallet that has blocks to catch up on: it is scanned in a shard of its own, with others that stand
// near it, and joins those at the tip when it is there. Where nothing follows the tip all are scanned together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <spv/types.h>
#include <vector>

#include "client/open_wallets.h"
#include "client/shard.h"

namespace spv::client {

class Shards {
 public:
  /// Shards that catch up at the same time: each has its own connections. The others wait.
  static constexpr std::size_t kMaxCatchingUp = 2;
  /// So few blocks are scanned in a moment, together with those that need not. A new wallet begins two hours back.
  static constexpr chain::Height kNear = 24;

  Shards(const ClientSetup& setup, Events& events) : setup_(setup), events_(events) {}

  // --- wallets ---
  /// All wallets, at the start of a sync; `open_headers` is called when the first has its place.
  void place_all(const OpenWallets& wallets, const std::function<void()>& open_headers);
  /// Into the first shard with room; the last resort is a new one. Warns of a wallet that no filter holds.
  void place(Held& held, const OpenWallets& wallets);
  /// The same, but into a shard that stands near it, so that nobody has to go back for it.
  void place_by_position(Held& held, const OpenWallets& wallets);
  /// Where no wallet is left to follow: keeps the first shard, or makes one, to follow the chain.
  void keep_tip(const OpenWallets& wallets);
  /// Undoes both: a shard that was made for it goes too. Nobody else knows of that one yet.
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
  /// Those that wait for the headers of the first, or for others to catch up, can be started.
  [[nodiscard]] bool others_can_start() const;
  /// Two shards at the tip, one of which has caught up: the wallets of `from` can be followed with those of `into`.
  struct Union {
    Shard* into = nullptr;
    Shard* from = nullptr;
  };
  /// One that has caught up and has room nowhere stays as it is.
  [[nodiscard]] std::optional<Union> next_union();
  /// Leaves `from` empty.
  static void unite(const Union& both, const OpenWallets& wallets);
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
  /// The block that all have come to but those that catch up; nothing while they differ.
  [[nodiscard]] std::optional<chain::BlockRef> common_tip() const;
  /// The chain that ends with it; nothing if a newer block is known by now.
  [[nodiscard]] std::optional<store::ChainView> chain_up_to(const chain::BlockRef& tip) const;
  /// The wallets that hold a transaction.
  [[nodiscard]] std::vector<MemberId> holders(const chain::Txid& txid) const;
  /// Of all of them together; there is one.
  [[nodiscard]] ProgressEvent progress() const;
  /// For everybody to see, see WalletBoard.
  [[nodiscard]] ChainSummary chain_summary() const;
  /// The same for those who want to know more, without what SyncState knows.
  [[nodiscard]] SyncReport report(const net::Usage& usage) const;
  /// How long the loop should wait for more to come.
  [[nodiscard]] util::Duration gather_time() const;

 private:
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] bool has_room(const Shard& shard, std::size_t elements) const {
    return shard.session.elements() + elements <= room();
  }
  [[nodiscard]] Shard* with_room(std::size_t elements) const;
  /// For a wallet by the first block that it lacks; the second where all stand far from that.
  [[nodiscard]] Shard& near(chain::Height first, std::size_t elements, const OpenWallets& wallets);
  [[nodiscard]] Shard& far_from_all(chain::Height first, std::size_t elements, const OpenWallets& wallets);
  [[nodiscard]] Shard* highest_below(chain::Height height, std::size_t elements) const;
  /// One that waits for others to catch up.
  [[nodiscard]] Shard* waiting_with_room(std::size_t elements) const;
  [[nodiscard]] Shard& make(const OpenWallets& wallets, bool catches_up);
  /// For a wallet that is ahead of all others: from now on they catch up with it.
  [[nodiscard]] Shard& make_ahead(const OpenWallets& wallets);
  void put(Held& held, Shard& shard);
  /// The first block that a wallet lacks, as far as the headers tell.
  [[nodiscard]] chain::Height first_lacking(const wallet::Wallet& wallet) const;
  [[nodiscard]] std::vector<Shard*> startable() const;
  [[nodiscard]] bool can_unite(const Shard& into, const Shard& from) const;
  /// The keeper of the tip is not needed where wallets are.
  static void drop_keeper(Shard& shard);
  void warn_of_size(const Held& held, std::size_t elements);
  void count(const Shard& shard);

  const ClientSetup& setup_;
  Events& events_;
  std::vector<std::unique_ptr<Shard>> shards_;
  ByteCounts past_;  // of shards that are gone
  ScanCounts past_counts_;
  std::unique_ptr<wallet::Wallet> keeper_;  // see tip_keeper.h; in the first shard while all are empty
};

}  // namespace spv::client
