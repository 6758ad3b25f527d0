#include "serve/live/event_answers.h"

#include <memory>
#include <utility>

namespace spv::serve {

void EventList::add(const RenderedEvent& event) {
  if (count_++ > 0) body_ += ',';
  body_ += event.json();
  last_ = event.seq;
}

Response EventList::response(store::Seq looked_at) && {
  body_ += R"(],"next":)" + std::to_string(empty() ? looked_at : last_) + "}";
  return {.body = std::move(body_), .headers = {}};
}

Response gone_response(store::Seq oldest) {
  const std::string number = std::to_string(oldest);
  const std::string message =
      "events before " + number +
      " are no longer kept; read the wallets anew, then continue with after=" + std::to_string(oldest - 1);
  return {.status = 410,
          .body = R"({"error":{"code":"gone","message":")" + message + R"(","oldest":)" + number + R"(},"oldest":)" +
                  number + "}",
          .headers = {}};
}

Response store_away_response() {
  return error_response(503, "unavailable", "the storage does not answer; try again in a few seconds");
}

Response stopping_response() { return error_response(503, "unavailable", "the server is shutting down"); }

Response stream_head() { return {.content_type = "text/event-stream", .body = {}, .headers = {}}; }

Chunk comment(std::string_view text) { return std::make_shared<const std::string>(": " + std::string(text) + "\n\n"); }

}  // namespace spv::serve
