// WebhookKey: signs what is posted, so that the receiver knows where it comes from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "util/expected.h"
#include "util/secret.h"

namespace spv::serve {

class WebhookKey {
 public:
  explicit WebhookKey(util::SecretBytes key) : key_(std::move(key)) {}

  /// The bytes of a file without a newline at the end.
  static util::Expected<WebhookKey, std::string> read(const std::filesystem::path& file);

  /// "sha256=" and the HMAC-SHA256 of the body in hex: the header X-Spv-Signature.
  [[nodiscard]] std::string signature(std::string_view body) const;

 private:
  util::SecretBytes key_;
};

}  // namespace spv::serve
