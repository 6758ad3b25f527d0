// Syncer: keeps the open wallets of a client in step with the network. It places them in shards, runs those on a loop,
// commits what they find and turns it into events.
//
// One mutex guards the wallets and the engines: a driver holds it for each step, everybody else while they look. What
// touches sockets happens on the loop alone. Functions say whether the mutex is held by the caller.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <spv/client.h>
#include <string>
#include <thread>
#include <vector>

#include "client/data_folder.h"
#include "client/event_queue.h"
#include "client/shard.h"
#include "client/wallet_shelf.h"
#include "net/loop.h"
#include "store/address_book_file.h"

namespace spv::client {

/// An open wallet.
struct Held {
  sync::MemberId id = 0;
  std::string name;
  OpenWallet open;
  /// What waits for its commit: mere scan positions, and what a commit did not take.
  wallet::Changes deferred;
  /// Told once that is on disk.
  std::vector<Event> news;
  Shard* shard = nullptr;
};

class Syncer {
 public:
  Syncer(const chain::NetworkParams& params, DataFolder folder, const WalletShelf& shelf, const Options& options,
         EventQueue& events);
  ~Syncer();
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  std::mutex mutex;

  // --- the mutex is not held
  // ------------------------------------------------------------------------------------------
  /// On a thread of its own, or on the loop given.
  Result<void> start(boost::asio::io_context* io);
  Result<void> stop();
  /// As it was started last.
  Result<void> resume();
  Result<void> restart();
  /// What add() leaves to do: its first block may lie below all headers that are here.
  enum class Added { Done, NeedsRestart };
  Result<Added> add(const std::string& name, OpenWallet open);
  /// Takes in a wallet that needs it; if that fails the wallet is closed.
  Result<void> restart_for(const std::string& name);
  Result<void> remove(const std::string& name);
  void set_budget(std::uint64_t bytes);
  [[nodiscard]] bool running();
  void on_wake(std::function<void()> wake);
  void subscribe(std::function<void(const Event&)> subscriber);

  // --- the mutex is held
  // ----------------------------------------------------------------------------------------------
  /// Null if it is not open.
  [[nodiscard]] Held* find(const std::string& name);
  /// The headers as they are now; null if nothing runs.
  [[nodiscard]] const chain::HeaderStore* headers() const;
  /// Commits these, with all that waits of this wallet: a later commit must not bring an older state back.
  void keep(Held& held, wallet::Changes changes);

 private:
  static Error not_from_callback();
  /// On the thread that syncs, or in a callback.
  [[nodiscard]] bool on_own_thread() const {
    const auto here = std::this_thread::get_id();
    return loop_thread_ == here || callback_thread_ == here;
  }
  /// On the loop, if this is still there then.
  void later(std::function<void()> what);
  /// A copy: others may add to them.
  [[nodiscard]] std::vector<Shard*> shards();
  Result<void> prepare(boost::asio::io_context* io);
  void reload_wallets();
  [[nodiscard]] ShardSetup setup();
  Held& hold(const std::string& name, OpenWallet open);
  Result<void> take_in(Held& held);
  void place(Held& held);
  void warn_of_size(const Held& held, std::size_t elements, double fp_rate);
  void displace(Held& held);
  void run_loop();
  void on_wallets_changed(Shard* shard);
  void retire(Shard& shard);
  void start_shards();
  void start_shard(Shard& shard);
  /// `tell`: with an event, for those who wait for one.
  Result<void> halt(bool tell);
  // These belong to the holder of control_.
  Result<void> start_under_control(boost::asio::io_context* io);
  void end_loop(bool tell);
  Result<void> wind_up();

  Result<void> save();
  void tell_end(const Error& error);
  void end_all(int code, std::string message);
  void on_done(Shard& shard, net::RunResult result, const std::string& trouble);
  void go_on();
  void collect(const std::vector<sync::MemberChanges>& wallets);
  void persist(const std::vector<sync::MemberChanges>& wallets);
  void commit_what_matters();
  void commit(Held& held);
  void flush_deferred();
  void notify(Shard& shard, const sync::Event& event);
  void tell_tip();
  void tell_conflict(Shard& shard, const sync::TransactionConflicted& event);
  void heartbeat(Shard& shard);
  void deliver();
  Held& by_id(sync::MemberId id);

  const chain::NetworkParams& params_;
  DataFolder folder_;
  const WalletShelf& shelf_;
  const Options& options_;
  EventQueue& events_;
  std::function<util::Now()> clock_;

  std::mutex control_;  // one start or stop at a time
  std::map<sync::MemberId, std::unique_ptr<Held>> wallets_;
  sync::MemberId next_id_ = 1;
  std::set<sync::MemberId> deferred_;
  util::TimePoint flush_at_{};
  sync::MemberId last_flushed_ = 0;
  util::TimePoint book_saved_{};
  std::optional<store::AddressBookFile> book_;
  std::uint64_t budget_ = 0;  // what is left; belongs to the loop while that runs
  bool bounded_ = false;
  std::optional<std::uint64_t> next_budget_;
  bool stale_ = false;             // a commit failed: memory is ahead of the files
  std::vector<std::string> shut_;  // wallets that could not be read again since then
  std::optional<Error> unsaved_;   // what kept the end of the sync from the disk

  std::unique_ptr<net::Loop> loop_;  // ours, if it is
  std::thread thread_;
  std::atomic<std::thread::id> loop_thread_{};
  std::atomic<std::thread::id> callback_thread_{};
  boost::asio::io_context* io_ = nullptr;
  boost::asio::io_context* last_io_ = nullptr;  // as it was started last
  std::vector<std::unique_ptr<Shard>> shards_;
  bool running_ = false;
  bool synced_told_ = false;
  std::optional<ProgressEvent> told_;
  std::optional<chain::BlockRef> told_tip_;
  net::Traffic past_;  // of shards that are gone

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::recursive_mutex callbacks_;  // held while they are called, and they may replace themselves
  std::function<void()> wake_;
  std::function<void(const Event&)> subscriber_;
};

}  // namespace spv::client
