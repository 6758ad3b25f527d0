// What a server needs of a client: a chain without wallets, addresses without end, how the sync stands.
#include "client/backend.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "tests/client/backend_fixture.h"
#include "tests/support/tx_builder.h"
#include "wallet/descriptor.h"

namespace spv::test {
namespace {

util::Bytes script_of(const std::string& address) {
  return *wallet::script_of_address(address, chain::params(chain::Network::Regtest));
}

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

TEST_F(BackendTest, IsNotSyncedFromTheMomentThatAWalletComesUntilItIsScanned) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(height_is(22));
  live_.hold_back_to(22);
  ASSERT_TRUE(backend_.create("one", paid(1)));
  EXPECT_FALSE(backend_.board().chain().synced) << "no later than the answer to who made it";
  live_.let_go();
  EXPECT_TRUE(total_is("one", 5'000));
  EXPECT_TRUE(height_is(22));
}

TEST_F(BackendTest, WhoIsToldOfABlockFindsItOnTheBoard) {
  std::mutex mutex;
  std::vector<std::pair<chain::Height, chain::Height>> seen;
  client_.subscribe([&](const Event& event) {
    const auto* tip = std::get_if<TipEvent>(&event);
    if (tip == nullptr) return;
    const auto shown = backend_.board().chain().tip;
    const std::lock_guard lock(mutex);
    seen.emplace_back(tip->height, shown ? shown->height : -1);
  });
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(height_is(22));
  for (int i = 0; i < 3; ++i) mine({});
  ASSERT_TRUE(height_is(25));
  ASSERT_TRUE(client_.stop());
  EXPECT_FALSE(seen.empty());
  for (const auto& [told, shown] : seen) EXPECT_GE(shown, told);
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

// Whoever follows all wallets opens those that are closed, also one that is closed for a moment only.
TEST_F(BackendTest, T1_NobodyOpensAWalletWhileItIsChanged) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(backend_.create("one", paid(1)));
  std::atomic<bool> ended = false;
  std::thread opener([&] {
    while (!ended) EXPECT_TRUE(client_.open_wallet("one"));
  });
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(total_is("one", 5'000));
    const auto done = backend_.rescan("one", 0);
    EXPECT_TRUE(done) << done.error().message;
  }
  ended = true;
  opener.join();
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
