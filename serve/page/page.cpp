#include "serve/page/page.h"

#include <string>

#include "serve/http/text.h"

namespace spv::serve {
namespace {

/// Whether If-None-Match has this tag; a proxy may have made it weak.
bool has_tag(std::string_view list, std::string_view tag) {
  for (;;) {
    const auto comma = list.find(',');
    std::string_view item = trim(list.substr(0, comma));
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == tag || item == "*") return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

const PageFile* Page::find(const Request& request) const {
  if (request.segments.size() > 1) return nullptr;
  const std::string_view name = request.segments.empty() ? "index.html" : std::string_view(request.segments[0]);
  for (const auto& file : files_)
    if (file.name == name) return &file;
  return nullptr;
}

std::optional<Response> Page::answer(const Request& request) const {
  const PageFile* file = find(request);
  if (file == nullptr) return std::nullopt;
  if (is_changing(request.method)) return method_not_allowed("GET, HEAD");
  const bool is_packed = request.accepts_gzip && !file->packed.empty();
  const std::string tag = '"' + std::string(file->etag) + (is_packed ? "-gzip\"" : "\"");
  Response response;
  response.content_type = file->content_type;
  response.headers = {{"ETag", tag},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", std::string(kContentSecurityPolicy)}};
  if (request.if_none_match && has_tag(*request.if_none_match, tag)) {
    response.status = 304;
    return response;
  }
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_packed ? file->packed : file->plain;
  return response;
}

}  // namespace spv::serve
