#include "store/wallet_moves.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "store/database.h"
#include "store/file_lock.h"
#include "store/schema.h"
#include "store/wallet_file.h"

namespace spv::store {
namespace {

/// The wallet's file alone, SQLite's log folded into it, and nobody else in it while this lives. Who waits for it until
/// then finds that it has lost its name (WalletRepository::require_named).
class SoleHold {
 public:
  explicit SoleHold(const std::filesystem::path& path) : db_(path, Database::Mode::ReadWrite) {
    if (db_.text("PRAGMA journal_mode = DELETE") != "delete") {
      throw StoreError(StoreError::Kind::Locked,
                       "the wallet " + path.string() + " is in use by another process; try again when that has ended");
    }
    db_.execute("BEGIN EXCLUSIVE");
  }

 private:
  Database db_;
};

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw StoreError::from_errno(errno, "remove", path);
}

// The log first: beside a new wallet of this name it would be taken for that one's.
void remove_wallet_files(const std::filesystem::path& path) {
  for (const char* suffix : {"-wal", "-shm", "-journal", ""}) remove_file(path.string() + suffix);
  remove_draft(path);
}

// In the folder of the copy, so that it can be renamed; of a name that nobody has.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& beside) : name_(beside.string() + ".XXXXXX") {
    file_ = FileDescriptor(::mkostemp(name_.data(), O_CLOEXEC));  // mode 0600
    if (!file_.valid()) throw StoreError::from_errno(errno, "create a file beside", beside.string());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  [[nodiscard]] int fd() const { return file_.get(); }
  /// Throws if there is something of that name.
  void publish(const std::filesystem::path& path) {
    const int error = rename_to_new(name_, path);
    if (error == EEXIST) require_absent(path);
    if (error != 0) throw StoreError::from_errno(error, "create", path.string());
    name_.clear();
    sync_folder(path);
  }

 private:
  std::string name_;
  FileDescriptor file_;
};

}  // namespace

void rename_wallet(const std::filesystem::path& from_name, const std::filesystem::path& to_name) {
  const std::filesystem::path from = resolve_existing(from_name);
  const std::filesystem::path to = resolve_new(to_name);
  require_absent(to);
  const FileLock old_lock(from);
  const FileLock new_lock(to);
  try {
    require_absent(to);
    prepare_existing(from);
    const SoleHold hold(from);
    const int error = rename_to_new(from, to);
    if (error == EEXIST) require_absent(to);
    if (error != 0) throw StoreError::from_errno(error, "rename", from.string());
  } catch (...) {
    new_lock.remove_file();
    throw;
  }
  old_lock.remove_file();
  sync_folder(to);
}

void delete_wallet(const std::filesystem::path& name) {
  const std::filesystem::path path = resolve_existing(name);
  const FileLock lock(path);
  try {
    const SoleHold hold(path);
    remove_wallet_files(path);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::Corrupt && error.kind() != StoreError::Kind::NotAWallet) throw;
    remove_wallet_files(path);
  }
  // A link to it, if that is what was named.
  if (path != name) remove_file(name.string());
  remove_file(FileLock::lock_path(path).string());
  sync_folder(path);
}

void backup_wallet(const std::filesystem::path& from_name, const std::filesystem::path& to) {
  const std::filesystem::path from = resolve_existing(from_name);
  prepare_existing(from);
  require_absent(to);
  Database db(from, Database::Mode::ReadOnly);
  check_file(db);
  TemporaryFile copy(to);
  {
    const Transaction moment(db, Transaction::Kind::Read);
    const auto image = db.image();
    if (const int error = write_all(copy.fd(), image); error != 0) {
      throw StoreError::from_errno(error, "write", to.string());
    }
  }
  copy.publish(to);
}

}  // namespace spv::store
