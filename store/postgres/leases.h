// Leases: which worker follows which wallets. Wallets belong to one of 256 shards; a worker leases shards for a few
// seconds at a time, by the database's clock, and renews them before they end. Each gets its fair share of them: who
// has more gives the excess up, who has less takes what is free or expired.
//
// The lease says who may begin; what keeps two from writing is the fence. Each change of a shard's worker gives it a
// new epoch, and every commit begins with a fence, which fails if the epoch is another by now, and keeps the shard from
// being taken until the commit has ended. So a worker that slept through its lease writes nothing if another took its
// shard; if nobody did, it may go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/connection.h"

namespace spv::store::postgres {

inline constexpr int kShards = 256;
/// The shard of a wallet, from its name.
std::int16_t shard_of(std::string_view wallet_name);

/// A shard as one worker holds it.
struct HeldShard {
  std::int16_t id = 0;
  std::int64_t epoch = 0;
  friend auto operator<=>(const HeldShard&, const HeldShard&) = default;
};

struct LeaseOptions {
  std::string name = "spv";                  // of the worker, for people
  std::chrono::milliseconds length{10'000};  // renew at a third of it
  bool shares = true;                        // takes its share of all shards; else only what take() is asked for
  std::string host = {};                     // where it runs
};

/// What a worker says about itself with each renewal.
struct WorkerStatus {
  int wallets = 0;
  std::optional<std::int32_t> height;
};

/// One worker. Its calls are one round trip each, and throw DatabaseError.
class Leases {
 public:
  /// What changed with a renewal. Who lost a shard or gave it up drops what it knows of its wallets.
  struct Round {
    std::vector<HeldShard> taken;
    std::vector<HeldShard> gone;  // given up, or taken by another while this one slept
  };

  /// Registers the worker; it holds nothing yet. The tables must be there.
  Leases(Connection& connection, LeaseOptions options);

  /// Renews what this worker holds; one that shares then gives up or takes to reach its fair share. On any connection;
  /// where it throws, the worker goes on with what it held, and the fence decides.
  Round renew(Connection& connection, const WorkerStatus& status = {});
  /// Takes those of these shards that are free or whose lease has ended; see held().
  void take(Connection& connection, const std::vector<std::int16_t>& shards);
  /// Gives up those of these shards that it holds.
  void give_up(Connection& connection, const std::vector<std::int16_t>& shards);
  /// Takes its share of all shards from the next renewal on.
  void share() { options_.shares = true; }
  /// Gives all up and signs off, so that nobody has to wait for the leases to end.
  void release(Connection& connection);

  [[nodiscard]] std::int64_t worker() const { return worker_; }
  [[nodiscard]] const LeaseOptions& options() const { return options_; }
  /// In order of their numbers.
  [[nodiscard]] const std::vector<HeldShard>& held() const { return held_; }

  /// The first command of a transaction that writes wallets of these shards: fails with kind Fenced.
  [[nodiscard]] Command fence(const std::vector<HeldShard>& shards) const { return fence(worker_, shards); }
  static Command fence(std::int64_t worker, const std::vector<HeldShard>& shards);

 private:
  void sign_on(Connection& connection);
  /// Keeps its row alive, or signs on again.
  [[nodiscard]] Command alive() const;
  [[nodiscard]] Command report(const WorkerStatus& status) const;
  [[nodiscard]] Params me() const { return Params().bigint(worker_); }

  LeaseOptions options_;
  std::int64_t worker_ = 0;
  std::vector<HeldShard> held_;
};

}  // namespace spv::store::postgres
