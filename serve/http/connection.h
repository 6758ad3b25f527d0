// Connection: one client's socket, from the first byte of a request to the last of its answer, again and again. One
// request at a time: what a client sends ahead waits, in a buffer that is bounded.
// Included by serve/http alone: it carries Asio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "serve/http/core.h"
#include "serve/http/head.h"
#include "serve/http/request.h"
#include "serve/http/response.h"
#include "serve/http/stream_queue.h"

namespace spv::serve {

/// The request that is read, handled or answered.
struct Exchange {
  Request request;
  std::size_t body_left = 0;
  std::string cookie;  // for /v1/session alone
  Method method = Method::Other;
  bool keep_alive = false;
  std::string log_path = "-";
  std::string_view route;
  unsigned status = 0;
  util::TimePoint began{};
};

class Connection : public Client, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerCore> core, boost::asio::ip::tcp::socket socket);

  void start();
  /// Says that there are too many, and closes.
  void turn_away();

  void check_deadline(util::TimePoint now) override;
  void wind_up() override;
  void hurry() override;
  void cut() override { end(); }

  // The answer to the request with this number; on the server's thread. One that comes too late is dropped.

  void answer(std::uint64_t serial, Response&& response, std::string_view route);
  void answer_by_stream(std::uint64_t serial, Response&& head, std::string_view route,
                        const std::shared_ptr<StreamQueue>& queue);
  void on_gone(std::uint64_t serial, std::function<void()> callback);

 private:
  /// Reading → Handling → Writing → Reading …; Closing: all is said, and the client has yet to close; Closed.
  enum class State { Reading, Handling, Writing, Closing, Closed };
  struct Output {
    std::string head;
    std::string body;
    std::size_t bytes = 0;
  };

  void read();
  void on_read(boost::system::error_code error, std::size_t size);
  void serve_buffered();
  bool advance();
  bool take_head();
  void take_body();
  void accept_head(const RequestHead& head, std::size_t size);
  void dispatch();
  void refuse(Response&& response);
  void refuse_and_close(unsigned status, std::string_view code, std::string_view message);
  void send(Response&& response);
  void flush(std::size_t done);
  void on_written(boost::system::error_code error);
  void report(bool is_stream);
  void close_gently();
  void discard();
  void tell_gone();
  void end();
  void set_deadline(std::chrono::milliseconds time) { deadline_ = monotonic_now() + time; }

  std::shared_ptr<ServerCore> core_;
  boost::asio::ip::tcp::socket socket_;
  std::string local_address_;
  boost::beast::flat_buffer buffer_;
  std::size_t seen_ = 0;  // bytes of the buffer in which there is no end of a head
  State state_ = State::Reading;
  util::TimePoint deadline_;
  std::uint64_t serial_ = 0;
  std::optional<Exchange> exchange_;
  Output output_;
  std::function<void()> gone_;
  std::size_t discarded_ = 0;
  bool is_reading_ = false;
  bool is_serving_ = false;  // serve_buffered() is on the stack
  bool is_turned_away_ = false;
};

}  // namespace spv::serve
