#include "store/database.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <sqlite3.h>

#include "p2p/message.h"

namespace spv::store {
namespace {

constexpr int kBusyMilliseconds = 2'000;
// Another process writes for milliseconds, but on a slow disk it waits for that: to give up early would end a sync.
constexpr int kWriteTries = 5;
// A transaction is at most 4 MB; nothing else that we store is as long.
constexpr int kMaxValueBytes = 16'000'000;

StoreError::Kind kind_of(int code, int system_error) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return StoreError::Kind::Locked;
    case SQLITE_NOTADB:
      return StoreError::Kind::NotAWallet;
    case SQLITE_FULL:
      return StoreError::Kind::Full;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return StoreError::Kind::ReadOnly;
    case SQLITE_CANTOPEN:
      return system_error == EACCES || system_error == EROFS ? StoreError::Kind::ReadOnly : StoreError::Kind::Io;
    case SQLITE_IOERR:
      return system_error == ENOSPC || system_error == EDQUOT ? StoreError::Kind::Full : StoreError::Kind::Io;
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
    case SQLITE_PROTOCOL:
      return StoreError::Kind::Io;
    default:  // CORRUPT, FORMAT, CONSTRAINT, MISMATCH, TOOBIG, and ERROR for a schema that is not ours
      return StoreError::Kind::Corrupt;
  }
}

std::string advice(StoreError::Kind kind) {
  switch (kind) {
    case StoreError::Kind::Locked:
      return "; another process uses it, try again when that has ended";
    case StoreError::Kind::NotAWallet:
      return "; this is not a wallet file, check the path";
    case StoreError::Kind::Corrupt:
      return "; the file is damaged, use a backup or restore from the mnemonic";
    case StoreError::Kind::Full:
      return "; free some space and try again, nothing committed is lost";
    case StoreError::Kind::ReadOnly:
      return "; check the owner and the mode of the file and its directory";
    default:
      return "";
  }
}

[[noreturn]] void fail(sqlite3* db, int code) {
  const int system_error = db != nullptr ? sqlite3_system_errno(db) : 0;
  const StoreError::Kind kind = kind_of(code, system_error);
  const std::string reason = kind == StoreError::Kind::Full ? "the disk is full"  // SQLite has two other names for it
                             : db != nullptr                ? sqlite3_errmsg(db)
                                                            : sqlite3_errstr(code);
  // SQLite repeats what it could not read, and a hostile file may hold anything.
  throw StoreError(kind, "wallet file: " + p2p::printable(reason) + advice(kind));
}

// Without the right to make SQLite's log and its index, a file is readable only as one that nobody changes. Should its
// owner change it all the same, the checksums of its rows tell.
bool must_be_read_as_it_lies(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto log_size = std::filesystem::file_size(path.string() + "-wal", ignored);
  const bool has_log = !ignored && log_size > 0;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return !has_log && ::access(folder.c_str(), W_OK) != 0;
}

std::string uri_of_unchanging(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

void configure(sqlite3* db) {
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  // A hostile file must not run code of its own through its schema.
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  sqlite3_stmt* statement = nullptr;
  check(
      sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  statement_.reset(statement);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, util::ByteView blob) {
  // A null pointer would bind NULL: an empty blob is something else.
  const void* data = blob.empty() ? static_cast<const void*>("") : blob.data();
  check(sqlite3_bind_blob64(statement_.get(), parameter, data, blob.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(statement_.get());
  fail(db_, code);
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  expect_type(column, SQLITE_INTEGER);
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::string Statement::text(int column) const {
  expect_type(column, SQLITE_TEXT);
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) fail(db_, SQLITE_NOMEM);
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

util::ByteView Statement::blob(int column) const {
  expect_type(column, SQLITE_BLOB);
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(db_, code);
}

void Statement::expect_type(int column, int type) const {
  if (sqlite3_column_type(statement_.get(), column) == type) return;
  throw StoreError(StoreError::Kind::Corrupt,
                   "wallet file: a value has the wrong type" + advice(StoreError::Kind::Corrupt));
}

Database::Database(const std::filesystem::path& path, Mode mode) {
  sqlite3* db = nullptr;
  const bool as_it_lies = mode == Mode::AtRest || (mode == Mode::ReadOnly && must_be_read_as_it_lies(path));
  const std::string name = as_it_lies ? uri_of_unchanging(path) : path.string();
  // A reader may write, so far as SQLite's files beside the wallet go: only such a one takes them away at its end.
  const int flags = as_it_lies ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) fail(db, code);
  configure(db);
  execute("PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;");
  execute("PRAGMA synchronous = FULL");
  if (mode == Mode::ReadOnly) execute("PRAGMA query_only = ON");
}

util::SecretBytes Database::image() const {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db_.get(), "main", &size, 0);
  if (bytes == nullptr) fail(db_.get(), SQLITE_NOMEM);
  util::SecretBytes image(bytes, bytes + size);
  OPENSSL_cleanse(bytes, image.size());
  sqlite3_free(bytes);
  return image;
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(db_.get(), code);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement query = prepare(sql);
  if (!query.step()) fail(db_.get(), SQLITE_CORRUPT);
  return query.integer(0);
}

std::string Database::text(std::string_view sql) {
  Statement query = prepare(sql);
  if (!query.step()) fail(db_.get(), SQLITE_CORRUPT);
  return query.text(0);
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

Transaction::Transaction(Database& db, Kind kind) : db_(db) {
  // Of one that failed, and whose rollback failed too.
  if (db_.in_transaction()) db_.execute("ROLLBACK");
  if (kind == Kind::Read) {
    db_.execute("BEGIN");
    return;
  }
  for (int tries = 1; !db_.in_transaction(); ++tries) {
    try {
      db_.execute("BEGIN IMMEDIATE");
    } catch (const StoreError& error) {
      if (error.kind() != StoreError::Kind::Locked || tries == kWriteTries) throw;
    }
  }
}

Transaction::~Transaction() {
  if (!open_ || !db_.in_transaction()) return;  // some failures roll back by themselves
  try {
    db_.execute("ROLLBACK");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what brought us here is what to report
  }
}

void Transaction::commit() {
  db_.execute("COMMIT");
  open_ = false;
}

}  // namespace spv::store
