// The answers about events, other than the events of a stream.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/http/response.h"
#include "serve/http/stream.h"
#include "serve/live/rendered_event.h"

namespace spv::serve {

/// {"events":[…],"next":SEQ}
class EventList {
 public:
  void add(const RenderedEvent& event);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// `looked_at`: the answer's `next` if there is no event in it.
  [[nodiscard]] Response response(store::Seq looked_at) &&;

 private:
  std::string body_ = R"({"events":[)";
  std::size_t count_ = 0;
  store::Seq last_ = 0;
};

/// 410: the client has missed events that are no longer kept.
Response gone_response(store::Seq oldest);
/// 503 with Retry-After.
Response store_away_response();
Response stopping_response();

/// The head of a stream.
Response stream_head();
/// A line that clients skip.
Chunk comment(std::string_view text);

}  // namespace spv::serve
