#include "cli/wallet/secret_file.h"

#include <cstring>

#include "cli/error.h"
#include "cli/input_file.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxSecretBytes = 4096;

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why) {
  throw CommandError(ExitCode::Failed, "secret-file",
                     "cannot read " + std::string(what) + " from '" + path + "': " + why);
}

}  // namespace

util::SecretBytes read_secret(const std::string& path, std::string_view what) {
  auto secret = read_input<util::SecretBytes>(path, kMaxSecretBytes);
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
