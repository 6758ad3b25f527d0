// What stands behind the "?" of a request. A field that the request does not have, and one that is there twice, is
// refused.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/paging.h"
#include "serve/api/json_body.h"
#include "store/logged_event.h"

namespace spv::serve {

/// Names and values, decoded, in the order in which they came.
using Query = std::vector<std::pair<std::string, std::string>>;

/// Of a request that has none.
std::optional<BadRequest> refuse_query(const Query& query);

/// ?limit=N&after=CURSOR
Parsed<report::PageRequest> parse_page_query(const Query& query);

/// Which events are asked for.
struct EventsQuery {
  std::optional<store::Seq> after;  // none: from the oldest one kept
  std::optional<std::string> wallet;
  std::size_t limit = report::kDefaultPageSize;
  std::chrono::seconds wait{0};
};
/// ?after=SEQ&wallet=NAME&limit=N&wait=SECONDS
Parsed<EventsQuery> parse_events_query(const Query& query);
/// ?after=SEQ&wallet=NAME
Parsed<EventsQuery> parse_stream_query(const Query& query);
/// A number of an event, as `after` and Last-Event-ID have it.
std::optional<store::Seq> parse_seq(std::string_view text);

}  // namespace spv::serve
