#include "serve/api/routes.h"

#include <utility>

namespace spv::serve {
namespace {

std::vector<std::string_view> split(std::string_view pattern) {
  std::vector<std::string_view> out;
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const auto slash = pattern.find('/');
    out.push_back(pattern.substr(0, slash));
    pattern = slash == std::string_view::npos ? std::string_view() : pattern.substr(slash + 1);
  }
  return out;
}

bool is_place(std::string_view segment) { return segment.starts_with('{'); }

}  // namespace

Routes::Routes(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (std::size_t i = 0; i < routes_.size(); ++i) patterns_.push_back({split(routes_[i].pattern), i});
}

std::optional<Places> Routes::match(const Pattern& pattern, const std::vector<std::string>& segments) {
  if (pattern.segments.size() != segments.size()) return std::nullopt;
  Places places;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (is_place(pattern.segments[i])) {
      places.push_back(segments[i]);
    } else if (pattern.segments[i] != segments[i]) {
      return std::nullopt;
    }
  }
  return places;
}

void Routes::handle(Request request, Reply reply) const {
  std::string allowed;
  for (const auto& pattern : patterns_) {
    auto places = match(pattern, request.segments);
    if (!places) continue;
    const Route& route = routes_[pattern.route];
    reply.set_route(route.pattern);
    if (route.method == request.method) return route.answer({std::move(request), std::move(*places)}, std::move(reply));
    allowed += (allowed.empty() ? "" : ", ") + std::string(to_string(route.method));
    if (route.method == Method::Get) allowed += ", HEAD";
  }
  if (!allowed.empty()) return reply.send(method_not_allowed(std::move(allowed)));
  reply.send(error_response(404, "not-found", "there is nothing at this path; see /v1/openapi.json"));
}

}  // namespace spv::serve
