// What the tests of the library share: a node on a real socket with a chain that pays two wallets, and a data folder.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <spv/client.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/fake_node.h"
#include "tests/support/faults.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temp_dir.h"
#include "wallet/address.h"
#include "wallet/script.h"

namespace spv::test {

using namespace std::chrono_literals;

/// Of the first block of regtest.
inline constexpr std::int64_t kGenesisTime = 1'296'688'602;

inline util::Bytes script(std::uint8_t n) {
  util::Hash160 key{};
  key.fill(n);
  return wallet::p2wpkh_script(key);
}

inline std::string address(std::uint8_t n) {
  return *wallet::address_of_script(script(n), chain::params(chain::Network::Regtest));
}

inline WatchOptions watching(std::uint8_t n) {
  WatchOptions out;
  out.addresses = {address(n)};
  return out;
}

/// Ten blocks, then one that pays 5,000 to script 1 and one that pays 7,000 to script 2, then ten more.
inline ChainBuilder paid_chain() {
  return ChainBuilder().blocks(10).pays(script(1), 5'000).pays(script(2), 7'000).blocks(10);
}

class ClientTest : public testing::Test {
 protected:
  ClientTest() : node_(paid_chain()), server_(serve_node(node_)) {}

  Options options() {
    Options out;
    out.data_dir = folder_.file("data");
    out.network = NetworkId::Regtest;
    out.peers = {"127.0.0.1:" + std::to_string(server_.port())};
    out.mempool_wait = 0ms;
    out.follow = false;
    return out;
  }
  Client open() { return std::move(*Client::open(options())); }
  /// Follows the tip, with the wallet "one" synced.
  Client following() {
    auto given = options();
    given.follow = true;
    Client client = std::move(*Client::open(given));
    EXPECT_TRUE(client.watch_wallet("one", watching(1)));
    EXPECT_TRUE(client.start());
    EXPECT_TRUE(wait_for<SyncedEvent>(client));
    return client;
  }
  /// The node serves so many blocks and then stalls, as long as the flag is set. Its own list of faults is read by the
  /// thread that serves.
  std::shared_ptr<std::atomic<bool>> stall_after(int blocks) {
    const auto stalls = std::make_shared<std::atomic<bool>>(true);
    node_.add_fault([stalls, stall = faults::stall_after(blocks)](Reply& reply) {
      if (*stalls) stall(reply);
    });
    return stalls;
  }
  /// Waits for one kind of event; what comes before is kept.
  template <typename E>
  std::optional<E> wait_for(Client& client, std::chrono::milliseconds limit = 20s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      const auto event = client.next_event(100ms);
      if (!event) continue;
      seen_.push_back(*event);
      if (const auto* wanted = std::get_if<E>(&*event)) return *wanted;
    }
    return std::nullopt;
  }
  void sync(Client& client) {
    ASSERT_TRUE(client.start());
    const auto stopped = wait_for<StoppedEvent>(client);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->code, 0) << stopped->message;
    ASSERT_TRUE(client.stop());
  }
  /// Each begins with the encrypted transport, which the node does not know, and comes back with the plain one.
  [[nodiscard]] int sessions() const { return server_.connections() / 2; }
  template <typename E>
  std::vector<E> seen() const {
    std::vector<E> out;
    for (const auto& event : seen_) {
      if (const auto* wanted = std::get_if<E>(&event)) out.push_back(*wanted);
    }
    return out;
  }
  std::vector<TransactionEvent> transactions() const { return seen<TransactionEvent>(); }

  TempDir folder_;
  FakeNode node_;
  LoopbackServer server_;
  std::vector<Event> seen_;
};

/// A connector that does not answer until it is let go; those who wait hold it.
struct Stuck {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  int waiting = 0;

  int wait() {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [this] { return open; });
    return -1;
  }
  bool has_someone() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, [this] { return waiting > 0; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

/// -1 if nobody listens.
inline int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(port);
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0) return socket;
  ::close(socket);
  return -1;
}

}  // namespace spv::test
