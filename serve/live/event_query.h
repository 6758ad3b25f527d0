// What a client asks for: the query of GET /v1/events and of GET /v1/events/stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "serve/http/request.h"
#include "serve/http/response.h"
#include "store/logged_event.h"
#include "util/expected.h"

namespace spv::serve {

struct EventQuery {
  std::optional<store::Seq> after;  // absent: from the oldest event that is kept
  std::optional<std::string> wallet;
  std::size_t limit = 100;       // of a list
  std::chrono::seconds wait{0};  // of a list
};

/// The error is the answer: 400 with the field that is wrong.
util::Expected<EventQuery, Response> parse_list_query(const Request& request);
/// `Last-Event-ID` beats `after`.
util::Expected<EventQuery, Response> parse_stream_query(const Request& request);

}  // namespace spv::serve
