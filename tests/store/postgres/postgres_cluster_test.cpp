#include "tests/support/postgres_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spv::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(PostgresCluster, IsReachableByItsSocketAlone) {
  SPV_POSTGRES_OR_SKIP();
  auto& cluster = PostgresCluster::shared();
  EXPECT_EQ(cluster.sql("postgres", "SHOW listen_addresses"), "");
  EXPECT_EQ(cluster.sql("postgres", "SHOW fsync"), "off");
  EXPECT_EQ(cluster.sql("postgres", "SHOW server_encoding"), "UTF8");
  EXPECT_TRUE(fs::is_socket(cluster.folder() / ".s.PGSQL.5432"));
}

TEST(PostgresCluster, GivesEachTestADatabase) {
  SPV_POSTGRES_OR_SKIP();
  auto& cluster = PostgresCluster::shared();
  const std::string first = cluster.create_database();
  const std::string second = cluster.create_database();
  EXPECT_NE(first, second);
  cluster.sql(first, "CREATE TABLE t (n integer)");
  EXPECT_EQ(cluster.sql(second, "SELECT to_regclass('t') IS NULL"), "t");
  cluster.drop_database(first);
  EXPECT_THROW(cluster.sql(first, "SELECT 1"), std::runtime_error);
  cluster.drop_database(second);
}

TEST(PostgresCluster, KeepsWhatWasCommittedOverAStopAndAKill) {
  SPV_POSTGRES_OR_SKIP();
  PostgresCluster cluster({.durable = true});
  EXPECT_EQ(cluster.sql("postgres", "SHOW fsync"), "on");
  cluster.sql("postgres", "CREATE TABLE t AS SELECT 1 AS n");
  cluster.stop();
  EXPECT_THROW(cluster.sql("postgres", "SELECT 1"), std::runtime_error);
  cluster.start();
  cluster.sql("postgres", "INSERT INTO t VALUES (2)");
  cluster.kill();
  EXPECT_THROW(cluster.sql("postgres", "SELECT 1"), std::runtime_error);
  cluster.start();
  EXPECT_EQ(cluster.sql("postgres", "SELECT count(*) FROM t"), "2");
}

TEST(PostgresCluster, LeavesNothingBehind) {
  SPV_POSTGRES_OR_SKIP();
  fs::path folder;
  {
    PostgresCluster cluster;
    folder = cluster.folder();
    EXPECT_TRUE(fs::exists(folder));
    cluster.kill();
  }
  EXPECT_FALSE(fs::exists(folder));
  const std::string running = run({"ps", "-eo", "args"}).out;
  EXPECT_THAT(running, Not(HasSubstr(folder.string())));
}

}  // namespace
}  // namespace spv::test
