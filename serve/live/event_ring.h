// EventRing: the newest events of the log, rendered, without a gap between the oldest and the newest of them.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>

#include "serve/live/rendered_event.h"

namespace spv::serve {

class EventRing {
 public:
  using Iterator = std::deque<RenderedEvent>::const_iterator;

  /// The oldest ones go when there are more than this.
  EventRing(std::size_t most_events, std::size_t most_bytes) : most_events_(most_events), most_bytes_(most_bytes) {}

  /// Forgets all; what is appended from now on is all that the log has above `after`.
  void restart(store::Seq after);
  void append(RenderedEvent event);

  /// Whether all that the log had above `after`, when it was read last, is here.
  [[nodiscard]] bool covers(store::Seq after) const { return after >= floor_; }
  /// All up to here was looked at.
  [[nodiscard]] store::Seq newest() const { return newest_; }
  /// The first one above `after`; meaningful only if it covers it.
  [[nodiscard]] Iterator above(store::Seq after) const;
  [[nodiscard]] Iterator end() const { return events_.end(); }

 private:
  std::size_t most_events_;
  std::size_t most_bytes_;
  std::deque<RenderedEvent> events_;
  std::size_t bytes_ = 0;
  store::Seq floor_ = std::numeric_limits<store::Seq>::max();  // nothing is covered before the first restart
  store::Seq newest_ = 0;
};

}  // namespace spv::serve
