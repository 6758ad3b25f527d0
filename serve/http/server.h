// Server: an HTTP/1.1 server on one io_context that one thread runs. It knows nothing of what it serves.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/access.h"
#include "serve/http/handler.h"
#include "serve/http/options.h"
#include "util/expected.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve {

/// Destroyed on the thread that runs `io`, or after it has stopped running; before `io`, `access` and `handler`.
class Server {
 public:
  Server(boost::asio::io_context& io, ServerOptions options, Access& access, Handler& handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// Begins to listen. Gives HOST:PORT ("[::1]:8338"), or why it cannot.
  util::Expected<std::string, std::string> listen();
  /// From any thread. Accepts no more, lets answers and streams end for a short time (Limits::stop_time) and then
  /// closes everything, whatever clients do. Calls `done`, if there is one, when nothing is open.
  void stop(std::function<void()> done = {});

  /// From any thread.
  [[nodiscard]] std::size_t open_connections() const;
  [[nodiscard]] std::size_t open_streams() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace spv::serve
