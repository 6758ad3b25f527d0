#include "net/connection.h"

#include <exception>
#include <functional>
#include <unistd.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "net/clock.h"
#include "net/spawn.h"
#include "p2p/v2_transport.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr util::Duration kLookupLimit = std::chrono::seconds(10);
constexpr util::Duration kDialLimit = std::chrono::seconds(60);
/// A node hangs up on the first bytes of another network.
constexpr std::string_view kClosedAtOnce =
    "closed the connection without an answer (full, on another network, or not a Bitcoin node?)";

/// A descriptor that nobody has taken yet.
struct LooseSocket {
  LooseSocket() = default;
  LooseSocket(const LooseSocket&) = delete;
  LooseSocket& operator=(const LooseSocket&) = delete;
  ~LooseSocket() {
    if (descriptor >= 0) ::close(descriptor);
  }
  int descriptor = -1;
};

LookupResult dial_into(LooseSocket& socket, const Dial& dial, const sync::PeerAddress& address) {
  LookupResult result;
  try {
    socket.descriptor = dial(address.host, address.port);
    if (socket.descriptor < 0) result.error = "the connector gave no connection";
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

p2p::V2Entropy fresh_v2_entropy() {
  p2p::V2Entropy entropy;
  fill_with_entropy(entropy.key.bytes);
  fill_with_entropy(entropy.encoding);
  std::array<std::uint8_t, 2> size{};
  fill_with_entropy(size);
  entropy.garbage.resize(static_cast<std::size_t>(size[0] | (size[1] << 8)) % (p2p::kMaxGarbageBytes + 1));
  fill_with_entropy(entropy.garbage);
  return entropy;
}

}  // namespace

Connection::Connection(const ConnectionSetup& setup, sync::PeerId id, ConnectionEvents& events)
    : setup_(setup), id_(id), events_(events), stream_(std::make_shared<Stream>(setup.io)) {}

std::unique_ptr<p2p::Transport> Connection::make_transport(bool encrypted) const {
  if (!encrypted) return std::make_unique<p2p::V1Transport>(setup_.magic);
  return std::make_unique<p2p::V2Transport>(setup_.magic, p2p::V2Transport::Role::Initiator, fresh_v2_entropy());
}

bool Connection::begins_encrypted(const sync::PeerAddress& address) const {
  if (setup_.transport != TransportChoice::Auto) return setup_.transport == TransportChoice::V2;
  if (!setup_.plain_on_loopback || setup_.proxy || setup_.dial) return true;
  boost::system::error_code no_number;
  const auto ip = asio::ip::make_address(address.host, no_number);
  return address.host != "localhost" && (no_number || !ip.is_loopback());
}

void Connection::start(const sync::PeerAddress& address) {
  address_ = address;
  transport_ = make_transport(begins_encrypted(address));
  // By way of the loop: an end that comes at once must not be told to whoever is still giving the order.
  asio::post(setup_.io, [self = shared_from_this(), address] {
    if (!self->closed_) spawn(self->setup_.io, run(self, address));
  });
}

asio::awaitable<void> Connection::run(Self self, sync::PeerAddress address) {
  std::string error = co_await self->connect(address);
  if (self->closed_) co_return;
  if (!error.empty()) {
    self->events_.feed(sync::ConnectFailed{self->id_, std::move(error)});
    co_return;
  }
  self->events_.feed(sync::PeerConnected{self->id_});
  co_await self->read_all();
  if (!self->closed_ && self->must_come_back_with_v1()) {
    self->restart_with_v1();
    error = co_await self->connect(address);
    if (self->closed_) co_return;
    if (error.empty()) {
      self->flush();
      co_await self->read_all();
    }
  }
  if (self->closed_) co_return;
  if (self->failed_) {
    self->events_.feed(sync::StreamCorrupted{self->id_, *self->failed_});
  } else if (!self->hang_up_reason_.empty()) {
    self->events_.feed(sync::PeerDisconnected{self->id_, self->hang_up_reason_});
  } else if (!self->heard_) {
    self->events_.feed(sync::PeerDisconnected{self->id_, std::string(kClosedAtOnce)});
  } else {
    self->events_.feed(sync::PeerDisconnected{self->id_});
  }
}

// Gives the reason why there is no connection; empty if there is one.
asio::awaitable<std::string> Connection::connect(sync::PeerAddress address) {
  if (setup_.dial) co_return co_await reach_by_dial(address);
  if (!setup_.proxy) {
    // A lookup would tell the network's name server what only Tor should know.
    if (address.host.ends_with(".onion")) co_return "onion addresses can only be reached through a proxy";
    co_return co_await reach(address);
  }
  const sync::PeerAddress proxy{setup_.proxy->host, setup_.proxy->port};
  const std::string error = co_await reach(proxy);
  if (!error.empty()) co_return "cannot reach the proxy " + sync::to_string(proxy) + ": " + error;
  co_return co_await pass_proxy(address);
}

asio::awaitable<std::string> Connection::reach(sync::PeerAddress address) {
  const auto found = co_await setup_.resolver.resolve(address.host, kLookupLimit);
  if (found.addresses.empty()) co_return "cannot resolve the name: " + found.error;
  std::vector<asio::ip::tcp::endpoint> endpoints;
  for (const auto& text : found.addresses) {
    boost::system::error_code bad;
    const auto ip = asio::ip::make_address(text, bad);
    if (!bad) endpoints.emplace_back(ip, address.port);
  }
  if (closed_) co_return "closed";
  auto connected = co_await asio::async_connect(stream_->socket, endpoints, kTuple);
  auto& [connect_error, endpoint] = connected;
  if (connect_error) co_return connect_error.message();
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.set_option(asio::ip::tcp::no_delay(true), ignored));
  co_return std::string();
}

// Whoever comes too late finds nobody, and the socket goes with what holds it.
asio::awaitable<std::string> Connection::reach_by_dial(sync::PeerAddress address) {
  auto socket = std::make_shared<LooseSocket>();
  std::function<LookupResult()> work = [socket, dial = setup_.dial, address] {
    return dial_into(*socket, dial, address);
  };
  const auto done = co_await setup_.resolver.in_thread(std::move(work), kDialLimit);
  if (!done.error.empty()) co_return done.error;
  if (closed_) co_return "closed";
  boost::system::error_code error;
  static_cast<void>(stream_->socket.assign(asio::ip::tcp::v4(), socket->descriptor, error));
  if (error) co_return error.message();
  socket->descriptor = -1;
  co_return std::string();
}

asio::awaitable<std::string> Connection::pass_proxy(sync::PeerAddress address) {
  Socks5Client client(*setup_.proxy, address.host, address.port);
  while (client.wanted() > 0) {
    const util::Bytes output = client.take_output();
    const auto out = asio::buffer(output);
    auto sent = co_await asio::async_write(stream_->socket, out, kTuple);
    util::Bytes input(client.wanted());
    const auto in = asio::buffer(input);
    auto got = co_await asio::async_read(stream_->socket, in, kTuple);
    if (std::get<0>(sent) || std::get<0>(got)) co_return "the proxy hung up";
    const auto taken = client.receive(input);
    if (!taken) co_return std::string(to_string(taken.error()));
  }
  co_return std::string();
}

bool Connection::must_come_back_with_v1() const {
  return setup_.transport == TransportChoice::Auto && !heard_ && hang_up_reason_.empty() && transport_->suggests_v1();
}

void Connection::restart_with_v1() {
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.close(ignored));
  stream_ = std::make_shared<Stream>(setup_.io);
  transport_ = make_transport(false);
  failed_.reset();
  frame_began_.reset();
  frame_start_ = 0;
  noted_ = 0;
  for (const auto& message : unanswered_) transport_->send(message);
}

// Until the peer hangs up, the stream fails, or we close it.
asio::awaitable<void> Connection::read_all() {
  const StreamPtr stream = stream_;
  while (!closed_ && !failed_) {
    const auto room = transport_->prepare(kReadBytes);
    const auto buffer = asio::buffer(room.data(), room.size());
    auto got = co_await stream->socket.async_read_some(buffer, kTuple);
    auto& [error, size] = got;
    if (closed_ || error) co_return;
    events_.count_in(size);
    transport_->commit(size);
    while (!closed_ && deliver()) {
    }
    note_frame();
    flush();
  }
}

// Hands one message on; false if there is none.
bool Connection::deliver() {
  auto next = transport_->next();
  if (!next) failed_ = next.error();
  if (!next || !next->has_value()) return false;
  if (!heard_) events_.note_transport(address_, transport_->name());
  heard_ = true;
  const std::uint64_t consumed = transport_->bytes_consumed();
  events_.note_received(address_, **next, consumed - std::exchange(noted_, consumed));
  events_.feed(sync::MessageReceived{id_, std::move(**next)});
  return true;
}

void Connection::send(const p2p::Message& message) {
  if (closed_) return;
  if (!heard_) unanswered_.push_back(message);
  transport_->send(message);
  events_.note_sent(address_, message, flush());
}

void Connection::note_frame() {
  const bool other = transport_->bytes_consumed() != frame_start_;
  if (!transport_->mid_frame()) {
    frame_began_.reset();
  } else if (other || !frame_began_) {
    frame_began_ = now();
  }
  frame_start_ = transport_->bytes_consumed();
}

std::size_t Connection::flush() {
  util::Bytes bytes = transport_->take_output();
  if (closed_ || bytes.empty()) return 0;
  if (stream_->queued.size() > kMaxQueuedBytes) {
    hang_up("it does not take what we send");
    return 0;
  }
  stream_->queued.insert(stream_->queued.end(), bytes.begin(), bytes.end());
  if (!stream_->writing) {
    stream_->writing = true;
    stream_->write_began = now();
    spawn(setup_.io, write_all(shared_from_this(), stream_));
  }
  return bytes.size();
}

void Connection::check_deadlines() {
  if (closed_) return;
  const util::TimePoint at = now();
  if (stream_->writing && at - stream_->write_began > setup_.write_timeout) hang_up("it does not take what we send");
  if (frame_began_ && at - *frame_began_ > setup_.frame_timeout) hang_up("a message did not end in time");
}

// Closing the socket wakes the reader, which reports the loss.
void Connection::hang_up(std::string reason) {
  hang_up_reason_ = std::move(reason);
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.close(ignored));
}

asio::awaitable<void> Connection::write_all(Self self, StreamPtr stream) {
  while (!self->closed_ && !stream->queued.empty()) {
    const util::Bytes bytes = std::exchange(stream->queued, {});  // all of it at once: a peer wakes up for every write
    const auto buffer = asio::buffer(bytes);
    auto sent = co_await asio::async_write(stream->socket, buffer, kTuple);
    auto& [error, size] = sent;
    if (error) break;  // the reader sees it too and reports it
    self->events_.count_out(size);
    stream->write_began = self->now();
  }
  stream->writing = false;
}

void Connection::close() {
  closed_ = true;
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.close(ignored));
}

}  // namespace spv::net
