#include "store/postgres/connection.h"

#include <arpa/inet.h>
#include <limits>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/file_descriptor.h"
#include "store/postgres/transaction.h"
#include "tests/store/postgres/database_fixture.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Kind = StoreError::Kind;

class ConnectionTest : public DatabaseTest {};

constexpr Statement kInsert{.name = "insert", .sql = "INSERT INTO t VALUES ($1)"};
constexpr Statement kCount{.name = "count", .sql = "SELECT count(*) FROM t"};

Command insert(std::int64_t value) { return {.statement = kInsert, .params = Params().bigint(value)}; }

TEST_F(ConnectionTest, CarriesEveryTypeThereAndBack) {
  Connection connection = connect();
  const util::Bytes bytes{0, 1, 255};
  const Result result = connection.run({.name = "types", .sql = "SELECT $1, $2, $3, $4, $5, $6, $7"},
                                       Params()
                                           .bigint(std::numeric_limits<std::int64_t>::min())
                                           .integer(-2)
                                           .smallint(255)
                                           .boolean(true)
                                           .bytea(bytes)
                                           .text("grüße")
                                           .bytea(util::ByteView{}));
  ASSERT_EQ(result.rows(), 1U);
  EXPECT_EQ(result.bigint(0, 0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(result.integer(0, 1), -2);
  EXPECT_EQ(result.smallint(0, 2), 255);
  EXPECT_TRUE(result.boolean(0, 3));
  EXPECT_EQ(util::to_bytes(result.bytea(0, 4)), bytes);
  EXPECT_EQ(result.text(0, 5), "grüße");
  EXPECT_FALSE(result.is_null(0, 6));
  EXPECT_TRUE(result.bytea(0, 6).empty());
}

TEST_F(ConnectionTest, CarriesSecretsAndWipesThem) {
  Connection connection = connect();
  const util::Bytes secret{1, 2, 0, 255};
  Result result = connection.run({.name = "secrets", .sql = "SELECT $1, $2, $3"},
                                 Params().secret(secret).text("beside").secret(util::ByteView{}));
  EXPECT_EQ(util::to_bytes(result.bytea(0, 0)), secret);
  EXPECT_EQ(result.text(0, 1), "beside");
  EXPECT_TRUE(result.bytea(0, 2).empty());
  result.wipe(0, 0);
  EXPECT_EQ(util::to_bytes(result.bytea(0, 0)), util::Bytes(4, 0));
}

TEST_F(ConnectionTest, CarriesNothing) {
  Connection connection = connect();
  const Result result =
      connection.run({.name = "nulls", .sql = "SELECT $1, $2, $3, $4"},
                     Params().bigint(std::nullopt).integer(std::nullopt).bytea(std::nullopt).text(std::nullopt));
  EXPECT_EQ(result.optional_bigint(0, 0), std::nullopt);
  EXPECT_EQ(result.optional_integer(0, 1), std::nullopt);
  EXPECT_EQ(result.optional_bytea(0, 2), std::nullopt);
  EXPECT_EQ(result.optional_text(0, 3), std::nullopt);
  EXPECT_THROW((void)result.bigint(0, 0), StoreError);
}

TEST_F(ConnectionTest, CarriesManyRowsInOneValue) {
  Connection connection = connect();
  const util::Bytes bytes{7};
  const Statement unnest{.name = "arrays",
                         .sql =
                             "SELECT a, b, c, d, e, f FROM unnest($1, $2, $3, $4, $5, $6)"
                             " WITH ORDINALITY AS t(a, b, c, d, e, f, n) ORDER BY n"};
  const Result result = connection.run(unnest, Params()
                                                   .bigints({1, std::nullopt})
                                                   .integers({2, 3})
                                                   .smallints({4, 5})
                                                   .byteas({util::ByteView(bytes), std::nullopt})
                                                   .texts({"x", "y"})
                                                   .booleans({true, std::nullopt}));
  ASSERT_EQ(result.rows(), 2U);
  EXPECT_EQ(result.optional_boolean(0, 5), true);
  EXPECT_EQ(result.optional_boolean(1, 5), std::nullopt);
  EXPECT_EQ(result.bigint(0, 0), 1);
  EXPECT_TRUE(result.is_null(1, 0));
  EXPECT_EQ(result.integer(1, 1), 3);
  EXPECT_EQ(result.smallint(0, 2), 4);
  EXPECT_EQ(result.bytea(0, 3)[0], 7);
  EXPECT_TRUE(result.is_null(1, 3));
  EXPECT_EQ(result.text(1, 4), "y");
  EXPECT_TRUE(connection.run(unnest, Params().bigints({}).integers({}).smallints({}).byteas({}).texts({}).booleans({}))
                  .empty());
}

TEST_F(ConnectionTest, RefusesToReadAnotherType) {
  Connection connection = connect();
  const Result result = connection.run({.name = "one", .sql = "SELECT 1::integer"});
  EXPECT_EQ(result.integer(0, 0), 1);
  try {
    (void)result.bigint(0, 0);
    FAIL() << "an integer was read as a bigint";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), Kind::Corrupt);
  }
}

TEST_F(ConnectionTest, PreparesAStatementOnce) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint)");
  connection.run_all({insert(1), insert(2)});
  EXPECT_EQ(connection.run(kInsert, Params().bigint(3)).affected(), 1);
  const Statement prepared{.name = "prepared",
                           .sql = "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE name = $1"};
  EXPECT_EQ(connection.run(prepared, Params().text("insert")).bigint(0, 0), 3);
}

TEST_F(ConnectionTest, AnswersInOrderOfThePipeline) {
  Connection connection = connect();
  constexpr std::int64_t kMany = 5'000;
  const Statement echo{.name = "echo", .sql = "SELECT $1, $2"};
  // More than the buffers of a socket hold, in both directions.
  const util::Bytes load(2'000, 0xAB);
  std::vector<Command> commands;
  for (std::int64_t n = 0; n < kMany; ++n) {
    commands.push_back({.statement = echo, .params = Params().bigint(n).bytea(util::ByteView(load))});
  }
  const std::vector<Result> results = connection.run_all(commands);
  ASSERT_EQ(results.size(), static_cast<std::size_t>(kMany));
  for (std::int64_t n = 0; n < kMany; ++n) {
    ASSERT_EQ(results[static_cast<std::size_t>(n)].bigint(0, 0), n);
    ASSERT_EQ(results[static_cast<std::size_t>(n)].bytea(0, 1).size(), load.size());
  }
}

TEST_F(ConnectionTest, UndoesAPipelineWithAnError) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint PRIMARY KEY)");
  const DatabaseError error = error_of([&] { connection.run_all({insert(1), insert(2), insert(1), insert(3)}); });
  EXPECT_EQ(error.kind(), Kind::Constraint);
  EXPECT_EQ(error.sqlstate(), "23505");
  EXPECT_EQ(sql("SELECT count(*) FROM t"), "0");
  EXPECT_FALSE(connection.broken());
  EXPECT_FALSE(connection.in_transaction());
  connection.run_all({insert(1), insert(2)});
  EXPECT_EQ(connection.run(kCount).bigint(0, 0), 2);
}

TEST_F(ConnectionTest, PreparesAgainWhatAnErrorKeptFromBeingPrepared) {
  Connection connection = connect();
  EXPECT_EQ(error_of([&] { connection.run_all({insert(1), {.statement = kCount}}); }).sqlstate(), "42P01");
  connection.execute("CREATE TABLE t (n bigint)");
  connection.run_all({insert(1), {.statement = kCount}});
  EXPECT_EQ(connection.run(kCount).bigint(0, 0), 1);
}

TEST_F(ConnectionTest, CommitsATransactionInOneRoundTrip) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint PRIMARY KEY)");
  const auto results = run_transaction(connection, {insert(1), {.statement = kCount}});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].bigint(0, 0), 1);
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(error_of([&] { run_transaction(connection, {insert(2), insert(1)}); }).kind(), Kind::Constraint);
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(sql("SELECT count(*) FROM t"), "1");
}

TEST_F(ConnectionTest, RollsBackWhatIsNotCommitted) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint PRIMARY KEY)");
  {
    const Transaction transaction(connection);
    connection.run(kInsert, Params().bigint(1));
    EXPECT_TRUE(connection.in_transaction());
  }
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(sql("SELECT count(*) FROM t"), "0");
  {
    Transaction transaction(connection);
    connection.run(kInsert, Params().bigint(1));
    EXPECT_EQ(transaction.commit({insert(2)}).size(), 1U);
  }
  EXPECT_EQ(sql("SELECT count(*) FROM t"), "2");
}

// PostgreSQL answers COMMIT with a rollback then, and calls it no error.
TEST_F(ConnectionTest, DoesNotTakeARollbackForACommit) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint PRIMARY KEY)");
  Transaction transaction(connection);
  connection.run(kInsert, Params().bigint(1));
  error_of([&] { connection.run(kInsert, Params().bigint(1)); });
  EXPECT_THAT(error_of([&] { transaction.commit(); }).what(), HasSubstr("rolled back"));
}

TEST_F(ConnectionTest, TellsErrorsApart) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint PRIMARY KEY); CREATE ROLE guest LOGIN");
  Connection guest(*parse_database_url(cluster().url(name(), "guest")));
  EXPECT_EQ(error_of([&] { guest.run(kCount); }).kind(), Kind::NotAllowed);
  EXPECT_EQ(error_of([&] { connection.execute("SELECT nonsense"); }).kind(), Kind::Database);
  connection.execute("SET default_transaction_read_only = on");
  const DatabaseError standby = error_of([&] { connection.run(kInsert, Params().bigint(1)); });
  EXPECT_EQ(standby.kind(), Kind::Unreachable);
  EXPECT_THAT(standby.what(), HasSubstr("connect to the primary server"));
  EXPECT_TRUE(connection.broken());
  sql("DROP OWNED BY guest; DROP ROLE guest");
}

TEST_F(ConnectionTest, SaysWhenAnotherTransactionWasInTheWay) {
  Connection first = connect();
  Connection second = connect();
  first.execute("CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)");
  for (Connection* each : {&first, &second}) {
    each->execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
    each->run(kCount);
  }
  first.execute("UPDATE t SET n = 2; COMMIT");
  const DatabaseError error = error_of([&] { second.execute("UPDATE t SET n = 3"); });
  EXPECT_EQ(error.kind(), Kind::Retry);
  EXPECT_EQ(error.sqlstate(), "40001");
}

// The server would quote the row.
TEST_F(ConnectionTest, DoesNotQuoteRows) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (n bigint CHECK (n < 10), secret text)");
  const DatabaseError error = error_of([&] {
    connection.run({.name = "put", .sql = "INSERT INTO t VALUES ($1, $2)"}, Params().bigint(11).text("open sesame"));
  });
  EXPECT_EQ(error.kind(), Kind::Constraint);
  EXPECT_THAT(error.what(), Not(HasSubstr("open sesame")));
}

TEST_F(ConnectionTest, SaysWhyItCannotConnect) {
  const auto to = [](const std::string& text) { return error_of([&] { Connection(*parse_database_url(text)); }); };
  const DatabaseError missing = to(cluster().url("nowhere"));
  EXPECT_EQ(missing.kind(), Kind::NoDatabase);
  EXPECT_EQ(missing.sqlstate(), "3D000");
  EXPECT_THAT(missing.what(), HasSubstr("database \"nowhere\" does not exist; create it"));
  EXPECT_EQ(to(cluster().url(name(), "stranger")).kind(), Kind::BadLogin);
  EXPECT_EQ(to("postgresql:///spv?host=/nowhere").kind(), Kind::Unreachable);
}

TEST_F(ConnectionTest, ShowsNoPasswordInErrors) {
  const std::string text = "postgresql://spv:open-sesame@/nowhere?host=" + cluster().folder().string();
  const DatabaseError error = error_of([&] { Connection(*parse_database_url(text)); });
  EXPECT_THAT(error.what(), HasSubstr("spv:***@"));
  EXPECT_THAT(error.what(), Not(HasSubstr("open-sesame")));
  Connection connection(
      *parse_database_url("postgresql://spv:open-sesame@/" + name() + "?host=" + cluster().folder().string()));
  const DatabaseError said = error_of([&] { connection.execute("SELECT \"open-sesame\""); });
  EXPECT_THAT(said.what(), HasSubstr("column \"***\" does not exist"));
}

TEST(PasswordTest, IsAskedFor) {
  SPV_POSTGRES_OR_SKIP();
  test::PostgresCluster cluster({.password = "it's @/%"});
  const auto to = [&](const std::optional<std::string>& password) {
    return Connection(*parse_database_url(cluster.url("postgres", "spv", password)));
  };
  EXPECT_FALSE(to("it's @/%").broken());
  const DatabaseError wrong = error_of([&] { to("guess"); });
  EXPECT_EQ(wrong.kind(), Kind::BadLogin);
  EXPECT_EQ(wrong.sqlstate(), "28P01");
  EXPECT_THAT(wrong.what(), HasSubstr("check the user and the password"));
  EXPECT_THAT(wrong.what(), Not(HasSubstr("guess")));
  EXPECT_EQ(error_of([&] { to(""); }).kind(), Kind::BadLogin);
}

TEST(ConnectTest, GivesUpOnASilentServer) {
  const FileDescriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(server.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(server.get(), 1), 0);
  ASSERT_EQ(getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto url = parse_database_url("postgresql://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/spv");
  const DatabaseError error = error_of([&] { Connection(*url, {.connect_timeout = 50ms}); });
  EXPECT_EQ(error.kind(), Kind::Unreachable);
  EXPECT_THAT(error.what(), HasSubstr("no answer in 50 ms"));
}

TEST_F(ConnectionTest, IsBrokenWhenTheServerIsSilent) {
  Connection connection = connect({.answer_timeout = 100ms});
  EXPECT_EQ(error_of([&] { connection.execute("SELECT pg_sleep(60)"); }).kind(), Kind::Unreachable);
  EXPECT_TRUE(connection.broken());
}

// Many wallets are read at once: what counts is how long nothing comes.
TEST_F(ConnectionTest, AnAnswerThatKeepsComingMayTakeLonger) {
  Connection connection = connect({.answer_timeout = 2s});
  const Result rows = connection.run(
      {.name = "slow", .sql = "SELECT pg_sleep(0.25)::text || repeat('x', 100000) FROM generate_series(1, 10)"});
  EXPECT_EQ(rows.rows(), 10U);
}

TEST_F(ConnectionTest, IsBrokenWhenTheServerEndsIt) {
  Connection connection = connect();
  connection.run({.name = "one", .sql = "SELECT 1"});
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
      " AND pid <> pg_backend_pid()");
  const DatabaseError error = error_of([&] { connection.run({.name = "one", .sql = "SELECT 1"}); });
  EXPECT_EQ(error.kind(), Kind::Unreachable);
  EXPECT_TRUE(connection.broken());
  EXPECT_EQ(error_of([&] { connection.execute("SELECT 1"); }).kind(), Kind::Unreachable);
  EXPECT_FALSE(connect().broken());
}

TEST(ServerAwayTest, ConnectsAgainWhenTheServerIsBack) {
  SPV_POSTGRES_OR_SKIP();
  test::PostgresCluster cluster;
  const DatabaseUrl url = *parse_database_url(cluster.url("postgres"));
  Connection connection(url);
  cluster.kill();
  EXPECT_EQ(error_of([&] { connection.run(kCount); }).kind(), Kind::Unreachable);
  EXPECT_TRUE(connection.broken());
  EXPECT_EQ(error_of([&] { Connection{url}; }).kind(), Kind::Unreachable);
  cluster.start();
  connection = Connection(url);
  EXPECT_EQ(connection.run({.name = "one", .sql = "SELECT 1"}).integer(0, 0), 1);
}

}  // namespace
}  // namespace spv::store::postgres
