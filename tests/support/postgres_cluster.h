// PostgresCluster: a real PostgreSQL for tests, in a folder and on a Unix socket of its own, without TCP.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace spv::test {

struct PostgresOptions {
  bool durable = false;    ///< Wait for the disk at each commit (fsync).
  std::string password{};  ///< Ask for it (SCRAM); empty: trust everybody who reaches the socket.
};

/// Starts in the constructor (throws std::runtime_error with the server's own words if it cannot), ends with the
/// object. As root it runs as the user postgres or nobody: PostgreSQL refuses root.
class PostgresCluster {
 public:
  /// The user that owns everything.
  static constexpr const char* kUser = "spv";

  explicit PostgresCluster(PostgresOptions options = {});
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;
  ~PostgresCluster();

  /// The folder with initdb and postgres: what `pg_config --bindir` says, else Debian's; nullopt if they are not there.
  static std::optional<std::filesystem::path> programs();
  /// One for all tests of this process; started when first asked for, ended with the process.
  static PostgresCluster& shared();

  /// A new empty database; gives its name.
  std::string create_database();
  /// Ends its connections and drops it.
  void drop_database(const std::string& name);
  /// postgresql://…: of a database; with another user or password than the owner's, if given.
  [[nodiscard]] std::string url(const std::string& database, const std::string& user = kUser,
                                const std::optional<std::string>& password = std::nullopt) const;
  /// Runs a statement as the owner, outside any connection of the test; gives the first value, or nothing.
  std::string sql(const std::string& database, const std::string& statement);

  /// Ends it in order: open connections are closed.
  void stop();
  /// Kills all of its processes at once (SIGKILL), as a power failure would.
  void kill();
  /// Starts it again on the same data after stop() or kill().
  void start();
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  [[nodiscard]] std::vector<std::string> as_user(const std::vector<std::string>& command) const;
  [[nodiscard]] std::string data_folder() const { return folder_.file("data"); }
  [[nodiscard]] std::string conninfo(const std::string& database) const;
  void make_folder();
  void init();
  [[nodiscard]] bool answers() const;

  PostgresOptions options_;
  TempDir folder_;
  std::unique_ptr<ChildProcess> process_;
  int next_database_ = 0;
  int shared_memory_ = -1;  // what a killed server leaves in the system
};

}  // namespace spv::test

/// Skips the running test, with the reason, if there is no PostgreSQL.
#define SPV_POSTGRES_OR_SKIP()                                                                       \
  if (!::spv::test::PostgresCluster::programs()) {                                                   \
    GTEST_SKIP() << "no PostgreSQL server: install the package postgresql-15, or run scripts/setup"; \
  }                                                                                                  \
  static_assert(true, "takes a semicolon")
