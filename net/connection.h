// Connection: one peer's socket. Resolves, connects, moves bytes between the socket and the transport, writes from a
// bounded queue. Where a peer does not know the encrypted transport it comes back with the plain one (BIP324).
// Included by net/ alone: it carries Asio.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "net/transport_choice.h"
#include "p2p/transport.h"
#include "p2p/v1_transport.h"
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
  /// The first message came by this transport ("v1" or "v2").
  virtual void note_transport(const sync::PeerAddress& address, std::string_view name) = 0;
};

/// Lives as long as one of its coroutines or the driver holds it. After close() it reports nothing more.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// A peer that does not take what we send for this much is not worth waiting for.
  static constexpr std::size_t kMaxQueuedBytes = 4'000'000;
  static constexpr std::size_t kReadBytes = 65'536;

  Connection(boost::asio::io_context& io, sync::PeerId id, const p2p::Magic& magic, TransportChoice choice,
             ConnectionEvents& events);

  /// Connects in the background, then reads until the end.
  void start(const sync::PeerAddress& address);
  void send(const p2p::Message& message);
  /// Ends it at once; no report follows.
  void close();

 private:
  using Self = std::shared_ptr<Connection>;
  /// A socket and what waits to be written to it; another one takes its place when we come back with v1.
  struct Stream {
    explicit Stream(boost::asio::io_context& io) : socket(io) {}
    boost::asio::ip::tcp::socket socket;
    std::deque<util::Bytes> queue;
    std::size_t queued_bytes = 0;
    bool writing = false;
  };
  using StreamPtr = std::shared_ptr<Stream>;

  static boost::asio::awaitable<void> run(Self self, sync::PeerAddress address);
  static boost::asio::awaitable<void> write_all(Self self, StreamPtr stream);
  boost::asio::awaitable<std::string> connect(sync::PeerAddress address);
  boost::asio::awaitable<void> read_all();
  [[nodiscard]] std::unique_ptr<p2p::Transport> make_transport(bool encrypted) const;
  [[nodiscard]] bool must_come_back_with_v1() const;
  void restart_with_v1();
  bool deliver();
  void flush();

  boost::asio::io_context& io_;
  sync::PeerId id_;
  p2p::Magic magic_;
  TransportChoice choice_;
  ConnectionEvents& events_;
  sync::PeerAddress address_;
  boost::asio::ip::tcp::resolver resolver_;
  StreamPtr stream_;
  std::unique_ptr<p2p::Transport> transport_;
  std::vector<p2p::Message> unanswered_;  // said again if we come back with v1
  bool heard_ = false;                    // a message came
  bool failed_ = false;                   // the stream makes no sense
  bool closed_ = false;
};

}  // namespace spv::net
