#include "store/postgres/transaction.h"

#include <utility>

#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

// What the server or the database has for a default does not count: our statements are written for this level.
constexpr Statement kBegin{.name = "begin", .sql = "BEGIN ISOLATION LEVEL READ COMMITTED"};
constexpr Statement kBeginSnapshot{.name = "begin_snapshot", .sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Statement kCommit{.name = "commit", .sql = "COMMIT"};

// A transaction in which a statement failed ends with a rollback, which is no error to the server.
void require_committed(const Result& commit) {
  if (commit.tag() == "COMMIT") return;
  throw DatabaseError(StoreError::Kind::Database,
                      "database: the transaction was rolled back, because a statement in it had failed", "25P02");
}

std::vector<Result> run_between(Connection& connection, const Statement& begin, std::vector<Command> commands) {
  util::ensure(!connection.in_transaction(), "one transaction at a time");
  commands.insert(commands.begin(), {.statement = begin});
  commands.push_back({.statement = kCommit});
  try {
    std::vector<Result> results = connection.run_all(commands);
    require_committed(results.back());
    results.pop_back();
    results.erase(results.begin());
    return results;
  } catch (const DatabaseError&) {
    if (connection.in_transaction()) connection.execute("ROLLBACK");
    throw;
  }
}

}  // namespace

std::vector<Result> run_transaction(Connection& connection, std::vector<Command> commands) {
  return run_between(connection, kBegin, std::move(commands));
}

std::vector<Result> run_snapshot(Connection& connection, std::vector<Command> commands) {
  return run_between(connection, kBeginSnapshot, std::move(commands));
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  util::ensure(!connection.in_transaction(), "one transaction at a time");
  connection_.run(kBegin);
}

Transaction::~Transaction() {
  if (!open_ || !connection_.in_transaction()) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what brought us here is what to report
  }
}

std::vector<Result> Transaction::commit(std::vector<Command> last) {
  last.push_back({.statement = kCommit});
  std::vector<Result> results = connection_.run_all(last);
  open_ = false;
  require_committed(results.back());
  results.pop_back();
  return results;
}

}  // namespace spv::store::postgres
