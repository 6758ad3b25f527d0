// SyncState: what the thread that syncs shares with those who look at wallets. It has one lock (see Syncer), because an
// engine changes the wallets of its session as it works.
#pragma once

#include <optional>
#include <spv/client.h>

#include "client/announcer.h"
#include "client/open_wallets.h"
#include "client/peer_book.h"
#include "client/shards.h"

namespace spv::client {

/// What may still be read and written. `left` belongs to the loop while that runs.
struct ByteBudget {
  bool bounded = false;
  std::uint64_t left = 0;
  std::optional<std::uint64_t> next;  // from the next start on; 0: no bound

  /// A sync begins; false if nothing is left.
  bool renew();
};

struct SyncState {
  SyncState(const ClientSetup& given, Events& events);

  /// An open wallet that can be used now.
  [[nodiscard]] Result<Held*> usable(const std::string& name);
  /// Commits what concerns a wallet, with all that its session has found and not committed yet.
  void keep(Held& held, wallet::Changes changes);
  /// Everything that is not on disk yet.
  Result<void> save();
  /// Places all wallets and opens the headers. If that fails nothing is placed.
  Result<void> place_all(boost::asio::io_context& loop);
  /// Takes in a wallet while a sync runs. If that fails it is closed.
  Result<void> take_in(Held& held);
  /// Gives those that have left a shard another place, and where that is.
  std::vector<Shard*> place_again(Shard& left);
  /// Puts wallets that have caught up with others; nothing if there are none to.
  std::optional<Shards::Union> unite();
  /// How the sync stands and what it has cost.
  [[nodiscard]] SyncReport report() const;
  /// Puts up how the chain stands, see WalletBoard.
  void show();
  /// Nothing runs any more.
  void end();
  [[nodiscard]] SessionSetup session_setup();

  const ClientSetup& setup;
  OpenWallets wallets;
  Shards shards;
  Announcer announcer;
  ByteBudget budget;
  net::Usage usage{};
  std::optional<PeerBook> book{};            // where peers are found by it
  boost::asio::io_context* io = nullptr;     // of the sessions
  std::optional<util::TimePoint> ends_at{};  // when the time that the options allow is up
  std::optional<Error> unsaved{};            // what kept the end of the sync from the disk
  bool running = false;
  bool stands_otherwise = false;  // than the board shows
  bool waits_for_store = false;   // it ended because the store is away, and goes on when that is back
  /// What peers said last about fees, and when.
  struct Fees {
    FeesKnown known;
    util::TimePoint at{};
  };
  std::optional<Fees> fees{};

 private:
  void open_headers();
  /// At the start of a sync; the headers are open.
  [[nodiscard]] Result<void> check_clock();
};

}  // namespace spv::client
