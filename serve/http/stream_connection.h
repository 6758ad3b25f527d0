// StreamConnection: sends a stream to a client. It took over the socket of a Connection, and has none of its buffers.
// Included by serve/http alone: it carries Asio.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "serve/http/core.h"
#include "serve/http/stream_queue.h"

namespace spv::serve {

class StreamConnection : public Client, public std::enable_shared_from_this<StreamConnection> {
 public:
  StreamConnection(std::shared_ptr<ServerCore> core, boost::asio::ip::tcp::socket socket,
                   std::shared_ptr<StreamQueue> queue)
      : core_(std::move(core)), socket_(std::move(socket)), queue_(std::move(queue)) {}

  /// Sends the head, and from then on what is written.
  void start(std::string head);
  void check_deadline(util::TimePoint now) override;
  void wind_up() override { queue_->close(nullptr); }
  void hurry() override { end(); }
  void cut() override { end(); }

 private:
  void pump();
  void send();
  void watch();
  void say_goodbye();
  void end();

  std::shared_ptr<ServerCore> core_;
  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<StreamQueue> queue_;
  std::vector<Chunk> batch_;  // under way
  util::TimePoint deadline_ = util::TimePoint::max();
  std::array<char, 256> scrap_{};  // for what the client still says
  std::size_t scrapped_ = 0;
  bool is_sending_ = false;
  bool is_cut_off_ = false;
  bool said_goodbye_ = false;
};

}  // namespace spv::serve
