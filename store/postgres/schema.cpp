#include "store/postgres/schema.h"

#include <optional>
#include <string>
#include <thread>

#include "store/postgres/migrations.h"
#include "store/postgres/transaction.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto kMigrationTimeout = 6h;
constexpr auto kLockPause = 50ms;

// Locks of this kind have no names, only numbers, and are those of one database: "spv" and a one.
constexpr Statement kLock{.name = "schema_lock", .sql = "SELECT pg_try_advisory_xact_lock(1936750081)"};
constexpr Statement kFind{
    .name = "schema_find",
    .sql =
        "SELECT to_regclass('meta') IS NOT NULL,"
        " EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v')),"
        " current_setting('server_encoding')"};
constexpr Statement kRead{.name = "schema_read", .sql = "SELECT schema_version, network FROM meta"};
constexpr Statement kWrite{.name = "schema_write", .sql = "UPDATE meta SET schema_version = $1"};
constexpr Statement kFirst{.name = "schema_first", .sql = "INSERT INTO meta (schema_version, network) VALUES (0, $1)"};
constexpr const char* kCreateMeta = R"sql(
CREATE TABLE meta (
  one            boolean PRIMARY KEY DEFAULT true CHECK (one),
  schema_version integer NOT NULL,
  network        text NOT NULL,  -- all wallets of a database are of one
  created        timestamptz NOT NULL DEFAULT clock_timestamp()
))sql";

struct Found {
  int version = 0;
  std::string network;
};

void check_empty(const Result& found) {
  if (found.boolean(0, 1)) {
    throw StoreError(StoreError::Kind::NotAWallet,
                     "this database holds tables of another program; create an empty one for spv (createdb)");
  }
  if (found.text(0, 2) != "UTF8") {
    throw StoreError(StoreError::Kind::Database,
                     "this database does not hold UTF-8; create one that does (createdb --encoding=UTF8"
                     " --template=template0)");
  }
}

// Nothing in an empty database.
std::optional<Found> find_schema(Connection& connection) {
  const Result found = connection.run(kFind);
  if (!found.boolean(0, 0)) {
    check_empty(found);
    return std::nullopt;
  }
  const Result row = connection.run(kRead);
  if (row.rows() != 1) throw StoreError(StoreError::Kind::Corrupt, "the table meta must have one row; use a backup");
  return Found{.version = row.integer(0, 0), .network = std::string(row.text(0, 1))};
}

void check(const Found& found, std::string_view network) {
  if (found.version > schema_version()) {
    throw StoreError(StoreError::Kind::NewerSchema, "this database was written by a newer spv (format " +
                                                        std::to_string(found.version) + ", this one knows " +
                                                        std::to_string(schema_version()) + "); update spv");
  }
  if (found.network != network) {
    throw StoreError(StoreError::Kind::WrongNetwork, "this is a database of the network " + found.network +
                                                         ", not of " + std::string(network) +
                                                         "; use --network or another database");
  }
}

// Within a transaction; false if another process has it now.
bool lock(Connection& connection) { return connection.run(kLock).boolean(0, 0); }

// One step, or none: gives the version then.
std::optional<int> step(Connection& connection, std::string_view network, int up_to) {
  Transaction transaction(connection);
  if (!lock(connection)) return std::nullopt;
  std::optional<Found> found = find_schema(connection);
  if (found) check(*found, network);
  if (found && found->version >= up_to) return found->version;
  if (!found) {
    connection.execute(kCreateMeta);
    connection.run(kFirst, Params().text(network));
    found = Found{.version = 0, .network = std::string(network)};
  }
  connection.execute(std::string(migrations()[static_cast<std::size_t>(found->version)]));
  const int next = found->version + 1;
  transaction.commit({{.statement = kWrite, .params = Params().integer(next)}});
  return next;
}

}  // namespace

int schema_version() { return static_cast<int>(migrations().size()); }

void migrate_to(Connection& connection, chain::Network network, int version) {
  const std::string_view name = chain::params(network).name;
  for (;;) {
    // Waiting in the server would look like a server that is silent.
    const auto reached = step(connection, name, version);
    if (reached && *reached >= version) return;
    if (!reached) std::this_thread::sleep_for(kLockPause);
  }
}

void migrate(Connection& connection, chain::Network network) { migrate_to(connection, network, schema_version()); }

void migrate(const DatabaseUrl& url, chain::Network network) {
  Connection connection(url, {.answer_timeout = kMigrationTimeout});
  migrate(connection, network);
}

}  // namespace spv::store::postgres
