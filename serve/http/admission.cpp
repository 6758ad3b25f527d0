#include "serve/http/admission.h"

#include <algorithm>

#include "serve/http/target.h"

namespace spv::serve {
namespace {

constexpr std::string_view kJson = "application/json";

std::optional<std::string> copy_if_there(std::string_view value) {
  if (value.data() == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<Response> fill(const RequestHead& head, Request& request) {
  auto target = parse_target(head.target);
  if (!target) return error_response(400, "bad-request", target.error());
  request.method = head.method;
  request.path = std::move(target->path);
  request.segments = std::move(target->segments);
  request.query = std::move(target->query);
  request.content_type = media_type(head.content_type);
  request.last_event_id = copy_if_there(head.last_event_id);
  request.if_none_match = copy_if_there(head.if_none_match);
  request.accepts_gzip = takes_gzip(head.accept_encoding);
  return std::nullopt;
}

std::optional<Response> check_form(const RequestHead& head, const Limits& limits) {
  if (head.method == Method::Other) return method_not_allowed("GET, HEAD, POST, PUT, DELETE");
  if (head.content_length > limits.body_bytes)
    return error_response(413, "too-large", "the body may have " + std::to_string(limits.body_bytes) + " bytes");
  return std::nullopt;
}

std::optional<Response> refusal_of(Access::Verdict verdict) {
  switch (verdict) {
    case Access::Verdict::Token:
    case Access::Verdict::Session:
      return std::nullopt;
    case Access::Verdict::TooMany:
      return error_response(429, "too-many", "too many wrong tokens; wait a moment");
    case Access::Verdict::Wrong:
      return error_response(401, "unauthorized", "the token is wrong");
    case Access::Verdict::None:
      break;
  }
  return error_response(401, "unauthorized", "a token is needed: Authorization: Bearer TOKEN");
}

std::optional<Response> check_access(const RequestHead& head, Access& access, util::TimePoint now, Request& request) {
  const Credentials credentials{head.host, head.authorization, head.cookie, head.origin};
  const auto verdict = access.check(credentials, now);
  if (auto refusal = refusal_of(verdict)) return refusal;
  if (verdict == Access::Verdict::Session && is_changing(head.method) && !access.is_own_origin(credentials))
    return error_response(403, "wrong-origin", "this request does not come from this server's page");
  request.authorized = true;
  return std::nullopt;
}

}  // namespace

std::optional<Response> admit(const RequestHead& head, std::string_view local_address, const ServerOptions& options,
                              Access& access, util::TimePoint now, Request& request) {
  if (auto refusal = fill(head, request)) return refusal;
  if (head.has_host && !access.knows_host(head.host, local_address))
    return error_response(403, "wrong-host", "this server does not go by that name; add it with --host");
  if (auto refusal = check_form(head, options.limits)) return refusal;
  const bool is_login = request.method == Method::Post && is_session_path(request);
  const bool is_open = !is_changing(request.method) && options.is_open && options.is_open(request);
  if (is_login && head.content_length > options.limits.login_bytes)
    return error_response(413, "too-large", "the body has nothing but the token");
  if (!is_login && !is_open)
    if (auto refusal = check_access(head, access, now, request)) return refusal;
  if (is_changing(request.method) && head.content_length > 0 && request.content_type != kJson)
    return error_response(415, "wrong-type", "send the body as application/json");
  return std::nullopt;
}

std::string anonymous_path(const Request& request) {
  const auto is_word = [](const std::string& text) {
    return !text.empty() && text.size() <= 16 &&
           std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  };
  const auto& segments = request.segments;
  std::string path;
  for (std::size_t i = 0; i < segments.size() && i < 4; ++i)
    path += i < 2 && is_word(segments[i]) ? '/' + segments[i] : "/*";
  return path.empty() ? (request.path.empty() ? "-" : "/") : path;
}

}  // namespace spv::serve
