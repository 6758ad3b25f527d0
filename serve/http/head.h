// RequestHead: the request line and the headers that matter here, as views into the bytes received. Bodies have a
// Content-Length or are none: a request with a Transfer-Encoding is refused, so there is one way to see where it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "serve/http/request.h"
#include "util/expected.h"

namespace spv::serve {

struct RequestHead {
  Method method = Method::Other;
  std::string_view target;
  bool is_http11 = true;
  bool keep_alive = true;
  bool has_host = false;
  bool expects_continue = false;
  std::uint64_t content_length = 0;
  std::string_view host;
  std::string_view authorization;
  std::string_view cookie;
  std::string_view origin;
  std::string_view content_type;
  std::string_view accept_encoding;
  std::string_view if_none_match;
  std::string_view last_event_id;
};

/// How the request is refused. The connection is closed then: where the next one would begin is not certain.
struct HeadError {
  unsigned status = 400;
  std::string message;
};

/// Where the head ends that begins these bytes.
struct HeadEnd {
  std::size_t size = 0;       // with the empty line; 0: more must come
  bool is_malformed = false;  // it can no longer become a head
};
/// Looks at what follows the first `seen` bytes, in which no end was.
HeadEnd find_head_end(std::string_view bytes, std::size_t seen);

/// `bytes` is a head as found above.
util::Expected<RequestHead, HeadError> parse_head(std::string_view bytes);

/// A media type in lower case without its parameters.
std::string media_type(std::string_view content_type);
/// Whether an Accept-Encoding takes gzip.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace spv::serve
