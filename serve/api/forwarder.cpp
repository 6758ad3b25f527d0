#include "serve/api/forwarder.h"

#include <utility>

#include <boost/json.hpp>

#include "client/errors.h"
#include "serve/api/answers.h"
#include "serve/http/target.h"

namespace spv::serve {
namespace {

namespace json = boost::json;

constexpr std::size_t kForwardThreads = 4;
constexpr std::size_t kMostForwarded = 128;
/// A broadcast waits longest: for what the network does with it.
constexpr std::chrono::seconds kLongestWait{50};
constexpr std::string_view kKind = "http";

std::optional<Method> parse_method(std::string_view text) {
  for (const Method method : {Method::Get, Method::Post, Method::Put, Method::Delete}) {
    if (to_string(method) == text) return method;
  }
  return std::nullopt;
}

std::optional<json::object> parse_object(std::string_view text) {
  boost::system::error_code error;
  auto value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.as_object());
}

std::optional<std::string> text_of(const json::object& object, const char* name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->as_string());
}

}  // namespace

std::string to_errand(const Request& request) {
  return json::serialize(
      json::object{{"method", to_string(request.method)}, {"path", request.path}, {"body", request.body}});
}

std::optional<Request> from_errand(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto method = text_of(*object, "method");
  const auto path = text_of(*object, "path");
  auto body = text_of(*object, "body");
  const auto known = method ? parse_method(*method) : std::nullopt;
  if (!known || !path || !body) return std::nullopt;
  auto target = parse_target(*path);
  if (!target) return std::nullopt;
  Request out;
  out.method = *known;
  out.path = *path;
  out.segments = std::move(target->segments);
  out.body = std::move(*body);
  out.content_type = "application/json";
  out.authorized = true;
  out.forwarded = true;
  return out;
}

std::string to_errand_answer(const Response& response) {
  return json::serialize(
      json::object{{"status", response.status}, {"type", response.content_type}, {"body", response.body}});
}

std::optional<Response> from_errand_answer(std::string_view text) {
  const auto object = parse_object(text);
  const auto* status = object ? object->if_contains("status") : nullptr;
  if (status == nullptr || !status->is_int64()) return std::nullopt;
  auto type = text_of(*object, "type");
  auto body = text_of(*object, "body");
  if (!type || !body || status->as_int64() < 200 || status->as_int64() > 599) return std::nullopt;
  if (status->as_int64() == 503) return error_response(503, "unavailable", "not available right now; try again later");
  return Response{.status = static_cast<unsigned>(status->as_int64()),
                  .content_type = std::move(*type),
                  .body = std::move(*body),
                  .headers = {}};
}

Forwarder::Forwarder(store::Store& store) : store_(store), pool_(kForwardThreads, kMostForwarded) {}

Response Forwarder::ask(const std::string& wallet, const Request& request) {
  const auto reply = store_.ask_holder(wallet, kKind, to_errand(request), kLongestWait, stop_.get_token());
  if (reply.answer) {
    if (auto response = from_errand_answer(*reply.answer)) return std::move(*response);
    return error_response(500, "internal", "another process gave an answer that makes no sense");
  }
  if (reply.taken) {
    return error_response(503, "unknown",
                          "the process that follows the wallet did not answer in time; look at the wallet before you "
                          "try again");
  }
  return error_response(503, "unavailable", "no process follows this wallet right now; try again in a few seconds");
}

void Forwarder::forward(const std::string& wallet, Call call, Reply reply) {
  auto shared = std::make_shared<std::pair<Call, Reply>>(std::move(call), std::move(reply));
  const bool posted = pool_.post([this, wallet, shared] {
    auto& [asked, to] = *shared;
    auto answered = client::guarded<Response>([&]() -> Result<Response> { return ask(wallet, asked.request); });
    to.send(answered ? std::move(*answered) : to_response(answered.error()));
  });
  if (!posted) shared->second.send(error_response(503, "busy", "too many requests are waiting; try again"));
}

}  // namespace spv::serve
