// What the tests of a server's needs share: a client that follows all wallets of a folder, and a node that tells its
// news.
#pragma once

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "client/backend.h"
#include "client/watch_terms.h"
#include "tests/client/client_fixture.h"
#include "tests/support/live_node.h"

namespace spv::test {

inline constexpr const char* kShop =
    "wpkh(tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ"
    "1M/0/*)";

class BackendTest : public ClientTest {
 protected:
  BackendTest() : client_(open_all()), backend_(client_) {}

  Client open_all() {
    auto given = options();
    given.peers = {live_.address()};
    given.transport = Transport::V1;
    given.follow = true;
    given.follow_all = true;
    return std::move(*Client::open(given));
  }
  /// Waits for a fact.
  template <typename Fact>
  [[nodiscard]] static bool soon(Fact fact) {
    for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
      if (fact()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  [[nodiscard]] bool height_is(chain::Height height) {
    return soon([&] {
      const auto chain = backend_.board().chain();
      return chain.tip && chain.tip->height == height && chain.synced;
    });
  }
  [[nodiscard]] bool total_is(const std::string& name, std::int64_t amount) {
    return soon([&] {
      const auto shown = backend_.board().find(name);
      return shown && shown->balance.total() == amount && client::is_synced(*shown, backend_.board().chain());
    });
  }
  void mine(const std::vector<chain::Transaction>& txs) {
    live_.with([&](FakeNode& node) { node.mine(txs); });
  }
  static client::NewWallet of(const client::WatchTerms& terms, std::uint32_t gap_limit = 20) {
    client::NewWallet out;
    out.chains = *client::chains_to_watch(terms, chain::params(chain::Network::Regtest));
    out.gap_limit = gap_limit;
    return out;
  }
  static client::NewWallet paid(std::uint8_t n) { return of({.addresses = {address(n)}}); }

  LiveNode live_{paid_chain()};
  Client client_;
  client::Backend backend_;
};

}  // namespace spv::test
