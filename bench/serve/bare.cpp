// The least that a server with Beast does: it reads requests and answers each with the same bytes. What others do is
// measured against it.
//
// usage: serve_bare BYTES     prints its port, ends when stdin does
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const std::string& body) : stream_(std::move(socket)) {
    stream_.socket().set_option(tcp::no_delay(true));
    answer_.version(11);
    answer_.result(http::status::ok);
    answer_.set(http::field::content_type, "application/json");
    answer_.body() = body;
    answer_.prepare_payload();
  }

  void read() {
    parser_.emplace();
    stream_.expires_after(std::chrono::seconds(30));
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](auto error, std::size_t) {
      if (!error) self->write();
    });
  }

 private:
  void write() {
    stream_.expires_after(std::chrono::seconds(30));
    http::async_write(stream_, answer_, [self = shared_from_this()](auto error, std::size_t) {
      if (!error) self->read();
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
};

void accept(tcp::acceptor& acceptor, const std::string& body) {
  acceptor.async_accept([&acceptor, &body](auto error, tcp::socket socket) {
    if (!error) std::make_shared<Session>(std::move(socket), body)->read();
    accept(acceptor, body);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string body(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300, 'x');
  asio::io_context io(1);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  accept(acceptor, body);
  std::cout << acceptor.local_endpoint().port() << std::endl;
  std::thread watch([&io] {
    while (std::getchar() != EOF) {
    }
    io.stop();
  });
  io.run();
  watch.join();
}
