// ServerCore: what all connections of a server share. Lives as long as one of them.
// Included by serve/http alone: it carries Asio.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>

#include "serve/http/access.h"
#include "serve/http/client.h"
#include "serve/http/handler.h"
#include "serve/http/mailbox.h"
#include "serve/http/options.h"
#include "util/time.h"

namespace spv::serve {

/// How many there are, for any thread.
struct Counts {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> streams{0};
};

struct ServerCore {
  ServerCore(boost::asio::io_context& io_context, ServerOptions server_options, Access& server_access,
             Handler& server_handler)
      : io(io_context),
        options(std::move(server_options)),
        access(server_access),
        handler(server_handler),
        mailbox(std::make_shared<Mailbox>(io_context)),
        counts(std::make_shared<Counts>()) {}

  boost::asio::io_context& io;
  const ServerOptions options;
  Access& access;
  Handler& handler;
  std::shared_ptr<Mailbox> mailbox;
  std::shared_ptr<Counts> counts;
  Clients clients;
  std::size_t refused = 0;  // that are being turned away
  bool is_stopping = false;

  [[nodiscard]] const Limits& limits() const { return options.limits; }
};

inline util::TimePoint monotonic_now() {
  return util::TimePoint(
      std::chrono::duration_cast<util::Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace spv::serve
