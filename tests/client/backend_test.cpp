// What a server needs of a client: a chain without wallets, addresses without end, how the sync stands.
#include "client/backend.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "client/watch_terms.h"
#include "tests/client/client_fixture.h"
#include "tests/support/live_node.h"
#include "tests/support/tx_builder.h"
#include "wallet/descriptor.h"

namespace spv::test {
namespace {

constexpr const char* kShop =
    "wpkh(tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ"
    "1M/0/*)";

util::Bytes script_of(const std::string& address) {
  return *wallet::script_of_address(address, chain::params(chain::Network::Regtest));
}

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

TEST_F(BackendTest, FollowsTheChainWithoutWallets) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(height_is(22));
  mine({});
  ASSERT_TRUE(height_is(23));
  EXPECT_EQ(backend_.board().size(), 0U);
  EXPECT_FALSE(backend_.report().peers.empty());
}

TEST_F(BackendTest, WalletsComeAndGoWhileTheChainIsFollowed) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(height_is(22));
  ASSERT_TRUE(backend_.create("one", paid(1)));
  ASSERT_TRUE(total_is("one", 5'000));
  EXPECT_EQ(backend_.create("one", paid(1)).error().code, ErrorCode::Exists);
  ASSERT_TRUE(backend_.create("two", paid(2)));
  ASSERT_TRUE(total_is("two", 7'000));
  ASSERT_TRUE(backend_.remove("one"));
  ASSERT_TRUE(backend_.remove("two"));
  EXPECT_EQ(backend_.board().find("one"), nullptr);
  EXPECT_EQ(backend_.remove("two").error().code, ErrorCode::NotFound);
  mine({});
  ASSERT_TRUE(height_is(23)) << "nobody is left, and the chain is followed all the same";
  ASSERT_TRUE(backend_.create("two", paid(2)));
  EXPECT_TRUE(total_is("two", 7'000));
}

TEST_F(BackendTest, AWalletWithKeysIsNotRemoved) {
  ASSERT_TRUE(client_.create_wallet("keys"));
  EXPECT_EQ(backend_.remove("keys").error().code, ErrorCode::State);
  EXPECT_EQ(client_.wallets(), std::vector<std::string>{"keys"});
}

TEST_F(BackendTest, EveryAddressThatIsHandedOutIsWatched) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(backend_.create("shop", of({.descriptors = {kShop}}, 5)));
  std::set<std::string> handed_out;
  std::string last;
  for (int i = 0; i < 130; ++i) {
    const auto address = backend_.new_address("shop", false);
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_TRUE(handed_out.insert(address->address).second);
    last = address->address;
  }
  ASSERT_TRUE(height_is(22));
  mine({TxBuilder().pays(script_of(last), 9'000).build()});
  EXPECT_TRUE(total_is("shop", 9'000)) << "far beyond the gap limit of 5 and what is watched ahead of it";
  ASSERT_TRUE(client_.stop());
  // What was handed out and is watched is stored.
  Client again = open_all();
  client::Backend other(again);
  const auto next = other.look<std::uint32_t>(
      "shop", [](client::OpenWallet& open) -> Result<std::uint32_t> { return open.wallet.watched(0); });
  ASSERT_TRUE(next);
  EXPECT_GT(*next, 130U);
}

TEST_F(BackendTest, AWalletOfFixedAddressesHasNoFurtherOnes) {
  ASSERT_TRUE(backend_.create("one", paid(1)));
  ASSERT_TRUE(backend_.new_address("one", false));
  EXPECT_EQ(backend_.new_address("one", false).error().code, ErrorCode::Refused);
  EXPECT_EQ(backend_.new_address("one", true).error().code, ErrorCode::Refused);
}

TEST_F(BackendTest, ARescanFindsTheSameAgainAndTellsNothingTwice) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(backend_.create("one", paid(1)));
  ASSERT_TRUE(total_is("one", 5'000));
  const auto transactions = [&] {
    std::size_t count = 0;
    for (const auto& event : backend_.store().events(0, 1'000, std::string("one"))) {
      count += std::holds_alternative<wallet::TxEvent>(event.data) ? 1U : 0U;
    }
    return count;
  };
  EXPECT_EQ(transactions(), 1U);
  ASSERT_TRUE(backend_.rescan("one", 0));
  ASSERT_TRUE(total_is("one", 5'000));
  EXPECT_EQ(transactions(), 1U);
  EXPECT_EQ(backend_.rescan("one", 500).error().code, ErrorCode::Refused);
  EXPECT_TRUE(total_is("one", 5'000)) << "a refusal leaves it as it was";
  EXPECT_EQ(backend_.rescan("nobody", 0).error().code, ErrorCode::NotFound);
}

TEST_F(BackendTest, ShowsWhatTheSyncCostAndRevealed) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(backend_.create("one", paid(1)));
  ASSERT_TRUE(total_is("one", 5'000));
  const auto report = backend_.report();
  ASSERT_EQ(report.peers.size(), 1U);
  const auto& peer = report.peers.front();
  EXPECT_EQ(peer.state, "ready");
  EXPECT_EQ(peer.transport, "v1");
  EXPECT_EQ(peer.height, 22);
  ASSERT_TRUE(peer.filter);
  EXPECT_GE(peer.filter->loads, 1U);
  EXPECT_GT(peer.filter->fill, 0.0);
  ASSERT_EQ(report.sent.size(), 1U);
  EXPECT_EQ(report.sent.front().loads, peer.filter->loads);
  EXPECT_LE(report.sent.front().distinct, report.sent.front().loads);
  std::uint64_t by_cause = 0;
  for (const auto& each : report.by_cause) by_cause += each.in + each.out;
  EXPECT_LE(by_cause, report.bytes.in + report.bytes.out);
  EXPECT_GE(by_cause * 100, (report.bytes.in + report.bytes.out) * 95) << "nearly every byte has a cause";
  EXPECT_GT(report.by_cause[static_cast<std::size_t>(net::Cause::FilteredBlocks)].in, 0U);
  EXPECT_GT(report.by_cause[static_cast<std::size_t>(net::Cause::Filters)].out, 0U);
}

TEST_F(BackendTest, LooksAtWalletsThatAreNotOpenHere) {
  {
    auto given = options();
    Client other = std::move(*Client::open(given));
    ASSERT_TRUE(other.watch_wallet("two", watching(2)));
    sync(other);
  }
  const auto summary = backend_.summary("two");
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->balance.confirmed, 7'000);
  EXPECT_EQ(backend_.board().find("two"), nullptr);
  EXPECT_EQ(backend_.summary("../two").error().code, ErrorCode::NotFound);
  EXPECT_EQ(backend_.summary("nobody").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace spv::test
