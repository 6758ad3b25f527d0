#include "net/connection.h"

#include <exception>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace spv::net {
namespace asio = boost::asio;
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// A failed hook (a full disk, say) is thrown through the engine's input; it must end the run, not vanish.
void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

}  // namespace

Connection::Connection(asio::io_context& io, sync::PeerId id, const p2p::Magic& magic, ConnectionEvents& events)
    : io_(io), id_(id), magic_(magic), events_(events), resolver_(io), socket_(io), reader_(magic) {}

void Connection::start(const sync::PeerAddress& address) {
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
}

// Gives the reason why there is no connection; empty if there is one.
asio::awaitable<std::string> Connection::connect(sync::PeerAddress address) {
  const std::string port = std::to_string(address.port);
  auto resolved = co_await resolver_.async_resolve(address.host, port, kTuple);
  auto& [resolve_error, endpoints] = resolved;
  if (resolve_error) co_return "cannot resolve the name: " + resolve_error.message();
  auto connected = co_await asio::async_connect(socket_, endpoints, kTuple);
  auto& [connect_error, endpoint] = connected;
  if (connect_error) co_return connect_error.message();
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  co_return std::string();
}

asio::awaitable<void> Connection::read_all() {
  while (!closed_) {
    const auto room = reader_.prepare(kReadBytes);
    const auto buffer = asio::buffer(room.data(), room.size());
    auto got = co_await socket_.async_read_some(buffer, kTuple);
    auto& [error, size] = got;
    if (closed_) co_return;
    if (error) {
      events_.feed(sync::PeerDisconnected{id_});
      co_return;
    }
    events_.count_in(size);
    reader_.commit(size);
    while (!closed_ && deliver()) {
    }
  }
}

// Hands one message on; false if there is none.
bool Connection::deliver() {
  auto next = reader_.next();
  if (!next) {
    events_.feed(sync::StreamCorrupted{id_, next.error()});
    return false;
  }
  if (!next->has_value()) return false;
  events_.feed(sync::MessageReceived{id_, std::move(**next)});
  return true;
}

void Connection::send(const p2p::Message& message) {
  if (closed_) return;
  util::Bytes frame = p2p::encode_frame(magic_, message);
  queued_bytes_ += frame.size();
  queue_.push_back(std::move(frame));
  if (!writing_) asio::co_spawn(io_, write_all(shared_from_this()), rethrow);
  writing_ = true;
  // Closing the socket wakes the reader, which reports the loss.
  if (queued_bytes_ > kMaxQueuedBytes) socket_.close();
}

asio::awaitable<void> Connection::write_all(Self self) {
  while (!self->closed_ && !self->queue_.empty()) {
    const auto buffer = asio::buffer(self->queue_.front());
    auto sent = co_await asio::async_write(self->socket_, buffer, kTuple);
    auto& [error, size] = sent;
    if (error) break;  // the reader sees it too and reports it
    self->events_.count_out(size);
    self->queued_bytes_ -= size;
    self->queue_.pop_front();
  }
  self->writing_ = false;
}

void Connection::close() {
  closed_ = true;
  resolver_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace spv::net
