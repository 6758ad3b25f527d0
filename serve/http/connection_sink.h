// ConnectionSink: takes the answer to one request from any thread to its connection.
// Included by serve/http alone: it carries Asio.
#pragma once

#include <cstdint>
#include <memory>

#include "serve/http/connection.h"
#include "serve/http/reply.h"

namespace spv::serve {

class ConnectionSink : public ReplySink {
 public:
  ConnectionSink(const ServerCore& core, std::weak_ptr<Connection> connection, std::uint64_t serial)
      : mailbox_(core.mailbox),
        counts_(core.counts),
        limits_(core.limits().streams, core.limits().queue_bytes),
        connection_(std::move(connection)),
        serial_(serial) {}

  void send(Response&& response, std::string_view route) override;
  std::shared_ptr<Stream> stream(Response&& head, std::string_view route) override;
  void on_gone(std::function<void()> callback) override;

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<Counts> counts_;
  std::pair<std::size_t, std::size_t> limits_;  // streams, bytes that may wait for one
  std::weak_ptr<Connection> connection_;        // locked on the server's thread alone: that is where it may end
  std::uint64_t serial_;
};

}  // namespace spv::serve
