#include "store/postgres/leases.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "store/postgres/transaction.h"
#include "util/hash.h"

namespace spv::store::postgres {
namespace {

// clock_timestamp() and not now(): that is when the transaction began, and it may have waited for a lock since.
constexpr Statement kSignOn{.name = "lease_sign_on",
                            .sql =
                                "INSERT INTO worker (name, alive_until, shares, host) VALUES ($1, clock_timestamp() +"
                                " $2 * interval '1 millisecond', $3, $4) RETURNING id"};
// One that slept for so long that its row is gone signs on again under its number, which nobody else ever gets.
constexpr Statement kAlive{.name = "lease_alive",
                           .sql =
                               "INSERT INTO worker (id, name, alive_until, shares, host) OVERRIDING SYSTEM VALUE"
                               " VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', $4, $5)"
                               " ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until,"
                               " shares = excluded.shares, seen = excluded.seen"};
constexpr Statement kReport{.name = "lease_report", .sql = "UPDATE worker SET wallets = $2, height = $3 WHERE id = $1"};
// Who crashed leaves its row; nobody needs it once others have its shards.
constexpr Statement kBury{.name = "lease_bury",
                          .sql =
                              "DELETE FROM worker WHERE alive_until < clock_timestamp() - interval '1 hour'"
                              " AND NOT EXISTS (SELECT FROM shard WHERE shard.worker = worker.id)"};
constexpr Statement kRenew{.name = "lease_renew",
                           .sql =
                               "UPDATE shard SET lease_until = clock_timestamp() + $2 * interval '1 millisecond'"
                               " WHERE worker = $1"};
// A shard in the middle of a commit is locked: it is given up the next time. Locked for update, as hold_shards() needs.
constexpr Statement kGiveUp{
    .name = "lease_give_up",
    .sql =
        "WITH fair AS (SELECT ceil(256.0 / count(*))::bigint AS share FROM worker"
        " WHERE (shares AND alive_until > clock_timestamp()) OR id = $1),"
        " excess AS MATERIALIZED (SELECT id FROM shard WHERE worker = $1 ORDER BY id DESC"
        " LIMIT greatest((SELECT count(*) FROM shard WHERE worker = $1) - (SELECT share FROM fair), 0)"
        " FOR UPDATE SKIP LOCKED)"
        " UPDATE shard SET worker = NULL, lease_until = NULL, epoch = epoch + 1 FROM excess"
        " WHERE shard.id = excess.id"};
constexpr Statement kTake{
    .name = "lease_take",
    .sql =
        "WITH fair AS (SELECT ceil(256.0 / count(*))::bigint AS share FROM worker"
        " WHERE (shares AND alive_until > clock_timestamp()) OR id = $1),"
        " free AS MATERIALIZED (SELECT id FROM shard WHERE worker IS NULL"
        " OR (worker <> $1 AND lease_until < clock_timestamp()) ORDER BY id"
        " LIMIT greatest((SELECT share FROM fair) - (SELECT count(*) FROM shard WHERE worker = $1), 0)"
        " FOR UPDATE SKIP LOCKED)"
        " UPDATE shard SET worker = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',"
        " epoch = epoch + 1 FROM free WHERE shard.id = free.id"};
// A shard that is locked is in the middle of a commit, or of being taken.
constexpr Statement kTakeThese{
    .name = "lease_take_these",
    .sql =
        "WITH free AS MATERIALIZED (SELECT id FROM shard WHERE id = ANY($3)"
        " AND (worker IS NULL OR (worker <> $1 AND lease_until < clock_timestamp())) ORDER BY id FOR UPDATE SKIP "
        "LOCKED)"
        " UPDATE shard SET worker = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',"
        " epoch = epoch + 1 FROM free WHERE shard.id = free.id"};
constexpr Statement kGiveUpThese{
    .name = "lease_give_up_these",
    .sql =
        "WITH mine AS MATERIALIZED (SELECT id FROM shard WHERE id = ANY($2) AND worker = $1 ORDER BY id FOR UPDATE)"
        " UPDATE shard SET worker = NULL, lease_until = NULL, epoch = epoch + 1 FROM mine WHERE shard.id = mine.id"};
constexpr Statement kHeld{.name = "lease_held", .sql = "SELECT id, epoch FROM shard WHERE worker = $1 ORDER BY id"};
constexpr Statement kReleaseLock{.name = "lease_release_lock",
                                 .sql = "SELECT id FROM shard WHERE worker = $1 ORDER BY id FOR UPDATE"};
constexpr Statement kRelease{.name = "lease_release",
                             .sql =
                                 "UPDATE shard SET worker = NULL, lease_until = NULL, epoch = epoch + 1"
                                 " WHERE worker = $1"};
constexpr Statement kSignOff{.name = "lease_sign_off", .sql = "DELETE FROM worker WHERE id = $1"};
constexpr Statement kFence{.name = "lease_fence", .sql = "SELECT hold_shards($1, $2, $3)"};

std::vector<HeldShard> read_shards(const Result& rows) {
  std::vector<HeldShard> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out.push_back({.id = rows.smallint(row, 0), .epoch = rows.bigint(row, 1)});
  }
  return out;
}

// Both in order.
std::vector<HeldShard> without(const std::vector<HeldShard>& all, const std::vector<HeldShard>& these) {
  std::vector<HeldShard> out;
  std::set_difference(all.begin(), all.end(), these.begin(), these.end(), std::back_inserter(out));
  return out;
}

}  // namespace

std::int16_t shard_of(std::string_view wallet_name) { return util::sha256(util::as_bytes(wallet_name)).bytes[0]; }

Leases::Leases(Connection& connection, LeaseOptions options) : options_(std::move(options)) { sign_on(connection); }

void Leases::sign_on(Connection& connection) {
  const Params params =
      Params().text(options_.name).bigint(options_.length.count()).boolean(options_.shares).text(options_.host);
  worker_ = connection.run(kSignOn, params).bigint(0, 0);
}

Command Leases::alive() const {
  return {kAlive,
          me().text(options_.name).bigint(options_.length.count()).boolean(options_.shares).text(options_.host)};
}

Command Leases::report(const WorkerStatus& status) const {
  return {kReport, me().integer(status.wallets).integer(status.height)};
}

Leases::Round Leases::renew(Connection& connection, const WorkerStatus& status) {
  const Params me_and_length = me().bigint(options_.length.count());
  std::vector<Command> commands{alive(), report(status), {kRenew, me_and_length}};
  if (options_.shares) {
    commands.push_back({kGiveUp, me()});
    commands.push_back({kTake, me_and_length});
  }
  commands.push_back({kBury, {}});
  commands.push_back({kHeld, me()});
  const std::vector<Result> results = run_transaction(connection, std::move(commands));
  std::vector<HeldShard> held = read_shards(results.back());
  Round round{.taken = without(held, held_), .gone = without(held_, held)};
  held_ = std::move(held);
  return round;
}

void Leases::take(Connection& connection, const std::vector<std::int16_t>& shards) {
  const Params params = me().bigint(options_.length.count()).smallints({shards.begin(), shards.end()});
  const auto results = run_transaction(connection, {alive(), {kTakeThese, params}, {kHeld, me()}});
  held_ = read_shards(results.back());
}

void Leases::give_up(Connection& connection, const std::vector<std::int16_t>& shards) {
  const Params params = me().smallints({shards.begin(), shards.end()});
  const auto results = run_transaction(connection, {{kGiveUpThese, params}, {kHeld, me()}});
  held_ = read_shards(results.back());
}

void Leases::release(Connection& connection) {
  run_transaction(connection, {{kReleaseLock, me()}, {kRelease, me()}, {kSignOff, me()}});
  held_.clear();
}

Command Leases::fence(std::int64_t worker, const std::vector<HeldShard>& shards) {
  std::vector<std::optional<std::int16_t>> ids;
  std::vector<std::optional<std::int64_t>> epochs;
  for (const HeldShard& shard : shards) {
    ids.emplace_back(shard.id);
    epochs.emplace_back(shard.epoch);
  }
  return {.statement = kFence, .params = Params().bigint(worker).smallints(ids).bigints(epochs)};
}

}  // namespace spv::store::postgres
