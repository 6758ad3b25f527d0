// Making a file that holds secrets: mode 0600 whatever the umask, never over another file, never half made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include "store/store_error.h"

namespace spv::store {

/// The path of a file to be made, its folder's links resolved. Folders that are missing are made with mode 0700.
std::filesystem::path resolve_new(const std::filesystem::path& path);
/// The path of a regular file that is there, links resolved; throws Missing or NotAWallet otherwise.
std::filesystem::path resolve_existing(const std::filesystem::path& path);
/// A file by its name, to see later whether it still has it.
class FileName {
 public:
  explicit FileName(std::filesystem::path path);
  [[nodiscard]] bool holds() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};
/// A wallet file that nobody writes: SQLite's log is absent, so the file alone has everything and may be read as it
/// lies, without that log and its index, which take longer to make and remove than a small wallet takes to read.
class FileAtRest {
 public:
  /// Nothing if it is open somewhere, changed a moment ago, or was left by a crash.
  static std::optional<FileAtRest> find(const std::filesystem::path& path);
  /// Whether nobody wrote since: what was read in between is all of one state.
  [[nodiscard]] bool holds() const;

 private:
  FileAtRest(std::filesystem::path path, const struct stat& found) : path_(std::move(path)), found_(found) {}

  std::filesystem::path path_;
  struct stat found_;
};
/// Makes a wallet file fit to be opened: what a crash left of making it is removed, and a mode that others can read is
/// narrowed. Throws Io for a file with a second name (a hard link): SQLite's log and our lock go by the name.
void prepare_existing(const std::filesystem::path& path);
/// Makes an empty file with mode 0600, folders included, unless it is there; its path, links resolved.
std::filesystem::path make_private_file(const std::filesystem::path& path);
/// Where a new wallet is made before it gets its name: "NAME.sqlite.new".
std::filesystem::path draft_path(const std::filesystem::path& path);
/// An empty draft with mode 0600. What a crash left of an earlier one is removed: the caller has the lock.
void make_draft(const std::filesystem::path& path);
/// Gives the draft its name for good, unless there is something of that name.
void publish_draft(const std::filesystem::path& path);
/// Removes a draft and what SQLite keeps beside it.
void remove_draft(const std::filesystem::path& path) noexcept;
/// Throws Exists if there is anything of this name, a dangling link included, or the log of an earlier wallet.
void require_absent(const std::filesystem::path& path);
/// Renames a file unless there is something of the new name: zero, or errno.
int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);
/// A name, new or gone, is safe from a power failure only once its folder is on disk.
void sync_folder(const std::filesystem::path& file);

}  // namespace spv::store
