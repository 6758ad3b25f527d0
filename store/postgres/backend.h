// Backend: what a DatabaseStore and its wallets share: the connections and the leases.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/params.h"
#include "store/postgres/lease_keeper.h"
#include "store/postgres/notices.h"
#include "store/postgres/shared_connection.h"

namespace spv::store::postgres {

/// The wallets that this process has open for writing.
class OpenWriters {
 public:
  /// False if it is there already.
  [[nodiscard]] bool add(std::int64_t wallet) {
    const std::lock_guard lock(mutex_);
    return wallets_.insert(wallet).second;
  }
  void remove(std::int64_t wallet) {
    const std::lock_guard lock(mutex_);
    wallets_.erase(wallet);
  }

 private:
  std::mutex mutex_;
  std::set<std::int64_t> wallets_;
};

struct Backend {
  Backend(const DatabaseUrl& database, chain::Network of, const DatabaseOptions& options)
      : url(database),
        network(of),
        connect(options.connect),
        queries(database, options.connect),
        commits(database, options.connect),
        notices(database, options.connect),
        leases(database, options, [this] { notices.wallets().ring(); }) {}

  const DatabaseUrl url;
  const chain::Network network;
  const ConnectOptions connect;
  SharedConnection queries;  // all but commits
  SharedConnection commits;
  Notices notices;
  LeaseKeeper leases;
  OpenWriters writers;
};

/// A transaction that writes wallets of these shards, in one round trip; gives the results of the commands. Once more
/// where another one was in the way. Throws Fenced if a shard is another worker's by now; then the leases are looked at
/// again at once: who opens a wallet anew must not be given one that is lost.
std::vector<Result> run_fenced(Backend& backend, Connection& connection, const std::vector<HeldShard>& shards,
                               std::vector<Command> commands);

/// One wallet that this process alone writes, as long as it lives: its shard is held, and no other handle of this
/// process is open for writing.
class WriterHold {
 public:
  /// Throws Locked.
  WriterHold(std::shared_ptr<Backend> backend, LeaseKeeper::Hold hold, std::int64_t wallet, const std::string& name)
      : backend_(std::move(backend)), hold_(std::move(hold)), wallet_(wallet) {
    if (backend_->writers.add(wallet_)) return;
    throw StoreError(StoreError::Kind::Locked, "the wallet " + name + " is open for writing in this process already");
  }
  WriterHold(const WriterHold&) = delete;
  WriterHold& operator=(const WriterHold&) = delete;
  ~WriterHold() { backend_->writers.remove(wallet_); }
  [[nodiscard]] const HeldShard& shard() const { return hold_.shard(); }

 private:
  std::shared_ptr<Backend> backend_;  // outlives the hold
  LeaseKeeper::Hold hold_;
  std::int64_t wallet_;
};

}  // namespace spv::store::postgres
