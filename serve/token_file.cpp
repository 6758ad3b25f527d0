#include "serve/token_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "client/clock.h"
#include "serve/http/access.h"
#include "store/file_descriptor.h"
#include "util/hex.h"

namespace spv::serve {
namespace {

constexpr std::size_t kMostBytes = 4'096;

util::Unexpected<std::string> cannot(const char* what, const std::filesystem::path& file, int error) {
  return util::Unexpected{std::string("cannot ") + what + " the token file " + file.string() + ": " +
                          std::strerror(error)};
}

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

util::Expected<std::string, std::string> read_token(const std::filesystem::path& file) {
  const store::FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (descriptor.get() < 0) return cannot("open", file, errno);
  auto text = store::read_up_to<std::string>(descriptor.get(), kMostBytes);
  if (!text) return cannot("read", file, text.error());
  std::string token = without_line_end(std::move(*text));
  if (const auto complaint = complaint_about_token(token); !complaint.empty()) {
    return util::Unexpected{"the token in " + file.string() + " cannot be used: " + complaint};
  }
  return token;
}

util::Expected<std::string, std::string> read_or_make_token(const std::filesystem::path& file) {
  const store::FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (descriptor.get() < 0 && errno == EEXIST) return read_token(file);
  if (descriptor.get() < 0) return cannot("make", file, errno);
  std::array<std::uint8_t, 32> random{};
  client::fill_with_entropy(random);
  std::string token = util::to_hex(random);
  const std::string line = token + "\n";
  if (const int error = store::write_all(descriptor.get(), util::as_bytes(line)); error != 0) {
    ::unlink(file.c_str());
    return cannot("write", file, error);
  }
  return token;
}

}  // namespace spv::serve
