#include "store/wallet_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "store/file_descriptor.h"

namespace spv::store {
namespace {

constexpr mode_t kFileMode = S_IRUSR | S_IWUSR;

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// A new name is safe from a power failure only once its folder is on disk.
void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) throw StoreError::from_errno(errno, "open", folder.string());
  ::fsync(opened.get());
}

StoreError name_taken(const std::filesystem::path& path) {
  return {StoreError::Kind::Exists,
          "there is a file " + path.string() + " already; choose another wallet name, it is never overwritten"};
}

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  make_private_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw StoreError::from_errno(errno, "make the folder", folder.string());
  }
  ::chmod(folder.c_str(), S_IRWXU);
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

std::filesystem::path resolve_existing(const std::filesystem::path& path) {
  std::error_code error;
  const auto resolved = std::filesystem::canonical(path, error);
  if (error && error.value() != ENOENT) throw StoreError::from_errno(error.value(), "open", path.string());
  if (error) {
    throw StoreError(StoreError::Kind::Missing,
                     "there is no wallet " + path.string() + "; make one with create, restore or watch");
  }
  if (std::filesystem::is_regular_file(resolved, error)) return resolved;
  throw StoreError(StoreError::Kind::NotAWallet, path.string() + " is no file; check the path");
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
  if (!file.valid()) throw StoreError::from_errno(errno, "make", draft);
  ::fchmod(file.get(), kFileMode);
}

void publish_draft(const std::filesystem::path& path) {
  const std::string draft = draft_path(path).string();
  // Either way nothing can be overwritten. The rename leaves no second name behind a crash, but some file systems only
  // have the link.
  int result = ::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) result = ::link(draft.c_str(), path.c_str());
  if (result != 0) throw errno == EEXIST ? name_taken(path) : StoreError::from_errno(errno, "make", path.string());
  remove_draft(path);
  sync_folder(folder_of(path));
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
  if (errno != ENOENT) throw StoreError::from_errno(errno, "make", path.string());
}

}  // namespace spv::store
