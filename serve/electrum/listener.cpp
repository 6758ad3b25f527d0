#include "serve/electrum/listener.h"

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "serve/electrum/stream_link.h"
#include "serve/http/acceptor.h"
#include "serve/http/authority.h"

namespace spv::serve::electrum {
namespace asio = boost::asio;
using asio::ip::tcp;

struct Listener::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& io, ListenerOptions given, LinkOwner& links, Welcome call)
      : options(std::move(given)), owner(links), welcome(std::move(call)), acceptor(std::make_shared<Acceptor>(io)) {}

  util::Expected<std::string, std::string> listen();
  util::Expected<void, std::string> load_certificate();
  void take(tcp::socket socket);

  ListenerOptions options;
  LinkOwner& owner;
  Welcome welcome;
  std::optional<asio::ssl::context> tls;
  std::shared_ptr<Acceptor> acceptor;
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
  const auto place = acceptor->listen(options.host, options.port, [weak = weak_from_this()](tcp::socket socket) {
    if (const auto self = weak.lock()) self->take(std::move(socket));
  });
  if (!place) return util::Unexpected{"--electrum: " + place.error()};
  return to_string(Authority{place->address, place->port});
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

// NOLINTNEXTLINE(bugprone-exception-escape): without memory to end in order, the program ends
Listener::~Listener() { stop(); }

util::Expected<std::string, std::string> Listener::listen() { return impl_->listen(); }

void Listener::stop() { impl_->acceptor->stop(); }

}  // namespace spv::serve::electrum
