// Acceptor: takes connections on one TCP port until it is stopped; what becomes of them is its owner's business.
// Included by servers alone: it carries Asio.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "util/expected.h"

namespace spv::serve {

class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Take = std::function<void(Socket)>;

  struct Place {
    std::string address;
    std::uint16_t port = 0;
  };

  explicit Acceptor(boost::asio::io_context& io) : acceptor_(io), pause_(io) {}

  /// `host` is an address or "localhost"; port 0: any free one. `take` is called with each connection until
  /// stop(); it does not own what owns the acceptor.
  util::Expected<Place, std::string> listen(const std::string& host, std::uint16_t port, Take take);
  /// On the thread that runs `io`, or when nothing runs it. Nobody is taken any more.
  void stop();

 private:
  void accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  Take take_;
  bool is_stopped_ = false;
};

}  // namespace spv::serve
