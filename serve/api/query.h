// What stands behind the "?" of a request. A field that the request does not have, and one that is there twice, is
// refused.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/paging.h"
#include "serve/api/json_body.h"

namespace spv::serve {

/// Names and values, decoded, in the order in which they came.
using Query = std::vector<std::pair<std::string, std::string>>;

/// Of a request that has none.
std::optional<BadRequest> refuse_query(const Query& query);

/// ?limit=N&after=CURSOR
Parsed<report::PageRequest> parse_page_query(const Query& query);

}  // namespace spv::serve
