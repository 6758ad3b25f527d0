// OpenWallets: the open wallets of a client, and what waits for its commit. A transaction is committed at once, and
// told when that is done; a mere scan position waits, because a commit waits for the disk.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <spv/types.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/client_setup.h"
#include "client/events.h"
#include "client/open_wallet.h"
#include "client/session.h"

namespace spv::client {

struct Shard;

/// An open wallet.
struct Held {
  MemberId id = 0;
  std::string name;
  OpenWallet open;
  /// What waits for its commit: mere scan positions, and what a commit did not take. Its events are told then.
  wallet::Changes deferred;
  /// Another process follows it by now: nothing of it is committed, and it is about to be closed.
  bool lost = false;
  /// Where it is followed; null while nothing runs.
  Shard* shard = nullptr;
};

class OpenWallets {
 public:
  OpenWallets(const ClientSetup& setup, Events& events) : setup_(setup), events_(events) {}
  OpenWallets(const OpenWallets&) = delete;
  OpenWallets& operator=(const OpenWallets&) = delete;
  ~OpenWallets() { close_all(); }

  /// Null if it is not open.
  [[nodiscard]] Held* find(const std::string& name);
  [[nodiscard]] Held& at(MemberId id) { return *wallets_.at(id); }
  [[nodiscard]] const std::map<MemberId, std::unique_ptr<Held>>& all() const { return wallets_; }
  /// Where headers that serve all of them begin.
  [[nodiscard]] store::HeaderBase oldest_base() const;

  Held& open(const std::string& name, OpenWallet wallet);
  /// What waits of it is lost: commit() it first.
  void close(Held& held);
  /// It is in use: of those that were not for long, one rests.
  void keep_awake(Held& held);
  /// True if a wallet of this name could not be read again, and is given up by this.
  bool give_up(const std::string& name) { return std::erase(shut_, name) != 0; }

  /// Notes what is to be committed, for all wallets before any is committed: if the commit of one fails, the changes of
  /// the others are not lost. Functions that write throw StoreError.
  void note(const std::vector<MemberChanges>& changes);
  /// Notes it and commits what matters; mere scan positions in their turn.
  void persist(const std::vector<MemberChanges>& changes);
  /// Commits these, with all that waits of this wallet: a later commit must not bring an older state back.
  void keep(Held& held, wallet::Changes changes);
  /// Commits what waits of this wallet, if anything does.
  void commit_pending(Held& held);
  /// Commits what waits, scan positions for a moment only.
  void flush();
  void flush_if_due();

  /// Tells in the log which wallets are synced, of those that it is owed for: for a moment only, the rest next time.
  void tell_synced();
  /// The same for the tip of the chain. False if it is to be tried again.
  [[nodiscard]] bool tell_tip(const store::ChainView& chain);

  /// A commit failed: memory is ahead of the files, and reload() reads them again.
  void mark_stale() { stale_ = true; }
  [[nodiscard]] bool stale() const { return stale_; }
  /// The last commit failed because the store could not be reached, or because another process has taken a wallet over.
  [[nodiscard]] bool store_away() const { return store_away_; }
  /// Throws what kept a wallet from being read; that one stays closed until the next call.
  void reload();

 private:
  void add(Held& held, wallet::Changes changes);
  void forget(Held& held);
  /// Puts up how it stands, see WalletBoard.
  void show(const Held& held);
  void show_position(const Held& held);
  void close_all();
  /// Commits what waits of these, and tells what is durable then.
  void commit(const std::vector<Held*>& due);
  void commit_once(const std::vector<Held*>& due);
  void settle(const std::vector<Held*>& due, const std::vector<store::WalletChanges>& batch);
  void commit_what_matters();
  void commit_positions();
  void commit_all_positions();
  void commit_positions_in_turn();
  /// Opens what is shut; false if one of them cannot be read, and then none is open.
  [[nodiscard]] bool read_together();
  void read_one_by_one();

  const ClientSetup& setup_;
  Events& events_;
  std::map<MemberId, std::unique_ptr<Held>> wallets_;
  std::unordered_map<std::string, Held*> by_name_;
  std::vector<MemberId> awake_;  // those that were used last, at the end
  MemberId next_id_ = 1;
  std::set<MemberId> deferred_;
  std::set<MemberId> unsynced_;  // whose "synced" event is still owed
  util::TimePoint flush_at_{};
  MemberId last_flushed_ = 0;
  bool stale_ = false;
  bool store_away_ = false;
  bool outcome_unknown_ = false;   // of the last commit
  std::vector<std::string> shut_;  // wallets that could not be read again
};

}  // namespace spv::client
