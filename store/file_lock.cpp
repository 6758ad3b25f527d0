#include "store/file_lock.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spv::store {
namespace {

std::string holder_of(int fd) {
  std::array<char, 24> text{};
  const auto size = ::pread(fd, text.data(), text.size() - 1, 0);
  std::string digits;
  for (ssize_t i = 0; i < size; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c < '0' || c > '9') break;
    digits.push_back(c);
  }
  return digits.empty() ? "another process" : "process " + digits;
}

// Whoever deletes a wallet removes its lock file: a lock on a file without a name keeps nobody out.
bool is_named(int fd, const std::string& path) noexcept {
  struct stat held {};
  struct stat named {};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& wallet_path) : path_(lock_path(wallet_path).string()) {
  const std::string& path = path_;
  do {
    file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file_.valid()) throw StoreError::from_errno(errno, "open", path);
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) continue;
    const int error = errno;
    const std::string holder = holder_of(file_.get());
    if (error != EWOULDBLOCK) throw StoreError::from_errno(error, "lock", path);
    throw StoreError(StoreError::Kind::Locked, "the wallet " + wallet_path.string() + " is in use by " + holder +
                                                   "; wait until it ends or stop it");
  } while (!is_named(file_.get(), path));
  // Only a name for the message: where it cannot be written, the lock holds all the same.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file_.get(), 0) == 0) static_cast<void>(::pwrite(file_.get(), pid.data(), pid.size(), 0) == 0);
}

void FileLock::remove_file() const noexcept {
  if (is_named(file_.get(), path_)) ::unlink(path_.c_str());
}

std::filesystem::path FileLock::lock_path(const std::filesystem::path& wallet_path) {
  return wallet_path.string() + ".lock";
}

}  // namespace spv::store
