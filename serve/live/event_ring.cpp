#include "serve/live/event_ring.h"

#include <algorithm>
#include <utility>

#include "util/ensure.h"

namespace spv::serve {

void EventRing::restart(store::Seq after) {
  events_.clear();
  bytes_ = 0;
  floor_ = after;
  newest_ = after;
}

void EventRing::append(RenderedEvent event) {
  util::ensure(event.seq > newest_, "events come in the order of their numbers");
  newest_ = event.seq;
  bytes_ += event.frame->size();
  events_.push_back(std::move(event));
  while (events_.size() > most_events_ || (bytes_ > most_bytes_ && events_.size() > 1)) {
    floor_ = events_.front().seq;
    bytes_ -= events_.front().frame->size();
    events_.pop_front();
  }
}

EventRing::Iterator EventRing::above(store::Seq after) const {
  return std::ranges::upper_bound(events_, after, {}, &RenderedEvent::seq);
}

}  // namespace spv::serve
