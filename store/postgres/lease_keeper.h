// LeaseKeeper: the leases of this process, renewed by a thread on a connection of its own. It signs on as a worker when
// it is first asked for a shard: who only reads needs no right to write.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "store/postgres/leases.h"

namespace spv::store::postgres {

/// How a process connects, and how long its leases are.
struct DatabaseOptions {
  std::string worker_name = "spv";          // for people
  std::chrono::milliseconds lease{10'000};  // renewed at a third of it
  ConnectOptions connect = {};
};

class LeaseKeeper {
 public:
  /// `on_change`: what is held is another by now; from any thread.
  LeaseKeeper(DatabaseUrl url, DatabaseOptions options, std::function<void()> on_change);
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  /// Gives all up, where the server can be reached.
  ~LeaseKeeper();

  /// Holds a shard for as long as it lives.
  class Hold {
   public:
    Hold(LeaseKeeper& keeper, const HeldShard& shard) : keeper_(&keeper), shard_(shard) {}
    Hold(Hold&& other) noexcept : keeper_(std::exchange(other.keeper_, nullptr)), shard_(other.shard_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (keeper_ != nullptr) keeper_->let_go(shard_.id);
    }
    [[nodiscard]] const HeldShard& shard() const { return shard_; }

   private:
    LeaseKeeper* keeper_;
    HeldShard shard_;
  };
  /// Takes the shards of these wallets, one hold for each; throws Locked if another worker has one of them.
  std::vector<Hold> hold(const std::vector<std::string>& wallet_names);
  /// As long as this lives, holds that end do not give their shards up; at its end all of those together.
  [[nodiscard]] std::shared_ptr<void> give_up_together();
  /// Takes the fair share of all shards, now and at each renewal.
  void share();
  /// Renews at once, as after a refused commit: what is held by another worker is not counted as held any more.
  void refresh() noexcept;
  /// As the last renewal found it.
  [[nodiscard]] std::vector<HeldShard> held();
  /// What the next renewals say about this process.
  void report_wallets(std::size_t followed) { wallets_ = static_cast<int>(followed); }
  void report_height(std::int32_t scanned);
  /// Its number; 0: it has not signed on.
  [[nodiscard]] std::int64_t worker() const { return worker_; }
  /// See Leases::fence.
  [[nodiscard]] Command fence(const std::vector<HeldShard>& shards) const { return Leases::fence(worker_, shards); }

 private:
  void let_go(std::int16_t shard) noexcept;
  void end_together() noexcept;
  // All with the lock.
  Connection& ready();
  Leases& signed_on();
  void take_missing(const std::vector<std::string>& wallet_names);
  [[noreturn]] void throw_locked(const std::string& wallet_name);
  void give_up_unused(const std::vector<std::int16_t>& shards);
  void give_up_all_unused();
  [[nodiscard]] const HeldShard* find(std::int16_t shard) const;

  void run();
  void renew();
  [[nodiscard]] WorkerStatus status() const;
  /// Renews, and says so if something changed.
  void renew_and_tell(std::unique_lock<std::mutex>& lock);

  const DatabaseUrl url_;
  const DatabaseOptions options_;
  const std::function<void()> on_change_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::atomic<std::int64_t> worker_ = 0;
  std::atomic<int> wallets_ = 0;
  std::atomic<std::int32_t> height_ = -1;
  std::optional<Connection> connection_;
  std::optional<Leases> leases_;
  std::map<std::int16_t, int> users_;  // how many holds there are of a shard
  int together_ = 0;                   // who gives up together
  std::thread thread_;
};

}  // namespace spv::store::postgres
