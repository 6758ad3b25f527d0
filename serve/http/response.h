// Response: an answer as a handler gives it. The server adds the lengths and the headers that every answer has.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spv::serve {

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  /// `Cache-Control` replaces the default, `no-store`. One with a control character in it is left out.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// {"error":{"code","message"}}; 401, 429 and 503 get the headers that belong to them.
Response error_response(unsigned status, std::string_view code, std::string_view message);
/// 405 with the methods that the path has: "GET, POST".
Response method_not_allowed(std::string allowed);

}  // namespace spv::serve
