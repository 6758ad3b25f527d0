#include "net/connection.h"

#include <exception>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "net/clock.h"
#include "p2p/v2_transport.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// A failed hook (a full disk, say) is thrown through the engine's input; it must end the run, not vanish.
void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
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

Connection::Connection(asio::io_context& io, sync::PeerId id, const p2p::Magic& magic, TransportChoice choice,
                       ConnectionEvents& events)
    : io_(io),
      id_(id),
      magic_(magic),
      choice_(choice),
      events_(events),
      resolver_(io),
      stream_(std::make_shared<Stream>(io)),
      transport_(make_transport(choice != TransportChoice::V1)) {}

std::unique_ptr<p2p::Transport> Connection::make_transport(bool encrypted) const {
  if (!encrypted) return std::make_unique<p2p::V1Transport>(magic_);
  return std::make_unique<p2p::V2Transport>(magic_, p2p::V2Transport::Role::Initiator, fresh_v2_entropy());
}

void Connection::start(const sync::PeerAddress& address) {
  address_ = address;
  asio::co_spawn(io_, run(shared_from_this(), address), rethrow);
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
    self->events_.feed(sync::StreamCorrupted{self->id_, p2p::DecodeError::Malformed});
  } else {
    self->events_.feed(sync::PeerDisconnected{self->id_});
  }
}

// Gives the reason why there is no connection; empty if there is one.
asio::awaitable<std::string> Connection::connect(sync::PeerAddress address) {
  const std::string port = std::to_string(address.port);
  auto resolved = co_await resolver_.async_resolve(address.host, port, kTuple);
  auto& [resolve_error, endpoints] = resolved;
  if (resolve_error) co_return "cannot resolve the name: " + resolve_error.message();
  auto connected = co_await asio::async_connect(stream_->socket, endpoints, kTuple);
  auto& [connect_error, endpoint] = connected;
  if (connect_error) co_return connect_error.message();
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.set_option(asio::ip::tcp::no_delay(true), ignored));
  co_return std::string();
}

bool Connection::must_come_back_with_v1() const {
  return choice_ == TransportChoice::Auto && !heard_ && transport_->suggests_v1();
}

void Connection::restart_with_v1() {
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.close(ignored));
  stream_ = std::make_shared<Stream>(io_);
  transport_ = make_transport(false);
  failed_ = false;
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
    flush();
  }
}

// Hands one message on; false if there is none.
bool Connection::deliver() {
  auto next = transport_->next();
  failed_ = !next;
  if (!next || !next->has_value()) return false;
  if (!heard_) events_.note_transport(address_, transport_->name());
  heard_ = true;
  events_.feed(sync::MessageReceived{id_, std::move(**next)});
  return true;
}

void Connection::send(const p2p::Message& message) {
  if (closed_) return;
  if (!heard_) unanswered_.push_back(message);
  transport_->send(message);
  flush();
}

void Connection::flush() {
  util::Bytes bytes = transport_->take_output();
  if (closed_ || bytes.empty()) return;
  stream_->queued_bytes += bytes.size();
  stream_->queue.push_back(std::move(bytes));
  if (!stream_->writing) asio::co_spawn(io_, write_all(shared_from_this(), stream_), rethrow);
  stream_->writing = true;
  // Closing the socket wakes the reader, which reports the loss.
  if (stream_->queued_bytes > kMaxQueuedBytes) stream_->socket.close();
}

asio::awaitable<void> Connection::write_all(Self self, StreamPtr stream) {
  while (!self->closed_ && !stream->queue.empty()) {
    const auto buffer = asio::buffer(stream->queue.front());
    auto sent = co_await asio::async_write(stream->socket, buffer, kTuple);
    auto& [error, size] = sent;
    if (error) break;  // the reader sees it too and reports it
    self->events_.count_out(size);
    stream->queued_bytes -= size;
    stream->queue.pop_front();
  }
  stream->writing = false;
}

void Connection::close() {
  closed_ = true;
  resolver_.cancel();
  boost::system::error_code ignored;
  static_cast<void>(stream_->socket.close(ignored));
}

}  // namespace spv::net
