#include "serve/http/acceptor.h"

#include <chrono>
#include <utility>

#include "serve/http/authority.h"

namespace spv::serve {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr std::chrono::milliseconds kPause{100};

}  // namespace

util::Expected<Acceptor::Place, std::string> Acceptor::listen(const std::string& host, std::uint16_t port, Take take) {
  const std::string wanted = host == "localhost" ? "127.0.0.1" : host;
  const std::string place = to_string(Authority{wanted, port});
  boost::system::error_code error;
  const auto address = asio::ip::make_address(wanted, error);
  if (error) return util::Unexpected{"cannot listen on " + place + ": use an IP address, such as 127.0.0.1"};
  const tcp::endpoint endpoint(address, port);
  static_cast<void>(acceptor_.open(endpoint.protocol(), error));
  if (!error) static_cast<void>(acceptor_.set_option(tcp::acceptor::reuse_address(true), error));
  if (!error) static_cast<void>(acceptor_.bind(endpoint, error));
  if (!error) static_cast<void>(acceptor_.listen(asio::socket_base::max_listen_connections, error));
  if (error) return util::Unexpected{"cannot listen on " + place + ": " + error.message()};
  take_ = std::move(take);
  accept();
  return Place{address.to_string(), acceptor_.local_endpoint(error).port()};
}

void Acceptor::accept() {
  acceptor_.async_accept([self = shared_from_this()](auto error, Socket socket) {
    if (self->is_stopped_ || error == asio::error::operation_aborted) return;
    if (!error) {
      self->take_(std::move(socket));
      return self->accept();
    }
    // Out of descriptors, for example: to try again at once would only burn time.
    self->pause_.expires_after(kPause);
    self->pause_.async_wait([self](auto cancelled) {
      if (!cancelled && !self->is_stopped_) self->accept();
    });
  });
}

void Acceptor::stop() {
  if (std::exchange(is_stopped_, true)) return;
  boost::system::error_code ignored;
  static_cast<void>(acceptor_.close(ignored));
  pause_.cancel();
}

}  // namespace spv::serve
