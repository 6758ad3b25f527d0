#include "serve/electrum/listener.h"

#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serve/electrum/stream_link.h"
#include "serve/http/authority.h"

namespace spv::serve::electrum {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

struct Listener::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& io, ListenerOptions given, LinkOwner& links, Welcome call)
      : options(std::move(given)), owner(links), welcome(std::move(call)), acceptor(io), pause(io) {}

  util::Expected<std::string, std::string> listen();
  util::Expected<void, std::string> load_certificate();
  void accept();
  void take(tcp::socket socket);

  ListenerOptions options;
  LinkOwner& owner;
  Welcome welcome;
  std::optional<asio::ssl::context> tls;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  bool is_stopping = false;
};

util::Expected<void, std::string> Listener::Impl::load_certificate() {
  if (options.certificate_file.empty()) return {};
  tls.emplace(asio::ssl::context::tls_server);
  boost::system::error_code error;
  const auto old = asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1;
  static_cast<void>(tls->set_options(asio::ssl::context::default_workarounds | old, error));
  static_cast<void>(tls->use_certificate_chain_file(options.certificate_file, error));
  if (error) return util::Unexpected{"--electrum-cert: cannot read " + options.certificate_file};
  static_cast<void>(tls->use_private_key_file(options.key_file, asio::ssl::context::pem, error));
  if (error) return util::Unexpected{"--electrum-key: " + options.key_file + " is not the key of the certificate"};
  return {};
}

util::Expected<std::string, std::string> Listener::Impl::listen() {
  if (const auto loaded = load_certificate(); !loaded) return util::Unexpected{loaded.error()};
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const std::string place = to_string(Authority{host, options.port});
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return util::Unexpected{"cannot listen on " + place + ": use an IP address, such as 127.0.0.1"};
  const tcp::endpoint endpoint(address, options.port);
  static_cast<void>(acceptor.open(endpoint.protocol(), error));
  if (!error) static_cast<void>(acceptor.set_option(tcp::acceptor::reuse_address(true), error));
  if (!error) static_cast<void>(acceptor.bind(endpoint, error));
  if (!error) static_cast<void>(acceptor.listen(asio::socket_base::max_listen_connections, error));
  if (error) return util::Unexpected{"cannot listen on " + place + " for Electrum clients: " + error.message()};
  accept();
  return to_string(Authority{address.to_string(), acceptor.local_endpoint(error).port()});
}

void Listener::Impl::accept() {
  acceptor.async_accept([self = shared_from_this()](auto error, tcp::socket socket) {
    if (self->is_stopping || error == asio::error::operation_aborted) return;
    if (!error) {
      self->take(std::move(socket));
      return self->accept();
    }
    // Out of descriptors, for example: to try again at once would only burn time.
    self->pause.expires_after(kAcceptPause);
    self->pause.async_wait([self](auto cancelled) {
      if (!cancelled) self->accept();
    });
  });
}

void Listener::Impl::take(tcp::socket socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  static_cast<void>(socket.set_option(tcp::no_delay(true), error));
  const auto address = to_string(Authority{remote.address().to_string(), remote.port()});
  std::shared_ptr<Link> link;
  if (tls) {
    link = std::make_shared<StreamLink<TlsStream>>(owner, address, TlsStream(std::move(socket), *tls));
  } else {
    link = std::make_shared<StreamLink<PlainStream>>(owner, address, std::move(socket));
  }
  if (welcome(link)) link->start();
}

Listener::Listener(asio::io_context& io, ListenerOptions options, LinkOwner& owner, Welcome welcome)
    : impl_(std::make_shared<Impl>(io, std::move(options), owner, std::move(welcome))) {}

Listener::~Listener() { stop(); }

util::Expected<std::string, std::string> Listener::listen() { return impl_->listen(); }

void Listener::stop() {
  if (std::exchange(impl_->is_stopping, true)) return;
  boost::system::error_code ignored;
  static_cast<void>(impl_->acceptor.close(ignored));
  impl_->pause.cancel();
}

}  // namespace spv::serve::electrum
