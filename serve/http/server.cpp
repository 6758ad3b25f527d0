#include "serve/http/server.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serve/http/acceptor.h"
#include "serve/http/authority.h"
#include "serve/http/connection.h"
#include "serve/http/core.h"

namespace spv::serve {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr std::size_t kMostTurnedAway = 64;  // at once; more than that are closed without a word
constexpr std::size_t kOtherDescriptors = 512;

/// The usual limit of 1,024 open files is less than the limits of ours.
void allow_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

/// Often enough for the shortest of the deadlines.
std::chrono::milliseconds sweep_time(const Limits& limits) {
  const auto shortest =
      std::min({limits.request_time, limits.idle_time, limits.write_time, limits.last_words_time, limits.linger_time});
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(1'000));
}

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& io, ServerOptions options, Access& access, Handler& handler)
      : core(std::make_shared<ServerCore>(io, std::move(options), access, handler)),
        acceptor(std::make_shared<Acceptor>(io)),
        sweep_timer(io),
        stop_timer(io) {}

  util::Expected<std::string, std::string> listen();
  void welcome(tcp::socket socket);
  void sweep();
  void stop(std::function<void()> callback);
  void wait_for_the_last();
  void finish_stop();

  std::shared_ptr<ServerCore> core;
  std::shared_ptr<Acceptor> acceptor;
  asio::steady_timer sweep_timer;
  asio::steady_timer stop_timer;
  std::vector<std::function<void()>> stopped;
};

util::Expected<std::string, std::string> Server::Impl::listen() {
  const ServerOptions& options = core->options;
  const auto place = acceptor->listen(options.host, options.port, [weak = weak_from_this()](tcp::socket socket) {
    if (const auto self = weak.lock()) self->welcome(std::move(socket));
  });
  if (!place) return util::Unexpected{place.error()};
  core->access.listening_on(place->address, place->port);
  allow_descriptors(options.limits.connections + options.limits.streams + kMostTurnedAway + kOtherDescriptors);
  sweep();
  return to_string(Authority{place->address, place->port});
}

void Server::Impl::welcome(tcp::socket socket) {
  const bool is_full = core->counts->connections >= core->limits().connections;
  if (is_full && core->refused >= kMostTurnedAway) return;
  const auto connection = std::make_shared<Connection>(core, std::move(socket));
  if (is_full) return connection->turn_away();
  connection->start();
}

void Server::Impl::sweep() {
  sweep_timer.expires_after(sweep_time(core->limits()));
  sweep_timer.async_wait([self = shared_from_this()](auto error) {
    if (error || (self->core->is_stopping && self->core->clients.empty())) return;
    const auto now = monotonic_now();
    self->core->clients.each([now](Client& client) { client.check_deadline(now); });
    self->sweep();
  });
}

void Server::Impl::stop(std::function<void()> callback) {
  if (callback) stopped.push_back(std::move(callback));
  if (std::exchange(core->is_stopping, true)) return;
  acceptor->stop();
  core->clients.each([](Client& client) { client.wind_up(); });
  if (core->clients.empty()) return finish_stop();
  core->clients.on_empty([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->finish_stop();
  });
  stop_timer.expires_after(core->limits().stop_time);
  stop_timer.async_wait([self = shared_from_this()](auto error) {
    if (error) return;
    self->core->clients.each([](Client& client) { client.hurry(); });
    self->wait_for_the_last();
  });
}

void Server::Impl::wait_for_the_last() {
  if (core->clients.empty()) return;
  stop_timer.expires_after(core->limits().stop_time);
  stop_timer.async_wait([self = shared_from_this()](auto error) {
    if (!error) self->core->clients.each([](Client& client) { client.cut(); });
  });
}

void Server::Impl::finish_stop() {
  sweep_timer.cancel();
  stop_timer.cancel();
  for (const auto& callback : std::exchange(stopped, {})) callback();
}

Server::Server(asio::io_context& io, ServerOptions options, Access& access, Handler& handler)
    : impl_(std::make_shared<Impl>(io, std::move(options), access, handler)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): without memory to end in order, the program ends
Server::~Server() {
  impl_->core->mailbox->close();
  impl_->acceptor->stop();
  impl_->sweep_timer.cancel();
  impl_->stop_timer.cancel();
  impl_->core->is_stopping = true;
  impl_->core->clients.on_empty({});
  impl_->core->clients.each([](Client& client) { client.cut(); });
}

util::Expected<std::string, std::string> Server::listen() { return impl_->listen(); }

void Server::stop(std::function<void()> done) {
  impl_->core->mailbox->post([impl = impl_, callback = std::move(done)]() mutable { impl->stop(std::move(callback)); });
}

std::size_t Server::open_connections() const { return impl_->core->counts->connections; }
std::size_t Server::open_streams() const { return impl_->core->counts->streams; }

}  // namespace spv::serve
