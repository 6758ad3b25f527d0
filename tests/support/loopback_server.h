// LoopbackServer: a real listening socket on 127.0.0.1 with a thread behind it, for tests of the network shell.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "tests/support/fake_node.h"
#include "util/bytes.h"

namespace spv::test {

class LoopbackServer {
 public:
  /// Serves one connection on its socket until it returns.
  using Serve = std::function<void(int socket)>;

  explicit LoopbackServer(Serve serve);
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all();

  Serve serve_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

/// Speaks as a connection of `node` does, in frames of regtest cut into pieces of `piece` bytes.
LoopbackServer::Serve serve_node(FakeNode& node, std::size_t piece = SIZE_MAX);
/// Sends these bytes and waits for the other side to hang up.
LoopbackServer::Serve serve_bytes(util::Bytes bytes);

}  // namespace spv::test
