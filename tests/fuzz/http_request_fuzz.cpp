// The head of a request: where it ends does not depend on how it arrives; one that is taken has one reading, which a
// second, simple reader shares; and no part of its target leads elsewhere (A1, A4, A5).
#include <string>
#include <string_view>

#include "serve/http/authority.h"
#include "serve/http/cookies.h"
#include "serve/http/head.h"
#include "serve/http/target.h"
#include "serve/http/text.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;

/// The values of a header, line by line; `count` says how many there are.
std::string_view value_of(std::string_view head, std::string_view name, int& count) {
  std::string_view value;
  count = 0;
  for (auto line = head.find("\r\n") + 2; line < head.size();) {
    const auto end = head.find("\r\n", line);
    const std::string_view text = head.substr(line, end - line);
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && serve::equal_ignoring_case(text.substr(0, colon), name)) {
      value = serve::trim(text.substr(colon + 1));
      ++count;
    }
    line = end + 2;
  }
  return value;
}

void check_target(std::string_view text) {
  const auto target = serve::parse_target(text);
  if (!target) return util::ensure(!target.error().empty(), "no reason is given");
  std::string again;
  for (const auto& segment : target->segments) {
    util::ensure(segment != ".." && segment != "." && segment.find('/') == std::string::npos, "it leads elsewhere");
    util::ensure(serve::is_clean_text(segment), "a segment is not clean");
    again += '/';
    for (const char c : segment) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      again += {'%', kDigits[static_cast<std::uint8_t>(c) >> 4U], kDigits[static_cast<std::uint8_t>(c) & 15U]};
    }
  }
  const auto parsed = serve::parse_target(again.empty() ? "/" : again);
  util::ensure(parsed && parsed->segments == target->segments, "another path when it is encoded again");
}

void check_authority(std::string_view text) {
  const auto authority = serve::parse_authority(text);
  if (authority) util::ensure(serve::parse_authority(to_string(*authority)) == authority, "another host when written");
  const auto origin = serve::parse_origin(text);
  util::ensure(!origin || origin->port, "an origin without a port");
}

void check_head(std::string_view bytes) {
  const auto head = serve::parse_head(bytes);
  if (!head) return util::ensure(head.error().status >= 400 && !head.error().message.empty(), "no reason is given");
  int count = 0;
  static_cast<void>(value_of(bytes, "Transfer-Encoding", count));
  util::ensure(count == 0, "a Transfer-Encoding is taken");
  const auto length = value_of(bytes, "Content-Length", count);
  util::ensure(count <= 1, "two lengths are taken");
  util::ensure(count == 0 ? head->content_length == 0 : head->content_length == std::stoull(std::string(length)),
               "another length");
  util::ensure(head->host == value_of(bytes, "Host", count) && count <= 1, "another host");
  util::ensure(head->authorization == value_of(bytes, "Authorization", count) && count <= 1, "another token");
  util::ensure(head->cookie == value_of(bytes, "Cookie", count) && count <= 1, "another cookie");
  util::ensure(head->origin == value_of(bytes, "Origin", count) && count <= 1, "another origin");
  check_target(head->target);
  check_authority(head->host);
  check_authority(head->origin);
  static_cast<void>(serve::takes_gzip(head->accept_encoding));
  static_cast<void>(serve::media_type(head->content_type));
  const auto cookie = serve::find_cookie(head->cookie, "spv_session_8338");
  util::ensure(!cookie || head->cookie.find(*cookie) != std::string_view::npos, "a cookie that was not sent");
}

}  // namespace

SPV_FUZZ_TARGET(http_request, input) {
  if (input.size() > 10'000) return;
  const std::string_view bytes(reinterpret_cast<const char*>(input.data()), input.size());
  const auto end = serve::find_head_end(bytes, 0);
  std::size_t seen = 0;
  for (std::size_t cut = 1; cut <= bytes.size(); cut += 1 + cut / 7) {
    const auto part = serve::find_head_end(bytes.substr(0, cut), seen);
    if (part.size > 0 || part.is_malformed) break;
    seen = cut;
  }
  const auto later = serve::find_head_end(bytes, seen);
  util::ensure(later.size == end.size && later.is_malformed == end.is_malformed, "another end when it comes in parts");
  check_target(bytes);
  check_authority(bytes);
  if (end.size > 0) check_head(bytes.substr(0, end.size));
}
