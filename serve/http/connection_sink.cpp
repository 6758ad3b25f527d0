#include "serve/http/connection_sink.h"

namespace spv::serve {

void ConnectionSink::send(Response&& response, std::string_view route) {
  mailbox_->run([connection = connection_, serial = serial_, answer = std::move(response), route]() mutable {
    if (const auto self = connection.lock()) self->answer(serial, std::move(answer), route);
  });
}

std::shared_ptr<Stream> ConnectionSink::stream(Response&& head, std::string_view route) {
  const auto [most, queue_bytes] = limits_;
  auto queue = std::make_shared<StreamQueue>(mailbox_, counts_, queue_bytes);
  if (++counts_->streams > most) {
    queue->finish();
    send(error_response(429, "too-many", "too many streams are open; try again later"), route);
    return queue;
  }
  const bool is_served =
      mailbox_->run([connection = connection_, serial = serial_, answer = std::move(head), route, queue]() mutable {
        const auto self = connection.lock();
        if (!self) return queue->finish();
        self->answer_by_stream(serial, std::move(answer), route, queue);
      });
  if (!is_served) queue->finish();
  return queue;
}

void ConnectionSink::on_gone(std::function<void()> callback) {
  mailbox_->run([connection = connection_, serial = serial_, tell = std::move(callback)]() mutable {
    const auto self = connection.lock();
    if (!self) return tell();
    self->on_gone(serial, std::move(tell));
  });
}

}  // namespace spv::serve
