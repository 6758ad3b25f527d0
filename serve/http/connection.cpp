#include "serve/http/connection.h"

#include <algorithm>
#include <exception>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "serve/http/admission.h"
#include "serve/http/connection_sink.h"
#include "serve/http/reply.h"

namespace spv::serve {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kReadBytes = 4'096;

std::string address_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  auto address = socket.local_endpoint(error).address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  return address.to_string();
}

std::string_view text_of(const boost::beast::flat_buffer& buffer) {
  const auto data = buffer.cdata();
  return {static_cast<const char*>(data.data()), data.size()};
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerCore> core, asio::ip::tcp::socket socket)
    : core_(std::move(core)),
      socket_(std::move(socket)),
      local_address_(address_of(socket_)),
      buffer_(core_->limits().head_bytes + kReadBytes) {
  boost::system::error_code ignored;
  static_cast<void>(socket_.set_option(asio::ip::tcp::no_delay(true), ignored));
  static_cast<void>(socket_.non_blocking(true, ignored));
  set_deadline(core_->limits().request_time);
}

void Connection::start() {
  core_->clients.add(shared_from_this());
  ++core_->counts->connections;
  read();
}

void Connection::read() {
  const std::size_t room = std::min(kReadBytes, buffer_.max_size() - buffer_.size());
  if (is_reading_ || room == 0) return;
  is_reading_ = true;
  socket_.async_read_some(buffer_.prepare(room), [self = shared_from_this()](auto error, std::size_t size) {
    self->is_reading_ = false;
    self->on_read(error, size);
  });
}

void Connection::on_read(boost::system::error_code error, std::size_t size) {
  if (state_ == State::Closed) return;
  if (error) {
    // Who has nothing more to say may still want the answer; but it may as well be gone.
    if (error != asio::error::eof || state_ == State::Reading || state_ == State::Closing) return end();
    if (exchange_) exchange_->keep_alive = false;
    return tell_gone();
  }
  if (state_ == State::Closing) {
    discarded_ += size;
    return discard();
  }
  const bool is_first = buffer_.size() == 0 && !exchange_;
  buffer_.commit(size);
  if (state_ == State::Handling) return read();
  if (state_ != State::Reading) return;
  if (is_first) set_deadline(core_->limits().request_time);
  serve_buffered();
}

void Connection::serve_buffered() {
  if (is_serving_) return;
  is_serving_ = true;
  const auto self = shared_from_this();
  while (state_ == State::Reading && advance()) {
  }
  is_serving_ = false;
  if (state_ == State::Reading || state_ == State::Handling) read();
}

// One step; false if more bytes are needed for the next one.
bool Connection::advance() {
  if (!exchange_) return buffer_.size() > 0 && take_head();
  take_body();
  if (exchange_->body_left > 0) return false;
  dispatch();
  return true;
}

bool Connection::take_head() {
  const std::string_view bytes = text_of(buffer_);
  const auto end = find_head_end(bytes, seen_);
  const bool is_too_large = (end.size == 0 ? bytes.size() : end.size) > core_->limits().head_bytes;
  if (!end.is_malformed && !is_too_large && end.size == 0) {
    seen_ = bytes.size();
    return false;
  }
  seen_ = 0;
  exchange_.emplace();
  exchange_->began = monotonic_now();
  if (end.is_malformed) {
    refuse_and_close(400, "bad-request", "this is not an HTTP request");
  } else if (is_too_large) {
    refuse_and_close(431, "too-large", "the head of the request is too large");
  } else if (const auto head = parse_head(bytes.substr(0, end.size)); !head) {
    refuse_and_close(head.error().status, "bad-request", head.error().message);
  } else {
    accept_head(*head, end.size);
  }
  return true;
}

void Connection::accept_head(const RequestHead& head, std::size_t size) {
  Exchange& exchange = *exchange_;
  exchange.method = head.method;
  exchange.keep_alive = head.keep_alive;
  exchange.body_left = static_cast<std::size_t>(head.content_length);
  auto refusal = admit(head, local_address_, core_->options, core_->access, exchange.began, exchange.request);
  if (core_->options.log) exchange.log_path = anonymous_path(exchange.request);
  if (is_session_path(exchange.request)) exchange.cookie = head.cookie;
  buffer_.consume(size);
  if (refusal) {
    // The body would be taken for the next request, and is not worth reading.
    if (head.content_length > 0 || refusal->status == 400 || refusal->status == 429) exchange.keep_alive = false;
    return refuse(std::move(*refusal));
  }
  if (!head.expects_continue || head.content_length == 0) return;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  boost::system::error_code error;
  if (socket_.write_some(asio::buffer(kContinue), error) != kContinue.size()) end();
}

void Connection::take_body() {
  const std::string_view bytes = text_of(buffer_).substr(0, exchange_->body_left);
  exchange_->request.body.append(bytes);
  exchange_->body_left -= bytes.size();
  buffer_.consume(bytes.size());
}

void Connection::dispatch() {
  Exchange& exchange = *exchange_;
  state_ = State::Handling;
  deadline_ = util::TimePoint::max();
  exchange.began = monotonic_now();
  Reply reply(std::make_shared<ConnectionSink>(*core_, weak_from_this(), ++serial_));
  if (is_session_path(exchange.request)) {
    reply.set_route("/v1/session");
    return reply.send(answer_session(exchange.request, exchange.cookie, core_->access, exchange.began));
  }
  if (exchange.method == Method::Head) exchange.request.method = Method::Get;
  try {
    core_->handler.handle(std::move(exchange.request), std::move(reply));
  } catch (const std::exception& error) {
    if (core_->options.report_failure) core_->options.report_failure(error.what());
  }
}

void Connection::refuse(Response&& response) {
  state_ = State::Handling;
  answer(++serial_, std::move(response), {});
}

void Connection::refuse_and_close(unsigned status, std::string_view code, std::string_view message) {
  exchange_->keep_alive = false;
  refuse(error_response(status, code, message));
}

void Connection::on_gone(std::uint64_t serial, std::function<void()> callback) {
  if (serial != serial_ || state_ != State::Handling) return callback();
  gone_ = std::move(callback);
}

void Connection::tell_gone() {
  if (const auto callback = std::exchange(gone_, {})) callback();
}

void Connection::check_deadline(util::TimePoint now) {
  if (now < deadline_) return;
  const bool is_half_read = state_ == State::Reading && (exchange_ || buffer_.size() > 0);
  if (!is_half_read) return end();
  if (!exchange_) exchange_.emplace();
  refuse_and_close(408, "too_slow", "the request did not arrive in time");
}

void Connection::end() {
  if (state_ == State::Closed) return;
  const auto self = shared_from_this();
  state_ = State::Closed;
  boost::system::error_code ignored;
  static_cast<void>(socket_.close(ignored));
  if (is_turned_away_) {
    --core_->refused;
  } else {
    --core_->counts->connections;
  }
  core_->clients.remove(this);
  tell_gone();
}

}  // namespace spv::serve
