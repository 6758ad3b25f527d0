// EventPage: a part of the log, read from the store for a client that is too far behind for what is in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "serve/live/rendered_event.h"
#include "store/store.h"

namespace spv::serve {

struct PageQuery {
  std::optional<store::Seq> after;  // absent: from the oldest event that is kept
  std::optional<std::string> wallet;
  std::size_t limit = 100;
};

struct EventPage {
  std::vector<RenderedEvent> events;
  store::Seq next = 0;    // all up to here was looked at
  store::Seq oldest = 0;  // the first event that is kept; where none is, the number of the next one
  bool gone = false;      // events above `after` have been pruned
};

/// Throws StoreError.
EventPage read_page(store::Store& store, const PageQuery& query, const RenderEvent& render);

/// The first event that is kept; where none is, the number of the next one. Throws StoreError.
store::Seq oldest_kept(store::Store& store);

}  // namespace spv::serve
