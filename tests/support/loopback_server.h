// LoopbackServer: a real listening socket on 127.0.0.1 with a thread behind it, for tests of the network shell.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/support/fake_node.h"
#include "util/bytes.h"

namespace spv::test {

class LoopbackServer {
 public:
  /// Serves one connection on its socket until it returns.
  using Serve = std::function<void(int socket)>;

  /// On a port of its own, or on the one given.
  explicit LoopbackServer(Serve serve, std::uint16_t port = 0);
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  /// Hangs up on whoever is served.
  ~LoopbackServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all();
  void set_current(int connection);

  Serve serve_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  int current_ = -1;  // the connection that is served
  std::thread thread_;
};

/// Speaks as a connection of `node` does, in frames of regtest cut into pieces of `piece` bytes.
LoopbackServer::Serve serve_node(FakeNode& node, std::size_t piece = SIZE_MAX);
/// Makes closing it a reset (RST).
void reset_on_close(int socket);
/// Sends all of it in pieces; false if the other side is gone.
bool send_pieces(int socket, util::ByteView bytes, std::size_t piece);
/// Sends these bytes and waits for the other side to hang up.
LoopbackServer::Serve serve_bytes(util::Bytes bytes);

}  // namespace spv::test
