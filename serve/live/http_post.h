// HttpPost: one POST over http or https, with a limit on everything. Follows nothing and keeps nothing of the answer
// but whether it was a success.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "serve/live/webhook_url.h"
#include "util/expected.h"

namespace spv::serve {

struct PostLimits {
  std::chrono::milliseconds connect{10'000};  // for each step until the connection stands
  std::chrono::milliseconds whole{30'000};    // until the head of the answer is here
  std::chrono::milliseconds body{2'000};      // for the rest of the answer, which is ignored
  std::size_t response_bytes = 65'536;
};

class HttpPost {
 public:
  explicit HttpPost(WebhookUrl url, const PostLimits& limits = {});
  HttpPost(const HttpPost&) = delete;
  HttpPost& operator=(const HttpPost&) = delete;
  ~HttpPost();

  /// Waits for a 2xx; the error says why there was none. Ends at once when stopped.
  util::Expected<void, std::string> post(const std::string& body, const std::optional<std::string>& signature,
                                         const std::stop_token& stopping);

 private:
  struct Tls;  // what all connections of this URL share
  [[nodiscard]] Tls& tls();

  const WebhookUrl url_;
  const PostLimits limits_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace spv::serve
