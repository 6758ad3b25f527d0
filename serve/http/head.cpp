#include "serve/http/head.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include <boost/beast/http/basic_parser.hpp>

#include "serve/http/text.h"

namespace spv::serve {
namespace {

namespace http = boost::beast::http;
using Text = boost::beast::string_view;
using ErrorCode = boost::beast::error_code;

std::string_view view(Text text) { return {text.data(), text.size()}; }

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::Get;
    case http::verb::head:
      return Method::Head;
    case http::verb::post:
      return Method::Post;
    case http::verb::put:
      return Method::Put;
    case http::verb::delete_:
      return Method::Delete;
    default:
      return Method::Other;
  }
}

/// Beast's parser for the syntax; what it finds is kept as views, because nothing is copied in a head that came whole.
class HeadParser : public http::basic_parser<true> {
 public:
  RequestHead head;
  HeadError refusal;  // if it has a message

 private:
  void refuse(unsigned status, std::string message, ErrorCode& error) {
    if (refusal.message.empty()) refusal = {status, std::move(message)};
    error = http::error::bad_value;
  }

  std::string_view* place_of(http::field field) {
    switch (field) {
      case http::field::host:
        return &head.host;
      case http::field::authorization:
        return &head.authorization;
      case http::field::cookie:
        return &head.cookie;
      case http::field::origin:
        return &head.origin;
      case http::field::content_type:
        return &head.content_type;
      case http::field::accept_encoding:
        return &head.accept_encoding;
      case http::field::if_none_match:
        return &head.if_none_match;
      default:
        return nullptr;
    }
  }

  void take_length(std::string_view value, ErrorCode& error) {
    const char* const last = std::to_address(value.end());
    const auto [end, problem] = std::from_chars(std::to_address(value.begin()), last, head.content_length);
    if (has_length_) return refuse(400, "Content-Length is there twice", error);
    if (problem != std::errc() || end != last) return refuse(400, "Content-Length is not a number", error);
    has_length_ = true;
  }

  void on_request_impl(http::verb verb, Text, Text target, int version, ErrorCode&) override {
    head.method = method_of(verb);
    head.target = view(target);
    head.is_http11 = version >= 11;
  }

  void on_field_impl(http::field field, Text name, Text text, ErrorCode& error) override {
    const std::string_view value = view(text);
    if (field == http::field::transfer_encoding)
      return refuse(400, "Transfer-Encoding is not supported: send a Content-Length", error);
    if (field == http::field::content_length) return take_length(value, error);
    if (field == http::field::expect) {
      if (!equal_ignoring_case(value, "100-continue")) return refuse(417, "only 100-continue can be expected", error);
      head.expects_continue = true;
      return;
    }
    std::string_view* place = place_of(field);
    if (place == nullptr && equal_ignoring_case(view(name), "Last-Event-ID")) place = &head.last_event_id;
    if (place == nullptr) return;
    // Two values: which one a proxy before us saw is not known.
    if (place->data() != nullptr) return refuse(400, std::string(view(name)) + " is there twice", error);
    *place = value.data() == nullptr ? std::string_view("") : value;
  }

  void on_header_impl(ErrorCode&) override {}
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, ErrorCode&) override {}
  std::size_t on_body_impl(Text body, ErrorCode&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorCode&) override { return body.size(); }
  void on_finish_impl(ErrorCode&) override {}

  bool has_length_ = false;
};

/// Beast would join the lines in memory of its own; who folds lines today wants to confuse somebody.
bool has_folded_line(std::string_view bytes) {
  return bytes.find("\r\n ") != std::string_view::npos || bytes.find("\r\n\t") != std::string_view::npos;
}

}  // namespace

HeadEnd find_head_end(std::string_view bytes, std::size_t seen) {
  // Anything else than a letter does not begin a method: TLS, another protocol, a blank line.
  if (!bytes.empty() && (bytes.front() < 'A' || bytes.front() > 'Z')) return {.is_malformed = true};
  for (auto at = bytes.find('\n', seen); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return {.is_malformed = true};
    if (at >= 3 && bytes.substr(at - 3, 4) == "\r\n\r\n") return {.size = at + 1};
  }
  return {};
}

util::Expected<RequestHead, HeadError> parse_head(std::string_view bytes) {
  if (has_folded_line(bytes)) return util::Unexpected{HeadError{400, "a header is folded over several lines"}};
  HeadParser parser;
  parser.header_limit(static_cast<std::uint32_t>(bytes.size()) + 1);
  parser.body_limit(boost::none);
  ErrorCode error;
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (!parser.refusal.message.empty()) return util::Unexpected{std::move(parser.refusal)};
  if (error || !parser.is_header_done() || used != bytes.size())
    return util::Unexpected{HeadError{400, "this is not a valid HTTP request: " + error.message()}};
  RequestHead head = parser.head;
  // One request a connection for HTTP/1.0, whatever it would like.
  head.keep_alive = head.is_http11 && parser.keep_alive();
  head.has_host = head.host.data() != nullptr;
  if (head.is_http11 && !head.has_host) return util::Unexpected{HeadError{400, "the Host header is missing"}};
  return head;
}

std::string media_type(std::string_view content_type) {
  return to_lower(trim(content_type.substr(0, content_type.find(';'))));
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const auto end = accept_encoding.find(',');
    const std::string_view item = trim(accept_encoding.substr(0, end));
    const auto semicolon = item.find(';');
    const std::string_view quality = semicolon == std::string_view::npos ? "" : trim(item.substr(semicolon + 1));
    const bool is_refused = quality == "q=0" || quality.starts_with("q=0.0");
    if (equal_ignoring_case(trim(item.substr(0, semicolon)), "gzip")) return !is_refused;
    if (end == std::string_view::npos) break;
    accept_encoding.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace spv::serve
