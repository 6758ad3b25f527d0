// Connection: one peer's socket. Resolves, connects (through a proxy if there is one), moves bytes between the socket
// and the transport, writes from a bounded queue. Where a peer does not know the encrypted transport it comes back with
// the plain one (BIP324).
// Included by net/ alone: it carries Asio.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "net/clock.h"
#include "net/resolver.h"
#include "net/socks5.h"
#include "net/transport_choice.h"
#include "p2p/transport.h"
#include "p2p/v1_transport.h"
#include "sync/types/types.h"

namespace spv::net {

/// Where a connection reports what happened to it.
class ConnectionEvents {
 public:
  ConnectionEvents() = default;
  ConnectionEvents(const ConnectionEvents&) = delete;
  ConnectionEvents& operator=(const ConnectionEvents&) = delete;
  virtual ~ConnectionEvents() = default;
  virtual void feed(sync::Input&& input) = 0;
  virtual void count_in(std::size_t bytes) = 0;
  virtual void count_out(std::size_t bytes) = 0;
  /// A message of so many bytes came, or is on its way.
  virtual void note_received(const sync::PeerAddress& from, const p2p::Message& message, std::size_t bytes) = 0;
  virtual void note_sent(const sync::PeerAddress& to, const p2p::Message& message, std::size_t bytes) = 0;
  /// The first message came by this transport ("v1" or "v2").
  virtual void note_transport(const sync::PeerAddress& address, std::string_view name) = 0;
};

/// What all connections of a run have in common; outlives them.
struct ConnectionSetup {
  boost::asio::io_context& io;
  Resolver& resolver;
  p2p::Magic magic;
  TransportChoice transport = TransportChoice::Auto;
  std::optional<Proxy> proxy;
  /// A peer that does not take what we send for this long is left (security.md R10).
  util::Duration write_timeout = std::chrono::seconds(30);
  /// A message must end this long after it began (security.md R4).
  util::Duration frame_timeout = std::chrono::seconds(60);
  /// See DriverOptions.
  bool plain_on_loopback = false;
  /// Makes the connections, if there is one: no name is looked up here then, and no proxy is used.
  Dial dial = {};
  /// By which the time limits above are measured.
  Clock clock = read_clock;
};

/// Lives as long as one of its coroutines or the driver holds it. After close() it reports nothing more.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// A peer that does not take what we send for this much is not worth waiting for.
  static constexpr std::size_t kMaxQueuedBytes = 1'000'000;
  static constexpr std::size_t kReadBytes = 262'144;

  Connection(const ConnectionSetup& setup, sync::PeerId id, ConnectionEvents& events);

  /// Connects in the background, then reads until the end.
  void start(const sync::PeerAddress& address);
  void send(const p2p::Message& message);
  /// Ends it at once; no report follows.
  void close();
  /// Ends it if something takes too long, and reports why. To be called now and then.
  void check_deadlines();

 private:
  using Self = std::shared_ptr<Connection>;
  /// A socket and what waits to be written to it; another one takes its place when we come back with v1.
  struct Stream {
    explicit Stream(boost::asio::io_context& io) : socket(io) {}
    boost::asio::ip::tcp::socket socket;
    util::Bytes queued;
    bool writing = false;
    util::TimePoint write_began{};
  };
  using StreamPtr = std::shared_ptr<Stream>;

  static boost::asio::awaitable<void> run(Self self, sync::PeerAddress address);
  static boost::asio::awaitable<void> write_all(Self self, StreamPtr stream);
  boost::asio::awaitable<std::string> connect(sync::PeerAddress address);
  boost::asio::awaitable<std::string> reach(sync::PeerAddress address);
  boost::asio::awaitable<std::string> reach_by_dial(sync::PeerAddress address);
  boost::asio::awaitable<std::string> pass_proxy(sync::PeerAddress address);
  boost::asio::awaitable<void> read_all();
  [[nodiscard]] std::unique_ptr<p2p::Transport> make_transport(bool encrypted) const;
  [[nodiscard]] bool begins_encrypted(const sync::PeerAddress& address) const;
  [[nodiscard]] bool must_come_back_with_v1() const;
  void restart_with_v1();
  bool deliver();
  void note_frame();
  /// How many bytes were queued by it.
  std::size_t flush();
  void hang_up(std::string reason);
  [[nodiscard]] util::TimePoint now() const { return setup_.clock().monotonic; }

  const ConnectionSetup& setup_;
  sync::PeerId id_;
  ConnectionEvents& events_;
  sync::PeerAddress address_;
  StreamPtr stream_;
  std::unique_ptr<p2p::Transport> transport_;
  std::vector<p2p::Message> unanswered_;    // said again if we come back with v1
  bool heard_ = false;                      // a message came
  std::optional<p2p::DecodeError> failed_;  // the stream makes no sense
  bool closed_ = false;
  std::optional<util::TimePoint> frame_began_;  // a message is half here since then
  std::uint64_t frame_start_ = 0;               // bytes of the stream before it
  std::uint64_t noted_ = 0;                     // bytes of the stream whose messages were noted
  std::string hang_up_reason_;                  // why we ended it ourselves
};

}  // namespace spv::net
