#include "cli/secret_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxSecretBytes = 4096;

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why) {
  throw CommandError(ExitCode::Failed, "secret-file",
                     "cannot read " + std::string(what) + " from '" + path + "': " + why);
}

}  // namespace

// read(2), not a stream: a stream's buffer would keep a copy that nobody wipes.
util::SecretBytes read_secret(const std::string& path, std::string_view what) {
  const bool from_stdin = path == "-";
  const int fd = from_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, what, std::strerror(errno));
  util::SecretBytes secret(kMaxSecretBytes + 1);
  std::size_t size = 0;
  ssize_t got = 1;
  while (got != 0 && size < secret.size()) {
    got = read(fd, secret.data() + size, secret.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    size += static_cast<std::size_t>(got);
  }
  const int error = got < 0 ? errno : 0;
  if (!from_stdin) close(fd);
  if (error != 0) fail(path, what, std::strerror(error));
  if (size > kMaxSecretBytes) fail(path, what, "it is longer than 4 KiB");
  secret.resize(size);
  return secret;
}

util::SecretBytes read_secret_line(const std::string& path, std::string_view what) {
  util::SecretBytes secret = read_secret(path, what);
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  return secret;
}

}  // namespace spv::cli
