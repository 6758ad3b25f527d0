// WebhookUrl: where events are posted to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/expected.h"

namespace spv::serve {

struct WebhookUrl {
  bool is_https = false;
  std::string host;  // an address of IPv6 without its brackets
  std::uint16_t port = 80;
  std::string target;  // path and query: may hold a secret, and is never logged
  std::string text;    // as it was given

  /// "example.com", "example.com:8080", "[::1]:8080": for the Host header, and for the log.
  [[nodiscard]] std::string authority() const;
  /// Under which the position of this URL is stored.
  [[nodiscard]] std::string consumer() const;
};

/// The error says what is wrong without repeating the URL.
util::Expected<WebhookUrl, std::string> parse_webhook_url(std::string_view text);
/// All of them; refuses one that is given twice, and too many.
util::Expected<std::vector<WebhookUrl>, std::string> parse_webhook_urls(const std::vector<std::string>& texts);

}  // namespace spv::serve
