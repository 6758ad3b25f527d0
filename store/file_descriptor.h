// FileDescriptor: an open file that closes itself, and how a bounded file is read and a whole one written. Plain calls,
// not streams: a stream's buffer would keep a copy of a secret that nobody wipes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "util/bytes.h"
#include "util/expected.h"

namespace spv::store {

class FileDescriptor {
 public:
  /// Takes the descriptor; a negative one stands for no file.
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Fills `room` as far as the file goes: how many bytes came, or errno.
util::Expected<std::size_t, int> read_fully(int fd, std::span<std::uint8_t> room);

/// Reads to the end, at most `limit` bytes; one more than that says that the file is longer. Else errno. The room grows
/// with what comes.
template <typename Buffer>
util::Expected<Buffer, int> read_up_to(int fd, std::size_t limit) {
  constexpr std::size_t kFirst = 4'096;
  Buffer out;
  for (std::size_t room = std::min(kFirst, limit + 1);; room = std::min(2 * room, limit + 1)) {
    const std::size_t before = out.size();
    out.resize(room);
    const auto got = read_fully(fd, {reinterpret_cast<std::uint8_t*>(out.data()) + before, room - before});
    if (!got) return util::Unexpected{got.error()};
    out.resize(before + *got);
    if (out.size() < room || room == limit + 1) return out;
  }
}

/// Writes all of it and has it on the disk, where it is a file on one: zero, or errno.
int write_all(int fd, util::ByteView bytes);

}  // namespace spv::store
