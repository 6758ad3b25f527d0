// Syncer: keeps the open wallets of a client in step with the network. Its parts: the wallets and their commits
// (open_wallets.h), where they are followed (shards.h), what is told (announcer.h, events.h), what it runs on
// (sync_loop.h).
//
// Locks, in the order in which they are taken; each may be taken without those before it:
//   1. loop_          one start or stop at a time
//   2. Events         the callbacks, while they are called; they may do everything but 1
//   3. Client::Impl   who makes and opens wallets
//   4. state_         wallets and engines: a driver holds it for each step, everybody else while they look
//   5. EventQueue     the queue
// What touches sockets happens on the loop's thread alone, and not under state_.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <spv/client.h>
#include <string>
#include <thread>
#include <vector>

#include "client/client_setup.h"
#include "client/events.h"
#include "client/guarded.h"
#include "client/sync_loop.h"
#include "client/sync_state.h"

namespace spv::client {

class Syncer {
 public:
  Syncer(const ClientSetup& setup, Events& events) : setup_(setup), events_(events), state_(setup, events) {}
  ~Syncer();
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  /// The wallets, for a look.
  [[nodiscard]] Guarded<SyncState>::Lock lock() { return state_.lock(); }

  /// On a thread of its own, or on the loop given.
  Result<void> start(boost::asio::io_context* io);
  Result<void> stop();
  /// As it was started last.
  Result<void> resume();
  Result<void> restart();
  /// Goes on with a sync that waits for its store; does nothing if none does.
  void resume_if_waiting();
  /// Somebody calls resume_if_waiting() from now on.
  void resumes_by_itself() { resumes_by_itself_ = true; }
  [[nodiscard]] bool running() { return state_.lock()->running; }
  void set_budget(std::uint64_t bytes) { state_.lock()->budget.next = bytes; }

  /// What add() leaves to do: its first block may lie below all headers that are here.
  enum class Added { Done, NeedsRestart };
  Result<Added> add(const std::string& name, OpenWallet open);
  /// The same for many: those that are scanned together begin anew once for all of them.
  struct Named {
    std::string name;
    OpenWallet open;
  };
  Result<Added> add_all(std::vector<Named> wallets);
  /// Takes in a wallet that needs it; if that fails the wallet is closed.
  Result<void> restart_for(const std::string& name);
  Result<void> remove(const std::string& name);

  // --- spending; `state` is what lock() gave ---
  /// Why nothing can be sent now; nothing if it can.
  [[nodiscard]] static std::optional<Error> cannot_send(SyncState& state, const Held* held);
  /// Stores a payment of a wallet; throws StoreError, and then nothing of it counts.
  Result<void> store_payment(SyncState& state, Held& held, const chain::Transaction& tx,
                             const wallet::OwnPaymentTerms& terms);
  /// Sends it soon, on the loop. `held`: whose payment it is, or null. It can be sent.
  void send_soon(SyncState& state, const Held* held, chain::Transaction tx);
  void request_fees_soon(SyncState& state);
  /// A wallet watches scripts that nobody knows yet: peers get filters that hold them.
  void watch_more(SyncState& state, const Held& held);

 private:
  static Error not_from_callback();
  /// On the thread that syncs, or in a callback.
  [[nodiscard]] bool on_own_thread() const;
  /// On the loop, if this is still there then.
  void later(boost::asio::io_context& io, std::function<void()> what);

  // --- start and stop ---
  /// When a sync that starts now runs out of the time that the options allow.
  [[nodiscard]] std::optional<util::TimePoint> time_limit() const;
  Result<void> begin(SyncLoop& loop, boost::asio::io_context* io, std::optional<util::TimePoint> ends_at);
  Result<void> prepare(SyncLoop& loop, boost::asio::io_context* io);
  void run_loop(net::Loop& loop);
  /// `tell`: with an event, for those who wait for one.
  Result<void> halt(bool tell);
  void end_loop(SyncLoop& loop, bool tell);
  Result<void> wind_up(SyncLoop& loop);
  void tell_end(const Error& error);

  // --- on the thread of the loop, outside of a step ---
  void start_shards();
  void start_shard(Shard& shard);
  [[nodiscard]] SessionHooks hooks_of(Shard& shard);
  void stop_shards();
  void on_done(Shard& shard, RunResult result, const std::string& trouble);
  /// A shard has ended: all may be done, or others have waited for its headers.
  void go_on();
  /// It failed because of the store, and somebody resumes it.
  [[nodiscard]] bool may_wait(const SyncState& state) const;
  void end_all(int code, std::string message, bool by_user = false);
  void on_wallets_changed(Shard* shard);
  /// Wallets that have caught up are followed with others.
  void unite_shards();
  void tell_network(Shard* shard, const chain::Transaction& tx);
  void remove_empty(Shard& shard);
  void retire(Shard& shard);

  /// Within a step.
  void heartbeat(SyncState& state, Shard& shard);
  /// Those that have left a shard because they have to be scanned again.
  void place_again(SyncState& state, Shard& left);

  std::atomic<bool> resumes_by_itself_ = false;
  std::atomic<bool> own_loop_ = false;
  const ClientSetup& setup_;
  Events& events_;
  Guarded<SyncLoop> loop_;
  Guarded<SyncState> state_;
  SyncState* in_step_ = nullptr;  // what a step of a driver has locked, for the hooks that it calls
  std::atomic<std::thread::id> loop_thread_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace spv::client
