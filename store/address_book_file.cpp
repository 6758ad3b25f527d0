#include "store/address_book_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/wallet_file.h"

namespace spv::store {
namespace {

// Far above what a full book takes.
constexpr std::size_t kMaxFileBytes = 4'000'000;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

std::optional<util::Bytes> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0) throw StoreError::from_errno(errno, "open", path);
  util::Bytes bytes(kMaxFileBytes);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw StoreError::from_errno(errno, "read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void write_file(const std::string& path, const util::Bytes& bytes) {
  ::unlink(path.c_str());
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (file.get() < 0) throw StoreError::from_errno(errno, "make", path);
  ::fchmod(file.get(), S_IRUSR | S_IWUSR);
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw StoreError::from_errno(errno, "write", path);
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file.get()) != 0) throw StoreError::from_errno(errno, "write", path);
}

}  // namespace

AddressBookFile::AddressBookFile(const std::filesystem::path& path, const std::array<std::uint8_t, 4>& magic)
    : path_(resolve_new(path)), magic_(magic) {
  try {
    lock_.emplace(path_);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::Locked) throw;
  }
  const auto bytes = read_file(path_.string());
  if (!bytes) return;
  auto parsed = p2p::AddressBook::parse(*bytes, magic);
  if (parsed) {
    book = std::move(*parsed);
  } else {
    trouble_ = "the address book " + path_.string() + " is " + std::string(p2p::to_string(parsed.error())) +
               "; a new one is begun";
  }
}

void AddressBookFile::save() const {
  if (!lock_) return;
  const std::string draft = path_.string() + ".new";
  write_file(draft, book.serialize(magic_));
  if (std::rename(draft.c_str(), path_.c_str()) != 0) throw StoreError::from_errno(errno, "replace", path_.string());
}

}  // namespace spv::store
