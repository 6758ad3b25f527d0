#include "serve/live/http_post.h"

#include <array>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "serve/live/host_lookup.h"

namespace spv::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Tcp = beast::tcp_stream;
using Secure = asio::ssl::stream<beast::tcp_stream>;
using Error = boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kHeadBytes = 16'384;
/// Answers like "103 Early Hints" that may come before the real one.
constexpr int kMostInterim = 4;

/// One exchange, and how it ended.
struct Exchange {
  Endpoints endpoints;
  http::request<http::string_body> request;
  PostLimits limits;
  Clock::time_point deadline;
  beast::flat_buffer buffer{2 * kHeadBytes};
  std::array<char, 4'096> ignored{};
  unsigned status = 0;
  std::string error = "stopped";
};
using ExchangePtr = std::shared_ptr<Exchange>;

std::string explain(const char* step, const Error& error) {
  if (error == beast::error::timeout) return std::string(step) + ": timed out";
  return std::string(step) + ": " + error.message();
}

using Parser = http::response_parser<http::buffer_body>;

/// The rest of the answer, so that a server that is still writing sees no reset; up to a limit.
template <typename Stream>
asio::awaitable<void> skip_body(ExchangePtr exchange, std::shared_ptr<Stream> stream, std::shared_ptr<Parser> parser) {
  beast::get_lowest_layer(*stream).expires_after(exchange->limits.body);
  std::size_t total = 0;
  while (!parser->is_done() && total < exchange->limits.response_bytes) {
    parser->get().body().data = exchange->ignored.data();
    parser->get().body().size = exchange->ignored.size();
    auto read = co_await http::async_read_some(*stream, exchange->buffer, *parser, kTuple);
    const Error failed = std::get<0>(read);
    if (failed && failed != http::error::need_buffer) co_return;
    total += std::get<1>(read);
  }
}

template <typename Stream>
asio::awaitable<void> read_answer(ExchangePtr exchange, std::shared_ptr<Stream> stream) {
  for (int i = 0; i <= kMostInterim; ++i) {
    auto parser = std::make_shared<Parser>();
    parser->header_limit(kHeadBytes);
    parser->body_limit(boost::none);  // skip_body() has a limit of its own
    auto read = co_await http::async_read_header(*stream, exchange->buffer, *parser, kTuple);
    const Error failed = std::get<0>(read);
    if (failed) {
      exchange->error = explain("no answer", failed);
      co_return;
    }
    const unsigned status = parser->get().result_int();
    if (status / 100 == 1) continue;
    exchange->status = status;
    co_await skip_body<Stream>(exchange, stream, parser);
    co_return;
  }
  exchange->error = "no answer: only interim ones (1xx)";
}

template <typename Stream>
asio::awaitable<void> talk(ExchangePtr exchange, std::shared_ptr<Stream> stream) {
  beast::get_lowest_layer(*stream).expires_at(exchange->deadline);
  auto written = co_await http::async_write(*stream, exchange->request, kTuple);
  const Error failed = std::get<0>(written);
  // A server that has heard enough may answer and close early: what it says counts.
  if (failed == beast::error::timeout) {
    exchange->error = explain("cannot send", failed);
    co_return;
  }
  co_await read_answer<Stream>(exchange, stream);
}

template <typename Stream>
asio::awaitable<bool> connect(ExchangePtr exchange, std::shared_ptr<Stream> stream) {
  auto& tcp = beast::get_lowest_layer(*stream);
  tcp.expires_after(exchange->limits.connect);
  auto connected = co_await tcp.async_connect(exchange->endpoints, kTuple);
  const Error failed = std::get<0>(connected);
  if (failed) exchange->error = explain("cannot connect", failed);
  co_return !failed;
}

asio::awaitable<void> run_plain(ExchangePtr exchange, std::shared_ptr<Tcp> stream) {
  const bool connected = co_await connect<Tcp>(exchange, stream);
  if (connected) co_await talk<Tcp>(exchange, stream);
}

asio::awaitable<void> run_secure(ExchangePtr exchange, std::shared_ptr<Secure> stream) {
  const bool connected = co_await connect<Secure>(exchange, stream);
  if (!connected) co_return;
  beast::get_lowest_layer(*stream).expires_after(exchange->limits.connect);
  auto shaken = co_await stream->async_handshake(asio::ssl::stream_base::client, kTuple);
  const Error failed = std::get<0>(shaken);
  if (failed) {
    exchange->error = explain("TLS", failed);
    const long reason = SSL_get_verify_result(stream->native_handle());
    if (reason != X509_V_OK) exchange->error += std::string(" (") + X509_verify_cert_error_string(reason) + ")";
    co_return;
  }
  co_await talk<Secure>(exchange, stream);
}

http::request<http::string_body> make_request(const WebhookUrl& url, const std::string& body,
                                              const std::optional<std::string>& signature) {
  http::request<http::string_body> request{http::verb::post, url.target, 11};
  request.set(http::field::host, url.authority());
  request.set(http::field::user_agent, "spv");
  request.set(http::field::content_type, "application/json");
  request.set(http::field::connection, "close");
  if (signature) request.set("X-Spv-Signature", *signature);
  request.body() = body;
  request.prepare_payload();
  return request;
}

bool is_address(const std::string& host) {
  Error not_digits;
  static_cast<void>(asio::ip::make_address(host, not_digits));
  return !not_digits;
}

}  // namespace

struct HttpPost::Tls {
  Tls() {
    context.set_default_verify_paths();
    context.set_verify_mode(asio::ssl::verify_peer);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  }
  [[nodiscard]] std::shared_ptr<Secure> connection(asio::io_context& io, const std::string& host) {
    auto stream = std::make_shared<Secure>(io, context);
    stream->set_verify_callback(asio::ssl::host_name_verification(host));
    // A server with several names is told which one we want; addresses are not names. (OpenSSL's macro for this has a
    // cast of C.)
    std::string name = host;
    if (!is_address(host)) {
      SSL_ctrl(stream->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
    }
    return stream;
  }
  asio::ssl::context context{asio::ssl::context::tls_client};
};

HttpPost::HttpPost(WebhookUrl url, const PostLimits& limits) : url_(std::move(url)), limits_(limits) {}

HttpPost::~HttpPost() = default;

HttpPost::Tls& HttpPost::tls() {
  if (!tls_) tls_ = std::make_unique<Tls>();
  return *tls_;
}

util::Expected<void, std::string> HttpPost::post(const std::string& body, const std::optional<std::string>& signature,
                                                 const std::stop_token& stopping) {
  const auto exchange = std::make_shared<Exchange>();
  exchange->limits = limits_;
  exchange->deadline = Clock::now() + limits_.whole;
  auto endpoints = look_up_host(url_.host, url_.port, limits_.connect, stopping);
  if (!endpoints) return util::Unexpected{"cannot look up the host: " + endpoints.error()};
  exchange->endpoints = std::move(*endpoints);
  exchange->request = make_request(url_, body, signature);
  {
    asio::io_context io(1);
    if (url_.is_https) {
      asio::co_spawn(io, run_secure(exchange, tls().connection(io, url_.host)), asio::detached);
    } else {
      asio::co_spawn(io, run_plain(exchange, std::make_shared<Tcp>(io)), asio::detached);
    }
    const std::stop_callback stop(stopping, [&io] { io.stop(); });
    io.run();
  }
  if (exchange->status / 100 == 2) return {};
  if (exchange->status != 0) return util::Unexpected{"answered with status " + std::to_string(exchange->status)};
  return util::Unexpected{exchange->error};
}

}  // namespace spv::serve
