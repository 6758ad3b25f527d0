// Connection: one socket. Resolves, connects, reads into the message reader, writes from a bounded queue.
// Included by net/ alone: it carries Asio.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "p2p/message_reader.h"
#include "sync/types.h"

namespace spv::net {

/// Where a connection reports what happened to it.
class ConnectionEvents {
 public:
  ConnectionEvents() = default;
  ConnectionEvents(const ConnectionEvents&) = delete;
  ConnectionEvents& operator=(const ConnectionEvents&) = delete;
  virtual ~ConnectionEvents() = default;
  virtual void feed(const sync::Input& input) = 0;
  virtual void count_in(std::size_t bytes) = 0;
  virtual void count_out(std::size_t bytes) = 0;
};

/// Lives as long as one of its coroutines or the driver holds it. After close() it reports nothing more.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// A peer that does not take what we send for this much is not worth waiting for.
  static constexpr std::size_t kMaxQueuedBytes = 4'000'000;
  static constexpr std::size_t kReadBytes = 64 * 1024;

  Connection(boost::asio::io_context& io, sync::PeerId id, const p2p::Magic& magic, ConnectionEvents& events);

  /// Connects in the background, then reads until the end.
  void start(const sync::PeerAddress& address);
  void send(const p2p::Message& message);
  /// Ends it at once; no report follows.
  void close();

 private:
  using Self = std::shared_ptr<Connection>;
  static boost::asio::awaitable<void> run(Self self, sync::PeerAddress address);
  static boost::asio::awaitable<void> write_all(Self self);
  boost::asio::awaitable<std::string> connect(sync::PeerAddress address);
  boost::asio::awaitable<void> read_all();
  bool deliver();

  boost::asio::io_context& io_;
  sync::PeerId id_;
  p2p::Magic magic_;
  ConnectionEvents& events_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  p2p::MessageReader reader_;
  std::deque<util::Bytes> queue_;
  std::size_t queued_bytes_ = 0;
  bool writing_ = false;
  bool closed_ = false;
};

}  // namespace spv::net
