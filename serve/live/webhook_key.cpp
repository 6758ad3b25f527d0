#include "serve/live/webhook_key.h"

#include <array>
#include <fstream>
#include <utility>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "util/bytes.h"
#include "util/ensure.h"
#include "util/hex.h"

namespace spv::serve {
namespace {

constexpr std::size_t kMostKeyBytes = 4'096;

}  // namespace

util::Expected<WebhookKey, std::string> WebhookKey::read(const std::filesystem::path& file) {
  const auto wrong = [&](std::string_view why) {
    return util::Unexpected{"cannot use the webhook key " + file.string() + ": " + std::string(why)};
  };
  std::ifstream in;
  in.rdbuf()->pubsetbuf(nullptr, 0);  // no copy of the key stays in a buffer
  in.open(file, std::ios::binary);
  if (!in) return wrong("the file cannot be read");
  util::SecretBytes key(kMostKeyBytes + 1);
  in.read(reinterpret_cast<char*>(key.data()), static_cast<std::streamsize>(key.size()));
  if (in.bad()) return wrong("the file cannot be read");
  key.resize(static_cast<std::size_t>(in.gcount()));
  if (key.size() > kMostKeyBytes) return wrong("it is longer than 4096 bytes");
  if (!key.empty() && key.back() == '\n') key.pop_back();
  if (key.empty()) return wrong("it is empty");
  return WebhookKey(std::move(key));
}

std::string WebhookKey::signature(std::string_view body) const {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const auto bytes = util::as_bytes(body);
  const auto* done =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), bytes.data(), bytes.size(), digest.data(), &size);
  util::ensure(done != nullptr, "OpenSSL has no HMAC-SHA256");
  return "sha256=" + util::to_hex(util::ByteView(digest).first(size));
}

}  // namespace spv::serve
