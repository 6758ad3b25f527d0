// RequestRecord: what the access log and the metrics learn about a request. No address, no query, no names, no token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "serve/http/request.h"

namespace spv::serve {

struct RequestRecord {
  Method method = Method::Other;
  std::string_view route;  // as the handler calls it; empty: it never came there, or has no name for it
  std::string_view path;   // for the log where there is no route: with names and ids replaced by "*"
  unsigned status = 0;
  std::uint64_t bytes = 0;         // sent, with the head
  std::uint64_t microseconds = 0;  // from the complete request to the last byte of the answer, or the head of a stream
  bool is_stream = false;
};

/// One line: `GET /v1/wallets/{name} 200 412 bytes 187 us`.
std::string to_line(const RequestRecord& record);

}  // namespace spv::serve
