#include "store/file_descriptor.h"

#include <cerrno>
#include <unistd.h>

namespace spv::store {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

util::Expected<std::size_t, int> read_fully(int fd, std::span<std::uint8_t> room) {
  std::size_t size = 0;
  while (size < room.size()) {
    const ssize_t got = ::read(fd, room.data() + size, room.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return util::Unexpected{errno};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

int write_all(int fd, util::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;  // EINVAL: a pipe or a device
}

}  // namespace spv::store
