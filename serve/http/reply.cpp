#include "serve/http/reply.h"

#include "util/ensure.h"

namespace spv::serve {

Reply& Reply::operator=(Reply&& other) noexcept {
  if (this != &other) {
    give_up();
    sink_ = std::move(other.sink_);
    route_ = other.route_;
  }
  return *this;
}

Reply::~Reply() { give_up(); }

void Reply::send(Response response) {
  util::ensure(sink_ != nullptr, "a request is answered twice");
  std::exchange(sink_, nullptr)->send(std::move(response), route_);
}

std::shared_ptr<Stream> Reply::stream(Response head) {
  util::ensure(sink_ != nullptr, "a request is answered twice");
  return std::exchange(sink_, nullptr)->stream(std::move(head), route_);
}

void Reply::on_gone(std::function<void()> callback) {
  util::ensure(sink_ != nullptr, "nobody waits for an answer that was given");
  sink_->on_gone(std::move(callback));
}

void Reply::give_up() {
  if (sink_) send(error_response(503, "unavailable", "not available right now; try again later"));
}

}  // namespace spv::serve
