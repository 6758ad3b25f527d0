// An old wallet joins others that are followed at the tip of a real node.
#include <chrono>
#include <functional>
#include <spv/client.h>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/bitcoind.h"
#include "tests/support/temp_dir.h"
#include "wallet/address.h"
#include "wallet/script.h"

namespace spv::test {
namespace {

using namespace std::chrono_literals;

/// Nobody has its key: the node's wallet never spends from it.
std::string stranger(std::uint8_t n) {
  util::Hash160 key{};
  key.fill(n);
  return *wallet::address_of_script(wallet::p2wpkh_script(key), chain::params(chain::Network::Regtest));
}

class RealCatchUp : public testing::TestWithParam<Source> {
 protected:
  Client open(const Bitcoind& node) {
    Options options;
    options.data_dir = folder_.file("data");
    options.network = NetworkId::Regtest;
    options.peers = {node.address()};
    options.source = GetParam();
    options.mempool_wait = 200ms;
    return std::move(*Client::open(options));
  }
  static WatchOptions watching(const std::string& address, int birthday) {
    WatchOptions out;
    out.addresses = {address};
    out.birthday_height = birthday;
    return out;
  }
  template <typename E>
  static bool wait_for_event(Client& client, const std::function<bool(const E&)>& is_it) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < end) {
      const auto event = client.next_event(100ms);
      const auto* wanted = event ? std::get_if<E>(&*event) : nullptr;
      if (wanted != nullptr && is_it(*wanted)) return true;
    }
    return false;
  }
  static bool wait_until_synced(Client& client) {
    return wait_for_event<SyncedEvent>(client, [](const SyncedEvent&) { return true; });
  }
  /// A block pays this much to an address, and the wallet hears of it.
  static void expect_paid(Client& client, Bitcoind& node, const std::string& wallet, const std::string& address) {
    const auto txid = node.send(address, 1'000);
    node.mine(1);
    EXPECT_TRUE(wait_for_event<TransactionEvent>(client, [&](const TransactionEvent& event) {
      return event.wallet == wallet && event.txid == txid && event.state == TransactionState::Confirmed;
    })) << wallet;
  }
  static bool wait_for(const std::function<bool()>& is_true) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is_true() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(50ms);
    return is_true();
  }
  static std::size_t connections(Bitcoind& node) { return node.rpc("getpeerinfo").as_array().size(); }

  TempDir folder_;
};

INSTANTIATE_TEST_SUITE_P(Sources, RealCatchUp, testing::Values(Source::Filter, Source::Blocks));

TEST_P(RealCatchUp, AllAreFollowedTogetherInTheEnd) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(101);
  const auto old_address = stranger(1);
  const auto tip_address = stranger(2);
  node.send(old_address, 50'000);
  node.mine(100);
  Client client = open(node);
  ASSERT_TRUE(client.watch_wallet("tip", watching(tip_address, node.height())));
  ASSERT_TRUE(client.watch_wallet("other", watching(stranger(3), node.height())));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_until_synced(client));
  ASSERT_TRUE(client.watch_wallet("old", watching(old_address, 0)));
  expect_paid(client, node, "tip", tip_address);
  ASSERT_TRUE(wait_for([&] { return client.status("old")->scanned_to == node.height(); }));
  ASSERT_TRUE(wait_for([&] { return connections(node) == 1; })) << "it has joined the others";
  EXPECT_EQ(client.balance("old")->confirmed, 50'000);
  expect_paid(client, node, "old", old_address);
  expect_paid(client, node, "tip", tip_address);
  EXPECT_EQ(client.balance("old")->confirmed, 51'000);
  EXPECT_EQ(client.balance("tip")->confirmed, 2'000);
}

}  // namespace
}  // namespace spv::test
