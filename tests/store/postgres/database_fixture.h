// A fresh database on the server that all tests of this program share.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "store/postgres/connection.h"
#include "tests/support/postgres_cluster.h"

namespace spv::store::postgres {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    SPV_POSTGRES_OR_SKIP();
    name_ = cluster().create_database();
  }
  void TearDown() override {
    if (!name_.empty()) cluster().drop_database(name_);
  }

  static test::PostgresCluster& cluster() { return test::PostgresCluster::shared(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] DatabaseUrl url() const { return *parse_database_url(cluster().url(name_)); }
  [[nodiscard]] Connection connect(const ConnectOptions& options = {}) const { return Connection(url(), options); }
  /// One value, asked for outside the connections of the test.
  std::string sql(const std::string& statement) { return cluster().sql(name_, statement); }
  /// Whether a query gives this value within a minute.
  bool becomes(const std::string& query, const std::string& wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (sql(query) != wanted) {
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  /// Whether somebody waits for a lock within a minute.
  bool somebody_waits() { return becomes("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)", "t"); }

 private:
  std::string name_;
};

/// The error that this throws; fails the test if it throws none.
template <typename Action>
DatabaseError error_of(Action action) {
  try {
    action();
  } catch (const DatabaseError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {StoreError::Kind::Database, "nothing was thrown", ""};
}

}  // namespace spv::store::postgres
