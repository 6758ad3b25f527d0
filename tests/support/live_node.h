// LiveNode: a FakeNode on a real socket that serves many connections at once, tells its news by itself, and holds
// blocks back for as long as a test wants.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "tests/support/fake_node.h"
#include "tests/support/fake_peer.h"

namespace spv::test {

class LiveNode {
 public:
  explicit LiveNode(ChainBuilder chain);
  LiveNode(const LiveNode&) = delete;
  LiveNode& operator=(const LiveNode&) = delete;
  /// Hangs up on everybody.
  ~LiveNode();

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Changes or looks at the node; nobody is served meanwhile.
  template <typename Use>
  auto with(Use use) {
    const std::lock_guard lock(mutex_);
    return use(node_);
  }
  /// Whoever asks for blocks up to this height waits, with all that was asked for behind them.
  void hold_back_to(chain::Height height);
  void let_go() { hold_back_to(-1); }
  /// Waits until so many connections wait for such a block.
  bool wait_for_held(int count = 1);
  /// Waits until so many connections are open.
  bool wait_for_connections(int count);

 private:
  void accept_all();
  void serve(int socket);
  /// False if the connection is to end.
  bool answer(int socket, FakePeer& peer, const p2p::Message& message);
  bool tell_news(int socket, FakePeer& peer);
  void wait_while_held(int socket, const Reply& reply);
  [[nodiscard]] bool is_held(const Reply& reply) const;

  FakeNode node_;
  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  chain::Height held_to_ = -1;
  int held_ = 0;
  int connections_ = 0;
  bool stopping_ = false;
  std::list<std::thread> threads_;  // one a connection
  std::thread acceptor_;
};

}  // namespace spv::test
