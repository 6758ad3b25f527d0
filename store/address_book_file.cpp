#include "store/address_book_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/file_descriptor.h"
#include "store/wallet_file.h"

namespace spv::store {
namespace {

// Far above what a full book takes.
constexpr std::size_t kMaxFileBytes = 4'000'000;

std::optional<util::Bytes> read_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) return std::nullopt;
  if (!file.valid()) throw StoreError::from_errno(errno, "open", path);
  auto bytes = read_up_to<util::Bytes>(file.get(), kMaxFileBytes);
  if (!bytes) throw StoreError::from_errno(bytes.error(), "read", path);
  return std::move(*bytes);
}

void write_file(const std::string& path, const util::Bytes& bytes) {
  ::unlink(path.c_str());
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!file.valid()) throw StoreError::from_errno(errno, "make", path);
  ::fchmod(file.get(), S_IRUSR | S_IWUSR);
  if (const int error = write_all(file.get(), bytes); error != 0) throw StoreError::from_errno(error, "write", path);
}

}  // namespace

AddressBookFile::AddressBookFile(const std::filesystem::path& path, const std::array<std::uint8_t, 4>& magic, Use use)
    : path_(use == Use::Change ? resolve_new(path) : path), magic_(magic) {
  try {
    if (use == Use::Change) lock_.emplace(path_);
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
