// MappedFile: a file that is written by calls, so that a full disk is an error, and read through a memory map.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "util/bytes.h"

namespace spv::store {

/// Owns a descriptor and a read-only map of it. Failures of the system are thrown as std::system_error.
class MappedFile {
 public:
  /// Opens for writing and makes the file with mode 0600 if it is not there; falls back to reading if the file may
  /// not be written. A symbolic link is refused.
  explicit MappedFile(std::string path) : path_(std::move(path)) {
    constexpr mode_t kOwnerOnly = 0600;
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
    if (fd_ >= 0) {
      writable_ = true;
    } else if (errno == EACCES || errno == EROFS) {
      fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    }
    if (fd_ < 0) fail("cannot open");
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile() {
    unmap();
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// True if this is the one opener that may write: the lock lasts until the file is closed.
  [[nodiscard]] bool lock() {
    if (!writable_) return false;
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) fail("cannot lock");
    return false;
  }
  /// False if another file has taken this one's name since it was opened.
  [[nodiscard]] bool is_at_its_path() const {
    struct stat at_path {};
    const struct stat ours = status();
    return ::stat(path_.c_str(), &at_path) == 0 && at_path.st_ino == ours.st_ino && at_path.st_dev == ours.st_dev;
  }
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(status().st_size); }
  /// Throws away what is there.
  void clear() {
    unmap();
    if (::ftruncate(fd_, 0) != 0) fail("cannot clear");
  }
  /// Takes the place of the file of that name; whoever has that one open keeps it as it was.
  void rename_to(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) fail("cannot rename");
    path_ = path;
  }
  void write(std::uint64_t offset, util::ByteView bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail("cannot write");
      bytes = bytes.subspan(static_cast<std::size_t>(done));
      offset += static_cast<std::uint64_t>(done);
    }
  }
  /// Waits until what was written is on the disk.
  void sync() {
    if (::fdatasync(fd_) != 0) fail("cannot sync");
  }

  /// `size` bytes at `offset`, which the caller knows to be within the file; valid until the next call.
  [[nodiscard]] const std::uint8_t* read(std::uint64_t offset, std::uint64_t size) {
    if (++reads_ == kReadsBeforeDrop) drop_pages();
    if (offset + size > mapped_) map(offset + size);
    return static_cast<const std::uint8_t*>(memory_) + offset;
  }

 private:
  // So that a scan of the whole file takes no more memory than a part of it.
  static constexpr std::uint32_t kReadsBeforeDrop = 1U << 15U;

  /// Gives the pages read so far back to the system, which reads them again when they are needed.
  void drop_pages() {
    reads_ = 0;
    if (memory_ != nullptr) ::madvise(memory_, mapped_, MADV_DONTNEED);
  }
  [[noreturn]] void fail(const char* what) const {
    throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path_);
  }

  [[nodiscard]] struct stat status() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) fail("cannot look at");
    return status;
  }
  void swap(MappedFile& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    std::swap(writable_, other.writable_);
    std::swap(memory_, other.memory_);
    std::swap(mapped_, other.mapped_);
    std::swap(reads_, other.reads_);
  }

  void map(std::uint64_t least) {
    constexpr std::uint64_t kStep = std::uint64_t{16} << 20U;  // beyond the end of the file too, so that it may grow
    unmap();
    const std::uint64_t wanted = (least / kStep + 1) * kStep;
    void* memory = ::mmap(nullptr, wanted, PROT_READ, MAP_SHARED, fd_, 0);
    if (memory == MAP_FAILED) fail("cannot map");  // NOLINT: the system's macro
    memory_ = memory;
    mapped_ = wanted;
  }
  void unmap() {
    if (memory_ != nullptr) ::munmap(memory_, mapped_);
    memory_ = nullptr;
    mapped_ = 0;
  }

  std::string path_;
  int fd_ = -1;
  bool writable_ = false;
  void* memory_ = nullptr;
  std::uint64_t mapped_ = 0;
  std::uint32_t reads_ = 0;  // since pages were given back
};

}  // namespace spv::store
