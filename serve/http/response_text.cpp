#include "serve/http/response_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>

#include <boost/beast/http/status.hpp>

#include "serve/http/text.h"

namespace spv::serve {
namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

/// One that would end the line, and begin a header of somebody else's choice.
bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; });
}

}  // namespace

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

void write_head(std::string& out, const Response& response, HeadForm form) {
  const auto reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));
  out.assign("HTTP/1.1 ");
  append_number(out, response.status);
  out.append(" ").append(reason.data(), reason.size()).append("\r\n");
  if (has_body(response.status)) {
    if (!has_control_character(response.content_type)) append_header(out, "Content-Type", response.content_type);
    if (!form.is_stream) {
      out.append("Content-Length: ");
      append_number(out, response.body.size());
      out.append("\r\n");
    }
  }
  bool has_cache_control = false;
  for (const auto& [name, value] : response.headers) {
    if (has_control_character(name) || has_control_character(value)) continue;
    append_header(out, name, value);
    has_cache_control = has_cache_control || equal_ignoring_case(name, "Cache-Control");
  }
  if (!has_cache_control) out.append("Cache-Control: no-store\r\n");
  out.append("X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n");
  out.append(form.closes || form.is_stream ? "Connection: close\r\n\r\n" : "\r\n");
}

}  // namespace spv::serve
