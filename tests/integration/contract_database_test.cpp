// The contract of the command with wallets in a database: the same commands, the same documents.
#include <gmock/gmock.h>

#include "tests/integration/contract.h"
#include "tests/support/postgres_cluster.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

class ContractDatabase : public Contract {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    SPV_POSTGRES_OR_SKIP();
    url_ = PostgresCluster::shared().url(PostgresCluster::shared().create_database());
  }
  /// On the database; its document.
  json::value in_database(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--json", "--database", url_});
    const auto result = spv(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return result.out.empty() ? json::value() : json::parse(result.out);
  }
  json::value in_files(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--json");
    return json::parse(spv(arguments).out);
  }
  static void expect_error(const ProcessResult& result, int exit_code, const std::string& words) {
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    EXPECT_THAT(result.out + result.err, HasSubstr(words));
  }

  std::string url_;
};

TEST_F(ContractDatabase, AWalletIsTheSameInADatabaseAsInAFile) {
  EXPECT_TRUE(in_database({"list"}).at("wallets").as_array().empty());
  const std::string file = path("exported-for-database");
  ASSERT_EQ(spv({"export", file}).exit_code, 0);
  in_database({"import", file});
  for (const auto* command : {"balance", "history", "utxos", "addresses", "descriptors"}) {
    EXPECT_EQ(in_database({command}), in_files({command})) << command;
  }
  const auto paid = node_->send(std::string(in_database({"address"}).at("address").as_string()), 12'345);
  node_->mine(1);
  auto sync = to_node();
  in_database(sync);
  in_files(sync);
  EXPECT_EQ(in_database({"balance"}).at("confirmed_sat"), in_files({"balance"}).at("confirmed_sat"));
  in_database({"label", paid, "from the database"});
  EXPECT_THAT(json::serialize(in_database({"tx", paid})), HasSubstr("from the database"));
  const std::string back = path("exported-from-database");
  in_database({"export", back});
  in_files({"import", "-w", "from-database", back});
  EXPECT_EQ(in_files({"history", "-w", "from-database"}), in_database({"history"}));
  in_database({"rename", "other"});
  expect_error(spv({"--database", url_, "balance"}), 4, "no wallet 'default'");
  in_database({"delete", "-w", "other", "--yes"});
  EXPECT_TRUE(in_database({"list"}).at("wallets").as_array().empty());
}

TEST_F(ContractDatabase, WhatIsWrongWithADatabaseIsSaidInOneLine) {
  expect_error(spv({"--database", "mysql://spv@host/spv", "list"}), 1, "postgresql://");
  expect_error(spv({"--database", PostgresCluster::shared().url("none"), "list"}), 1, "createdb");
  expect_error(spv({"--database", "postgresql://127.0.0.1:1/spv", "list"}), 1, "check that the server runs");
  in_database({"list"});
  expect_error(
      run({SpvCli::binary(), "--datadir", path("elsewhere"), "--network", "signet", "--database", url_, "list"}), 1,
      "database of the network regtest");
}

TEST_F(ContractDatabase, APasswordIsAskedForAndNeverShown) {
  PostgresCluster guarded({.password = "geheim42"});
  const auto name = guarded.create_database();
  EXPECT_EQ(spv({"--database", guarded.url(name), "list"}).exit_code, 0);
  const auto refused = spv({"--database", guarded.url(name, PostgresCluster::kUser, "falsch99"), "list"});
  expect_error(refused, 1, "password");
  EXPECT_THAT(refused.out + refused.err, Not(HasSubstr("falsch99")));
}

}  // namespace
}  // namespace spv::test
