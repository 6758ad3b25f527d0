#include "cli/wallet/secret_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "cli/error.h"
#include "store/file_descriptor.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxSecretBytes = 4096;

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why) {
  throw CommandError(ExitCode::Failed, "secret-file",
                     "cannot read " + std::string(what) + " from '" + path + "': " + why);
}

}  // namespace

util::SecretBytes read_secret(const std::string& path, std::string_view what) {
  const bool from_stdin = path == "-";
  const store::FileDescriptor file(from_stdin ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from_stdin && !file.valid()) fail(path, what, std::strerror(errno));
  auto secret = store::read_up_to<util::SecretBytes>(from_stdin ? STDIN_FILENO : file.get(), kMaxSecretBytes);
  if (!secret) fail(path, what, std::strerror(secret.error()));
  if (secret->size() > kMaxSecretBytes) fail(path, what, "it is longer than 4 KiB");
  return std::move(*secret);
}

util::SecretBytes read_secret_line(const std::string& path, std::string_view what) {
  util::SecretBytes secret = read_secret(path, what);
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  return secret;
}

}  // namespace spv::cli
