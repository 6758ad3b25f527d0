#include "store/wallet_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "store/file_descriptor.h"

namespace spv::store {
namespace {

constexpr mode_t kFileMode = S_IRUSR | S_IWUSR;

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// A file that changed in the last seconds counts as one that somebody writes.
constexpr time_t kQuietSeconds = 2;

/// Whether SQLite has its log or a journal beside the file. Whoever writes makes one first, and removes it last.
bool has_companion(const std::filesystem::path& path) {
  struct stat found {};
  return std::ranges::any_of(std::array{"-wal", "-journal"}, [&](const char* suffix) {
    return ::lstat((path.string() + suffix).c_str(), &found) == 0;
  });
}

/// By the two versions in its header: SQLite writes it through a log, and so keeps nobody out.
bool uses_log(int fd) {
  constexpr off_t kVersions = 18;
  std::array<std::uint8_t, 2> versions{};
  return ::pread(fd, versions.data(), versions.size(), kVersions) == static_cast<ssize_t>(versions.size()) &&
         versions == std::array<std::uint8_t, 2>{2, 2};
}

StoreError name_taken(const std::filesystem::path& path) {
  return {StoreError::Kind::Exists, path.string() + " already exists and is never overwritten; choose another name"};
}

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  make_private_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) {
    ::chmod(folder.c_str(), S_IRWXU);  // whatever the umask
    return;
  }
  const int error = errno;
  if (error != EEXIST) throw StoreError::from_errno(error, "create the directory", folder.string());
  // Made by somebody else in between, or not a directory at all: then it is not ours to change.
  if (std::filesystem::is_directory(folder, ignored)) return;
  throw StoreError(StoreError::Kind::Io, folder.string() + " is not a directory; choose another --datadir");
}

}  // namespace

std::filesystem::path resolve_new(const std::filesystem::path& path) {
  const std::filesystem::path folder = folder_of(path);
  make_private_folder(folder);
  std::error_code error;
  const auto resolved = std::filesystem::canonical(folder, error);
  if (error) throw StoreError::from_errno(error.value(), "open", folder.string());
  return resolved / path.filename();
}

std::filesystem::path make_private_file(const std::filesystem::path& path) {
  auto resolved = resolve_new(path);
  const FileDescriptor file(::open(resolved.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (file.get() < 0) throw StoreError::from_errno(errno, "create", resolved.string());
  return resolved;
}

std::filesystem::path resolve_existing(const std::filesystem::path& path) {
  std::error_code error;
  const auto resolved = std::filesystem::canonical(path, error);
  if (error && error.value() != ENOENT) throw StoreError::from_errno(error.value(), "open", path.string());
  if (error) {
    throw StoreError(StoreError::Kind::Missing,
                     "wallet " + path.string() + " not found; create one with create, restore or watch");
  }
  if (std::filesystem::is_regular_file(resolved, error)) return resolved;
  throw StoreError(StoreError::Kind::NotAWallet, path.string() + " is not a wallet file; check the path");
}

FileName::FileName(std::filesystem::path path) : path_(std::move(path)) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) throw StoreError::from_errno(errno, "open", path_.string());
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

bool FileName::holds() const {
  struct stat info {};
  return ::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

std::optional<FileAtRest> FileAtRest::find(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat found {};
  if (!file.valid() || ::fstat(file.get(), &found) != 0 || !uses_log(file.get())) return std::nullopt;
  // The clock of a file system moves in steps: a change within the same step would not show.
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (found.st_mtim.tv_sec + kQuietSeconds > now.tv_sec || has_companion(path)) return std::nullopt;
  return FileAtRest(path, found);
}

bool FileAtRest::holds() const {
  struct stat now {};
  return !has_companion(path_) && ::stat(path_.c_str(), &now) == 0 && now.st_dev == found_.st_dev &&
         now.st_ino == found_.st_ino && now.st_size == found_.st_size && now.st_mtim.tv_sec == found_.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == found_.st_mtim.tv_nsec;
}

void sync_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = folder_of(file);
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) throw StoreError::from_errno(errno, "open", folder.string());
  ::fsync(opened.get());
}

std::filesystem::path draft_path(const std::filesystem::path& path) { return path.string() + ".new"; }

void prepare_existing(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw StoreError::from_errno(errno, "open", path.string());
  struct stat draft {};
  const bool half_published =
      ::stat(draft_path(path).c_str(), &draft) == 0 && draft.st_ino == info.st_ino && draft.st_dev == info.st_dev;
  if (half_published) remove_draft(path);
  if (info.st_nlink > (half_published ? 2U : 1U)) {
    throw StoreError(StoreError::Kind::Io, "the wallet file " + path.string() +
                                               " has a second name (a hard link), under which another process could "
                                               "write unseen; remove that name or make it a symbolic link");
  }
  // Where it is not ours to change, that it can be read at all is its owner's will.
  if ((info.st_mode & 077U) != 0) static_cast<void>(::chmod(path.c_str(), kFileMode) == 0);
}

void make_draft(const std::filesystem::path& path) {
  remove_draft(path);
  const std::string draft = draft_path(path).string();
  const FileDescriptor file(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file.valid()) throw StoreError::from_errno(errno, "create", draft);
  ::fchmod(file.get(), kFileMode);
}

void publish_draft(const std::filesystem::path& path) {
  const int error = rename_to_new(draft_path(path), path);
  if (error != 0) throw error == EEXIST ? name_taken(path) : StoreError::from_errno(error, "create", path.string());
  remove_draft(path);
  sync_folder(path);
}

void remove_draft(const std::filesystem::path& path) noexcept {
  try {
    const std::string draft = draft_path(path).string();
    for (const char* suffix : {"-wal", "-shm", "-journal", ""}) ::unlink((draft + suffix).c_str());
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): whoever makes the next draft removes this one
  }
}

void require_absent(const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) throw name_taken(path);
  if (errno != ENOENT) throw StoreError::from_errno(errno, "create", path.string());
  // SQLite would take the log of an earlier wallet for that of the new one.
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::string left = path.string() + suffix;
    if (::lstat(left.c_str(), &info) != 0) continue;
    throw StoreError(StoreError::Kind::Exists,
                     left + " is left over from an earlier wallet of this name; move it away first");
  }
}

int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  // Either way nothing can be overwritten. The rename leaves no second name behind a crash, but some file systems only
  // have the link.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

}  // namespace spv::store
