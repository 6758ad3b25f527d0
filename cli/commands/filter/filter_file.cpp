#include "cli/commands/filter/filter_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "cli/error.h"
#include "store/file_descriptor.h"
#include "util/hex.h"

namespace spv::cli {
namespace {

// Two characters a byte of the largest payload (size, bits, functions, tweak, flags), and room for line ends.
constexpr std::size_t kMaxFileBytes = 2 * (3 + bip37::kMaxFilterBytes + 9) + 64;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw CommandError(ExitCode::Failed, "filter-file", "'" + path + "': " + why);
}

std::string read_filter_text(const std::string& path) {
  const store::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) fail(path, std::string("cannot open: ") + std::strerror(errno));
  auto text = store::read_up_to<std::string>(file.get(), kMaxFileBytes);
  if (!text) fail(path, std::string("cannot read: ") + std::strerror(text.error()));
  if (text->size() > kMaxFileBytes) fail(path, "too large for a filter (at most 36,000 bytes, in hex)");
  return std::move(*text);
}

std::string file_text(const bip37::BloomFilter& filter) {
  util::Writer out;
  filter.encode(out);
  return util::to_hex(out.take()) + "\n";
}

}  // namespace

bip37::BloomFilter read_filter(const std::string& path) {
  std::string text = read_filter_text(path);
  while (!text.empty() && std::strchr(" \t\r\n", text.back()) != nullptr) text.pop_back();
  const auto payload = util::from_hex(text);
  if (!payload) fail(path, "not hex: a filter file contains a filterload payload in hex");
  auto filter = bip37::BloomFilter::parse(*payload);
  if (!filter) fail(path, std::string(to_string(filter.error())));
  return std::move(*filter);
}

void create_filter_file(const std::string& path, const bip37::BloomFilter& filter) {
  const store::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid() && errno == EEXIST) fail(path, "the file exists; choose another name");
  if (!file.valid()) fail(path, std::string("cannot create: ") + std::strerror(errno));
  if (const int error = store::write_all(file.get(), util::as_bytes(file_text(filter))); error != 0) {
    ::unlink(path.c_str());
    fail(path, std::string("cannot write: ") + std::strerror(error));
  }
}

void replace_filter_file(const std::string& path, const bip37::BloomFilter& filter) {
  // A link stays a link: what it leads to is replaced.
  std::error_code unresolved;
  const auto canonical = std::filesystem::canonical(path, unresolved);
  if (unresolved) fail(path, unresolved.message());
  const std::string target = canonical.string();
  std::string temporary = target + ".XXXXXX";
  const store::FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!file.valid()) fail(path, std::string("cannot create a file beside it: ") + std::strerror(errno));
  int error = store::write_all(file.get(), util::as_bytes(file_text(filter)));
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, std::string("cannot replace: ") + std::strerror(error));
  }
}

void write_picture(const std::string& path, const std::string& text) {
  const store::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) fail(path, std::string("cannot create: ") + std::strerror(errno));
  if (const int error = store::write_all(file.get(), util::as_bytes(text)); error != 0) {
    fail(path, std::string("cannot write: ") + std::strerror(error));
  }
}

}  // namespace spv::cli
