// SQLite with owners: Database, Statement, Transaction. Every failure is a StoreError; a value of another type than
// asked for means a damaged file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/store_error.h"
#include "util/bytes.h"
#include "util/secret.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spv::store {

/// One prepared statement: bind, step, read columns, reset; made once and used again.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);

  /// Parameters count from 1.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, util::ByteView blob);
  Statement& bind_null(int parameter);
  Statement& bind(int parameter, const std::optional<std::int64_t>& value) {
    return value ? bind(parameter, *value) : bind_null(parameter);
  }

  /// True if there is a row.
  bool step();
  /// Runs to the end and makes the statement ready for the next use.
  void run();
  void reset();

  /// Columns count from 0; views last until the next step.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] util::ByteView blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;
  void expect_type(int column, int type) const;

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One connection with the settings of a wallet file.
class Database {
 public:
  /// A reader changes nothing and leaves nothing beside the file, which it also reads where it may not write. `Shared`
  /// writes beside another process that writes: what it changes is for WalletRepository to say. `AtRest` reads the file
  /// alone and takes no lock: see FileAtRest.
  enum class Mode { AtRest, ReadOnly, Shared, ReadWrite };
  /// Opens a file that is there.
  Database(const std::filesystem::path& path, Mode mode);
  /// A database in memory: what a fresh schema looks like.
  static Database in_memory() { return Database(":memory:", Mode::ReadWrite); }
  /// All of it, as its file would be.
  [[nodiscard]] util::SecretBytes image() const;

  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql) { return {db_.get(), sql}; }
  /// The one integer that a query or pragma gives.
  [[nodiscard]] std::int64_t integer(std::string_view sql);
  [[nodiscard]] std::string text(std::string_view sql);
  /// Whether a transaction is open.
  [[nodiscard]] bool in_transaction() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Close> db_;
};

/// All or nothing: rolls back unless committed. There is one at a time. A writer waits for another one, for ten
/// seconds.
class Transaction {
 public:
  enum class Kind { Read, Write };
  Transaction(Database& db, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

}  // namespace spv::store
