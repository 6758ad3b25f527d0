// Request: what a handler sees of an HTTP request. Its form, its host and its credentials have been checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spv::serve {

enum class Method { Get, Head, Post, Put, Delete, Other };

std::string_view to_string(Method method);
/// Whether a request of this kind may change something.
constexpr bool is_changing(Method method) { return method != Method::Get && method != Method::Head; }

struct Request {
  Method method = Method::Get;        // a handler sees a HEAD as a GET; the server leaves the body of the answer out
  std::string path;                   // without the query, as sent
  std::vector<std::string> segments;  // of the path, percent-decoded: {"v1", "wallets", "a"}
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  std::string body;
  std::string content_type;                  // lower case, without parameters; empty: none
  std::optional<std::string> last_event_id;  // a stream resumes after this one
  std::optional<std::string> if_none_match;
  bool accepts_gzip = false;
  bool authorized = false;  // by token or session cookie
  bool forwarded = false;   // by another process of the same service: it is not passed on again
};

}  // namespace spv::serve
