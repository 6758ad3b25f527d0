// Connection: how answers are sent, and how it ends.
#include <algorithm>
#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "serve/http/connection.h"
#include "serve/http/response_text.h"
#include "serve/http/stream_connection.h"

namespace spv::serve {
namespace asio = boost::asio;
namespace {

/// Written once for all: those who come when it is full should cost little.
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 92\r\nRetry-After: 5\r\n"
    "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    "{\"error\":{\"code\":\"unavailable\",\"message\":\"too many connections are open; try again later\"}}\n";
static_assert(kFull.size() - kFull.find("{\"error\"") == 92);

constexpr std::size_t kMostDiscarded = 2'097'152;
constexpr std::size_t kKeptOutput = 16'384;  // memory that is kept for the next answer

}  // namespace

void Connection::answer(std::uint64_t serial, Response&& response, std::string_view route) {
  if (serial != serial_ || state_ != State::Handling) return;
  exchange_->route = route;
  gone_ = {};
  send(std::move(response));
}

void Connection::send(Response&& response) {
  Exchange& exchange = *exchange_;
  state_ = State::Writing;
  set_deadline(core_->limits().write_time);
  exchange.status = response.status;
  exchange.keep_alive = exchange.keep_alive && !core_->is_stopping;
  write_head(output_.head, response, {.closes = !exchange.keep_alive});
  const bool is_bodiless = exchange.method == Method::Head || !has_body(response.status);
  output_.body = is_bodiless ? std::string() : std::move(response.body);
  output_.bytes = output_.head.size() + output_.body.size();
  // Most answers fit into the socket's buffer, and are done here without a turn of the loop.
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(output_.head), asio::buffer(output_.body)};
  boost::system::error_code error;
  const std::size_t done = socket_.write_some(buffers, error);
  if (error && error != asio::error::would_block) return on_written(error);
  flush(done);
}

void Connection::flush(std::size_t done) {
  if (done == output_.bytes) return on_written({});
  const std::size_t of_head = std::min(done, output_.head.size());
  const std::array<asio::const_buffer, 2> rest{asio::buffer(output_.head) + of_head,
                                               asio::buffer(output_.body) + (done - of_head)};
  asio::async_write(socket_, rest, [self = shared_from_this()](auto error, std::size_t) { self->on_written(error); });
}

void Connection::on_written(boost::system::error_code error) {
  if (state_ != State::Writing) return;
  if (error) return end();
  report(false);
  const bool keep_alive = exchange_->keep_alive;
  exchange_.reset();
  if (output_.body.capacity() > kKeptOutput) output_.body = {};
  if (!keep_alive) return close_gently();
  state_ = State::Reading;
  set_deadline(buffer_.size() > 0 ? core_->limits().request_time : core_->limits().idle_time);
  serve_buffered();
}

void Connection::report(bool is_stream) {
  const auto& options = core_->options;
  if (!options.log && !options.measure) return;
  const auto time = monotonic_now() - exchange_->began;
  const RequestRecord record{exchange_->method, exchange_->route, exchange_->log_path,
                             exchange_->status, output_.bytes,    static_cast<std::uint64_t>(time.count()),
                             is_stream};
  if (options.log) options.log(record);
  if (options.measure) options.measure(record);
}

void Connection::answer_by_stream(std::uint64_t serial, Response&& head, std::string_view route,
                                  const std::shared_ptr<StreamQueue>& queue) {
  if (serial != serial_ || state_ != State::Handling) return queue->finish();
  if (exchange_->method == Method::Head || core_->is_stopping) {
    queue->finish();
    if (core_->is_stopping) return hurry();
    return answer(serial, std::move(head), route);
  }
  write_head(output_.head, head, {.is_stream = true});
  output_.bytes = output_.head.size();
  exchange_->route = route;
  exchange_->status = head.status;
  gone_ = {};
  report(true);
  boost::system::error_code ignored;
  static_cast<void>(socket_.cancel(ignored));
  auto stream = std::make_shared<StreamConnection>(core_, std::move(socket_), queue);
  stream->start(std::move(output_.head));
  end();
}

void Connection::turn_away() {
  is_turned_away_ = true;
  ++core_->refused;
  core_->clients.add(shared_from_this());
  boost::system::error_code ignored;
  socket_.write_some(asio::buffer(kFull), ignored);
  close_gently();
}

// Closed at once, with bytes that nobody has read, TCP would take from the client what it has not read yet.
void Connection::close_gently() {
  state_ = State::Closing;
  set_deadline(core_->limits().linger_time);
  buffer_.clear();
  boost::system::error_code error;
  static_cast<void>(socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error));
  if (error) return end();
  discard();
}

void Connection::discard() {
  if (discarded_ > kMostDiscarded) return end();
  read();
}

void Connection::wind_up() {
  if (exchange_) exchange_->keep_alive = false;
  const bool is_idle = state_ == State::Reading && !exchange_ && buffer_.size() == 0;
  if (is_idle || state_ == State::Closing) end();
}

void Connection::hurry() {
  if (state_ != State::Handling) return end();
  answer(serial_, error_response(503, "unavailable", "the server is shutting down"), {});
}

}  // namespace spv::serve
