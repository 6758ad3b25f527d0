#include "store/postgres/schema.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/migrations.h"
#include "tests/store/postgres/database_fixture.h"

namespace spv::store::postgres {
namespace {

using testing::HasSubstr;
using Kind = StoreError::Kind;

constexpr auto kNetwork = chain::Network::Regtest;

// All that the steps make, as text: columns, constraints, indexes, views and functions.
constexpr const char* kDescribe = R"sql(
SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
  SELECT concat_ws(' ', 'column', table_name, ordinal_position, column_name, data_type, collation_name, is_nullable,
                   column_default, is_identity)
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', 'view', viewname, definition) FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'options', relname, reloptions) FROM pg_class WHERE relnamespace = 'public'::regnamespace
) AS lines (line)
)sql";

class SchemaTest : public DatabaseTest {
 protected:
  std::string described() { return sql(kDescribe); }
};

StoreError refusal(const DatabaseUrl& url, chain::Network network = kNetwork) {
  try {
    migrate(url, network);
  } catch (const StoreError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {Kind::Database, "nothing was thrown"};
}

TEST_F(SchemaTest, IsTheSameFreshAndMigrated) {
  migrate(url(), kNetwork);
  const std::string fresh = described();
  EXPECT_THAT(fresh, HasSubstr("column wallet_tx 1 wallet bigint"));
  EXPECT_THAT(fresh, HasSubstr("view balance"));
  for (int from = 1; from < schema_version(); ++from) {
    const std::string older = cluster().create_database();
    const DatabaseUrl there = *parse_database_url(cluster().url(older));
    Connection connection(there);
    migrate_to(connection, kNetwork, from);
    EXPECT_EQ(cluster().sql(older, "SELECT schema_version FROM meta"), std::to_string(from));
    EXPECT_NE(cluster().sql(older, kDescribe), fresh);
    migrate(there, kNetwork);
    EXPECT_EQ(cluster().sql(older, kDescribe), fresh) << "from version " << from;
    cluster().drop_database(older);
  }
}

TEST_F(SchemaTest, MigratesOnce) {
  migrate(url(), kNetwork);
  sql("UPDATE counter SET last_event = 7");
  const std::string before = described() + sql("SELECT schema_version || network || created FROM meta");
  migrate(url(), kNetwork);
  EXPECT_EQ(described() + sql("SELECT schema_version || network || created FROM meta"), before);
  EXPECT_EQ(sql("SELECT last_event FROM counter"), "7");
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), std::to_string(migrations().size()));
  EXPECT_EQ(sql("SELECT count(*) FROM shard"), "256");
}

TEST_F(SchemaTest, IsMigratedByOneOfManyThatStartAtOnce) {
  std::vector<std::thread> processes;
  for (int n = 0; n < 4; ++n) {
    processes.emplace_back([&] { EXPECT_NO_THROW(migrate(url(), kNetwork)); });
  }
  for (auto& process : processes) process.join();
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), std::to_string(schema_version()));
  EXPECT_EQ(sql("SELECT count(*) FROM shard"), "256");
}

TEST_F(SchemaTest, WaitsForAnotherThatMigrates) {
  Connection other = connect();
  other.execute("BEGIN; SELECT pg_advisory_xact_lock(1936750081)");
  std::thread process([&] { EXPECT_NO_THROW(migrate(url(), kNetwork)); });
  const std::string seen =
      "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%try_advisory%'"
      " AND pid <> pg_backend_pid()";
  EXPECT_TRUE(becomes(seen, "t"));
  EXPECT_EQ(sql("SELECT to_regclass('meta') IS NULL"), "t");
  other.execute("COMMIT");
  process.join();
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), std::to_string(schema_version()));
}

TEST_F(SchemaTest, RefusesANewerOneAndChangesNothing) {
  migrate(url(), kNetwork);
  sql("UPDATE meta SET schema_version = schema_version + 1; DROP VIEW balance");
  const std::string before = described();
  const StoreError error = refusal(url());
  EXPECT_EQ(error.kind(), Kind::NewerSchema);
  EXPECT_THAT(error.what(), HasSubstr("update spv"));
  EXPECT_EQ(described(), before);
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), std::to_string(schema_version() + 1));
}

TEST_F(SchemaTest, RefusesAnotherNetworkAndChangesNothing) {
  Connection connection = connect();
  migrate_to(connection, kNetwork, 1);
  const std::string before = described();
  const StoreError error = refusal(url(), chain::Network::Main);
  EXPECT_EQ(error.kind(), Kind::WrongNetwork);
  EXPECT_THAT(error.what(), HasSubstr("regtest"));
  EXPECT_EQ(described(), before);
  EXPECT_EQ(sql("SELECT schema_version || network FROM meta"), "1regtest");
}

TEST_F(SchemaTest, RefusesTheTablesOfAnotherProgram) {
  sql("CREATE TABLE customer (name text)");
  const std::string before = described();
  EXPECT_EQ(refusal(url()).kind(), Kind::NotAWallet);
  EXPECT_EQ(described(), before);
}

TEST_F(SchemaTest, RefusesADatabaseWithoutUtf8) {
  const std::string ascii = name() + "_ascii";
  sql("CREATE DATABASE " + ascii + " ENCODING 'SQL_ASCII' TEMPLATE template0");
  EXPECT_THAT(refusal(*parse_database_url(cluster().url(ascii))).what(), HasSubstr("--encoding=UTF8"));
  cluster().drop_database(ascii);
}

TEST_F(SchemaTest, LeavesNothingOfAStepThatFails) {
  // A function in the way of the third step.
  Connection connection = connect();
  migrate_to(connection, kNetwork, 2);
  sql("CREATE FUNCTION hold_shards(bigint, smallint[], bigint[]) RETURNS void LANGUAGE sql AS ''");
  const std::string before = described();
  EXPECT_EQ(refusal(url()).kind(), Kind::Database);
  EXPECT_EQ(described(), before);
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), "2");
  sql("DROP FUNCTION hold_shards");
  migrate(url(), kNetwork);
  EXPECT_EQ(sql("SELECT schema_version FROM meta"), std::to_string(schema_version()));
}

// Each table and view has a row of its own in the page, or some, and each column stands in one of them.
TEST_F(SchemaTest, IsExplainedToPeople) {
  migrate(url(), kNetwork);
  std::ifstream page(SPV_DATABASE_PAGE);
  std::map<std::string, std::string> rows;
  std::string table;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ")) continue;
    if (line.starts_with("| `")) table = line.substr(3, line.find('`', 3) - 3);
    rows[table] += line;
  }
  std::istringstream columns(
      sql("SELECT string_agg(table_name || ' ' || column_name, E'\\n')"
          " FROM information_schema.columns WHERE table_schema = 'public'"
          " AND table_name NOT IN ('tx_state', 'spend')"));
  int count = 0;
  for (std::string name, column; columns >> name >> column; ++count) {
    EXPECT_THAT(rows[name], HasSubstr("`" + column + "`")) << "docs/database.md, " << name;
  }
  EXPECT_GT(count, 100);
}

// Two that add events at once: the one that comes second waits for its number, so numbers become visible in order.
TEST_F(SchemaTest, NumbersEventsInTheOrderOfTheirCommits) {
  migrate(url(), kNetwork);
  const Statement next{.name = "next", .sql = "UPDATE counter SET last_event = last_event + 1 RETURNING last_event"};
  Connection first = connect();
  first.execute("BEGIN");
  EXPECT_EQ(first.run(next).bigint(0, 0), 1);
  std::int64_t number = 0;
  std::thread second([&] {
    Connection connection = connect();
    number = connection.run(next).bigint(0, 0);
  });
  EXPECT_TRUE(somebody_waits());
  EXPECT_EQ(sql("SELECT last_event FROM counter"), "0");
  first.execute("COMMIT");
  second.join();
  EXPECT_EQ(number, 2);
}

TEST_F(SchemaTest, DeletesAWalletWithAllThatIsIts) {
  migrate(url(), kNetwork);
  sql("INSERT INTO wallet (name, shard, kind, gap_limit, birthday, filter_tweak, decoy_seed, created)"
      " VALUES ('w', 1, 'watch', 20, 0, 0, 0, 0);"
      "INSERT INTO secret VALUES (1, 0, ''); INSERT INTO key_chain VALUES (1, 0, 'd', false, 1, NULL, 0);"
      "INSERT INTO script VALUES (1, 0, 0, 's'); INSERT INTO scan VALUES (1, 0, '', NULL, NULL, '', '', 0, 0);"
      "INSERT INTO label VALUES (1, 'tx', 'r', 'l', '', NULL);"
      "INSERT INTO tx VALUES (decode(repeat('aa', 32), 'hex'), '', false);"
      "INSERT INTO wallet_tx (wallet, txid, first_seen, sequence, proof, seen_at) SELECT 1, txid, 0, 0, '', 0 FROM tx;"
      "INSERT INTO coin SELECT 1, txid, 0, 5, 0, 0 FROM tx");
  sql("DELETE FROM wallet");
  for (const std::string table : {"secret", "key_chain", "script", "scan", "label", "wallet_tx", "coin"}) {
    EXPECT_EQ(sql("SELECT count(*) FROM " + table), "0") << table;
  }
  EXPECT_EQ(sql("SELECT count(*) FROM tx"), "1");  // it may be another wallet's too
}

}  // namespace
}  // namespace spv::store::postgres
