#include "store/postgres/errand_table.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "store/postgres/transaction.h"

namespace spv::store::postgres {
namespace {

constexpr Statement kPost{.name = "errand_post",
                          .sql =
                              "INSERT INTO errand (shard, wallet, kind, body, expires) VALUES ($1, $2, $3, $4,"
                              " clock_timestamp() + $5 * interval '1 millisecond') RETURNING id"};
// Those of processes that died before they read the answer. A taken one is kept for a while, for people.
constexpr Statement kForgetOld{.name = "errand_forget_old",
                               .sql = "DELETE FROM errand WHERE expires < clock_timestamp() - interval '10 minutes'"};
constexpr Statement kWithdraw{.name = "errand_withdraw",
                              .sql = "UPDATE errand SET state = 'withdrawn' WHERE id = $1 AND state = 'waiting'"};
constexpr Statement kRead{.name = "errand_read", .sql = "SELECT state, answer FROM errand WHERE id = $1"};
constexpr Statement kForget{.name = "errand_forget",
                            .sql = "DELETE FROM errand WHERE id = $1 AND state IN ('done', 'withdrawn')"};
constexpr Statement kWaiting{.name = "errand_waiting",
                             .sql =
                                 "SELECT DISTINCT shard FROM errand"
                                 " WHERE state = 'waiting' AND expires > clock_timestamp() AND shard = ANY($1)"};
// Few at a time: each may be a megabyte.
constexpr Statement kTake{
    .name = "errand_take",
    .sql =
        "WITH due AS MATERIALIZED (SELECT id FROM errand WHERE shard = ANY($1) AND state = 'waiting'"
        " AND expires > clock_timestamp() ORDER BY id LIMIT 16 FOR UPDATE SKIP LOCKED)"
        " UPDATE errand SET state = 'taken' FROM due WHERE errand.id = due.id"
        " RETURNING errand.id, wallet, kind, body"};
constexpr Statement kAnswer{.name = "errand_answer",
                            .sql = "UPDATE errand SET state = 'done', answer = $2 WHERE id = $1 AND state = 'taken'"};

void check_length(std::string_view what, std::string_view text) {
  if (text.size() <= kMaxErrandText) return;
  throw StoreError(StoreError::Kind::Constraint, std::string(what) + " has " + std::to_string(text.size()) +
                                                     " bytes; at most " + std::to_string(kMaxErrandText) +
                                                     " are allowed");
}

void forget(Connection& connection, const Params& which) {
  try {
    connection.run(kForget, which);
  } catch (const StoreError&) {  // NOLINT(bugprone-empty-catch): it is forgotten when it is old
  }
}

std::vector<HeldShard> with_errands(Connection& connection, const std::vector<HeldShard>& held) {
  std::vector<std::optional<std::int16_t>> ids;
  ids.reserve(held.size());
  for (const HeldShard& shard : held) ids.emplace_back(shard.id);
  const Result rows = connection.run(kWaiting, Params().smallints(ids));
  std::set<std::int16_t> wanted;
  for (std::size_t row = 0; row < rows.rows(); ++row) wanted.insert(rows.smallint(row, 0));
  std::vector<HeldShard> out;
  std::ranges::copy_if(held, std::back_inserter(out), [&](const auto& shard) { return wanted.contains(shard.id); });
  return out;
}

std::vector<Errand> read_errands(const Result& rows) {
  std::vector<Errand> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out.push_back({.id = rows.bigint(row, 0),
                   .wallet = std::string(rows.text(row, 1)),
                   .kind = std::string(rows.text(row, 2)),
                   .body = std::string(rows.text(row, 3))});
  }
  std::ranges::sort(out, {}, &Errand::id);
  return out;
}

std::vector<Errand> take_of(Backend& backend, Connection& connection, const std::vector<HeldShard>& shards) {
  std::vector<std::optional<std::int16_t>> ids;
  ids.reserve(shards.size());
  for (const HeldShard& shard : shards) ids.emplace_back(shard.id);
  try {
    const auto results = run_fenced(backend, connection, shards, {{kForgetOld, {}}, {kTake, Params().smallints(ids)}});
    return read_errands(results.back());
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::Fenced) throw;
    return {};  // another worker has the shard by now, and takes them
  }
}

}  // namespace

ErrandId post_errand(Connection& connection, const std::string& wallet, std::string_view kind, std::string_view body,
                     std::chrono::milliseconds timeout) {
  check_length("the request", body);
  const std::int16_t shard = shard_of(wallet);
  const Params params = Params().smallint(shard).text(wallet).text(kind).text(body).bigint(timeout.count());
  const auto results =
      run_transaction(connection, {{kForgetOld, {}}, {kPost, params}, notice(kErrandChannel, std::to_string(shard))});
  return results[1].bigint(0, 0);
}

ErrandReply read_reply(Connection& connection, ErrandId id, bool last) {
  const Params which = Params().bigint(id);
  std::vector<Command> commands{{kRead, which}};
  if (last) commands.insert(commands.begin(), {kWithdraw, which});
  const Result row = std::move(run_transaction(connection, std::move(commands)).back());
  if (row.empty()) return {.answer = std::nullopt, .taken = true};  // it is old; what became of it is not known
  const std::string_view state = row.text(0, 0);
  ErrandReply reply{.answer = std::nullopt, .taken = state == "taken" || state == "done"};
  if (const auto answer = row.optional_text(0, 1)) reply.answer = std::string(*answer);
  if (last || reply.answer) forget(connection, which);
  return reply;
}

std::vector<Errand> take_errands(Backend& backend) {
  const std::vector<HeldShard> held = backend.leases.held();
  if (held.empty()) return {};
  const auto shards = backend.queries.read([&](Connection& connection) { return with_errands(connection, held); });
  if (shards.empty()) return {};
  return backend.queries.use([&](Connection& connection) { return take_of(backend, connection, shards); });
}

void answer_errand(Connection& connection, ErrandId id, std::string_view answer) {
  check_length("the answer", answer);
  run_transaction(connection, {{kAnswer, Params().bigint(id).text(answer)}, notice(kAnswerChannel, "")});
}

}  // namespace spv::store::postgres
