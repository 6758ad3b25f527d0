#include "serve/live/event_page.h"

#include <algorithm>

namespace spv::serve {

EventPage read_page(store::Store& store, const PageQuery& query, const RenderEvent& render) {
  // The order matters. What was there before the events were read is among them; and what is pruned before or while
  // they are read shows in the oldest one afterwards.
  const store::Seq newest = store.newest_event();
  const store::Seq after = query.after.value_or(0);
  const auto found = store.events(after, query.limit, query.wallet);
  EventPage page;
  page.oldest = store.oldest_event().value_or(newest + 1);
  page.gone = query.after && *query.after < page.oldest - 1;
  page.events.reserve(found.size());
  for (const auto& each : found) {
    if (is_for_clients(each)) page.events.push_back(render_event(each, render));
  }
  const store::Seq last = found.empty() ? after : found.back().seq;
  page.next = found.size() == query.limit ? last : std::max(last, newest);
  return page;
}

store::Seq oldest_kept(store::Store& store) {
  const store::Seq newest = store.newest_event();
  return store.oldest_event().value_or(newest + 1);
}

}  // namespace spv::serve
