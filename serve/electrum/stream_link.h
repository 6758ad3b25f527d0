// StreamLink: a Link over a stream of Asio's. Included by the listener alone: it carries Asio and TLS.
#pragma once

#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "serve/electrum/link.h"

namespace spv::serve::electrum {

using PlainStream = boost::asio::ip::tcp::socket;
using TlsStream = boost::asio::ssl::stream<PlainStream>;

template <typename Stream>
class StreamLink final : public Link {
 public:
  StreamLink(LinkOwner& owner, std::string address, Stream stream)
      : Link(owner, std::move(address)), stream_(std::move(stream)) {}

  void start() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(boost::asio::ssl::stream_base::server, [self = self()](const auto& error) {
        if (error) return self->cut();
        self->on_ready();
      });
    } else {
      on_ready();
    }
  }

 private:
  std::shared_ptr<StreamLink> self() { return std::static_pointer_cast<StreamLink>(shared_from_this()); }

  void begin_read() override {
    stream_.async_read_some(boost::asio::buffer(buffer()), [self = self()](const auto& error, std::size_t count) {
      self->on_read(static_cast<bool>(error), count);
    });
  }
  void begin_write() override {
    boost::asio::async_write(
        stream_, boost::asio::buffer(going_out()),
        [self = self()](const auto& error, std::size_t) { self->on_written(static_cast<bool>(error)); });
  }
  void shut() override {
    boost::system::error_code ignored;
    auto& socket = stream_.lowest_layer();
    static_cast<void>(socket.shutdown(PlainStream::shutdown_both, ignored));
    static_cast<void>(socket.close(ignored));
  }
  void post_pump() override {
    boost::asio::post(stream_.get_executor(), [self = self()] { self->pump(); });
  }

  Stream stream_;
};

}  // namespace spv::serve::electrum
