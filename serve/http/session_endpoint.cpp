// /v1/session: the page shows the token once and gets a cookie.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "serve/http/admission.h"

namespace spv::serve {
namespace {

namespace json = boost::json;

Response bad_request(std::string_view message) { return error_response(400, "bad-request", message); }

util::Expected<std::string, Response> token_of(const std::string& body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  if (error || !value.is_object()) return util::Unexpected{bad_request(R"(send {"token":"..."})")};
  for (const auto& field : value.get_object())
    if (field.key() != "token")
      return util::Unexpected{bad_request("unknown field: " + std::string(field.key().data(), field.key().size()))};
  const json::value* token = value.get_object().if_contains("token");
  if (token == nullptr) return util::Unexpected{bad_request("the field token is missing")};
  if (!token->is_string()) return util::Unexpected{bad_request("token must be a string")};
  return std::string(token->get_string().data(), token->get_string().size());
}

Response no_content(std::string set_cookie) {
  Response response;
  response.status = 204;
  response.headers.emplace_back("Set-Cookie", std::move(set_cookie));
  return response;
}

Response open_session(const std::string& body, Access& access, util::TimePoint now) {
  const auto token = token_of(body);
  if (!token) return token.error();
  std::string set_cookie;
  switch (access.open_session(*token, now, set_cookie)) {
    case Access::Verdict::Token:
      return no_content(std::move(set_cookie));
    case Access::Verdict::TooMany:
      return error_response(429, "too-many", "too many wrong tokens; wait a moment");
    default:
      return error_response(401, "unauthorized", "the token is wrong");
  }
}

}  // namespace

bool is_session_path(const Request& request) { return request.path == "/v1/session"; }

Response answer_session(const Request& request, std::string_view cookie_header, Access& access, util::TimePoint now) {
  if (request.method == Method::Post) return open_session(request.body, access, now);
  if (request.method == Method::Delete) return no_content(access.close_session(cookie_header));
  return method_not_allowed("POST, DELETE");
}

}  // namespace spv::serve
