// A wallet that has blocks to catch up on keeps nobody waiting who is at the tip, and is followed with them after that.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/client/client_fixture.h"
#include "tests/support/live_node.h"
#include "tests/support/tx_builder.h"
#include "wallet/descriptor.h"

namespace spv::test {
namespace {

constexpr const char* kShop =
    "wpkh(tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ"
    "1M/0/*)";

util::Bytes shop_script(std::uint32_t index) {
  const auto parsed = wallet::Descriptor::parse(kShop, chain::params(chain::Network::Regtest));
  return *parsed->front().script_at(index);
}

chain::Transaction payment_to(const util::Bytes& script, chain::Amount amount) {
  return TxBuilder().pays(script, amount).build();
}

/// A node with 80 blocks: block 11 pays 5,000 to script 1 and block 12 pays 3,000 to a late address of the shop. With
/// both sources of blocks.
class CatchUp : public ClientTest, public testing::WithParamInterface<Source> {
 protected:
  static constexpr std::uint32_t kLate = 12;  // is watched only once the shop was paid on one of its first ten
  static constexpr chain::Height kOld = 60;   // blocks that those at the tip need not have

  Client open() {
    auto given = options();
    given.peers = {live_.address()};
    given.transport = Transport::V1;
    given.source = GetParam();
    given.follow = true;
    given.mempool_wait = 300ms;
    return std::move(*Client::open(given));
  }
  static WatchOptions since(chain::Height birthday, std::uint8_t n) {
    auto out = watching(n);
    out.birthday_height = birthday;
    return out;
  }
  /// Two wallets at the tip, synced.
  Client open_at_tip() {
    Client client = open();
    EXPECT_TRUE(client.watch_wallet("tip", since(79, 2)));
    EXPECT_TRUE(client.watch_wallet("other", since(79, 3)));
    EXPECT_TRUE(client.start());
    EXPECT_TRUE(wait_for<SyncedEvent>(client));
    return client;
  }
  void mine(const std::vector<chain::Transaction>& txs) {
    live_.with([&](FakeNode& node) { node.mine(txs); });
  }
  void announce(const chain::Transaction& tx) {
    live_.with([&](FakeNode& node) { node.add_to_mempool(tx); });
  }
  /// Waits until a wallet's event for it has come.
  bool wait_for_state(Client& client, const std::string& wallet, const chain::Transaction& tx, TransactionState state) {
    const auto is_it = [&](const TransactionEvent& event) {
      return event.wallet == wallet && event.txid == util::to_string(tx.txid()) && event.state == state;
    };
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!std::ranges::any_of(transactions(), is_it)) {
      if (std::chrono::steady_clock::now() > end) return false;
      static_cast<void>(wait_for<TransactionEvent>(client, 100ms));
    }
    return true;
  }
  /// A block pays 800 to the wallet "tip", which hears of it at once.
  void expect_tip_is_followed(Client& client) {
    const auto payment = payment_to(script(2), 800);
    mine({payment});
    EXPECT_TRUE(wait_for_state(client, "tip", payment, TransactionState::Confirmed));
  }
  /// Sees a payment to the wallet first unconfirmed, then in a block.
  void expect_is_followed(Client& client, const std::string& wallet, const util::Bytes& script) {
    const auto payment = payment_to(script, 70);
    announce(payment);
    EXPECT_TRUE(wait_for_state(client, wallet, payment, TransactionState::Unconfirmed));
    mine({payment});
    EXPECT_TRUE(wait_for_state(client, wallet, payment, TransactionState::Confirmed));
  }
  void expect_each_event_once() const {
    auto all = transactions();
    for (auto one = all.begin(); one != all.end(); ++one) {
      EXPECT_FALSE(std::any_of(std::next(one), all.end(),
                               [&](const TransactionEvent& other) {
                                 return other.wallet == one->wallet && other.txid == one->txid &&
                                        other.state == one->state;
                               }))
          << one->wallet << " " << one->txid;
    }
  }

  LiveNode live_{ChainBuilder().blocks(10).pays(script(1), 5'000).pays(shop_script(kLate), 3'000).blocks(68)};
};

INSTANTIATE_TEST_SUITE_P(Sources, CatchUp, testing::Values(Source::Filter, Source::Blocks));

TEST_P(CatchUp, ThoseAtTheTipHearOfABlockWhileAnOldWalletIsScanned) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  seen_.clear();
  expect_tip_is_followed(client);
  ASSERT_TRUE(wait_for<TipEvent>(client));
  EXPECT_EQ(seen<TipEvent>().back().height, 81);
  EXPECT_LT(client.status("old")->scanned_to, kOld);
  EXPECT_TRUE(seen<SyncedEvent>().empty()) << "one of them is not";
  live_.let_go();
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
  EXPECT_EQ(client.status("old")->scanned_to, 81);
  EXPECT_TRUE(live_.wait_for_connections(1)) << "they are followed together";
  expect_is_followed(client, "old", script(1));
  expect_tip_is_followed(client);
  EXPECT_EQ(client.balance("old")->confirmed, 5'070);
  EXPECT_EQ(client.balance("tip")->confirmed, 1'600);
  EXPECT_EQ(seen<SyncedEvent>().size(), 1);
  expect_each_event_once();
}

TEST_P(CatchUp, FindsWhatComesForAWalletWhileItIsScanned) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  const auto loose = payment_to(script(1), 20);
  const auto mined = payment_to(script(1), 300);
  announce(loose);
  mine({mined});
  expect_tip_is_followed(client);
  live_.let_go();
  EXPECT_TRUE(wait_for_state(client, "old", loose, TransactionState::Unconfirmed));
  EXPECT_TRUE(wait_for_state(client, "old", mined, TransactionState::Confirmed));
  EXPECT_TRUE(live_.wait_for_connections(1));
  EXPECT_EQ(client.balance("old")->confirmed, 5'300);
  EXPECT_EQ(client.balance("old")->unconfirmed, 20);
  mine({loose});
  EXPECT_TRUE(wait_for_state(client, "old", loose, TransactionState::Confirmed));
  expect_each_event_once();
}

TEST_P(CatchUp, ThoseAtTheTipHearOfABlockWhileAnotherIsScannedAgainForNewScripts) {
  Client client = open();
  WatchOptions shop;
  shop.descriptors = {kShop};
  shop.gap_limit = 1;
  ASSERT_TRUE(client.watch_wallet("shop", shop));
  ASSERT_TRUE(client.watch_wallet("tip", watching(2)));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("shop")->total(), 0);
  live_.hold_back_to(kOld);
  const auto last = payment_to(shop_script(9), 500);
  mine({last});
  ASSERT_TRUE(live_.wait_for_held());
  expect_tip_is_followed(client);
  EXPECT_FALSE(std::ranges::any_of(transactions(), [](const auto& event) { return event.wallet == "shop"; }))
      << "what it has is not known yet";
  live_.let_go();
  EXPECT_TRUE(wait_for_state(client, "shop", last, TransactionState::Confirmed));
  EXPECT_EQ(client.balance("shop")->confirmed, 3'500);
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_is_followed(client, "shop", shop_script(kLate));
  expect_tip_is_followed(client);
  expect_each_event_once();
}

TEST_P(CatchUp, AWalletAtTheTipDoesNotWaitForTheOldOneThatCameFirst) {
  Client client = open();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(live_.wait_for_held());
  ASSERT_TRUE(client.watch_wallet("tip", since(79, 2)));
  expect_tip_is_followed(client);
  ASSERT_TRUE(wait_for<TipEvent>(client));
  live_.let_go();
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_is_followed(client, "old", script(1));
  expect_is_followed(client, "tip", script(2));
  expect_each_event_once();
}

TEST_P(CatchUp, AWalletThatIsClosedMeanwhileLeavesNothingBehind) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  ASSERT_TRUE(client.close_wallet("old"));
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_tip_is_followed(client);
  live_.let_go();
  ASSERT_TRUE(client.open_wallet("old"));
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
}

TEST_P(CatchUp, ThoseAtTheTipMayAllBeClosedMeanwhile) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  ASSERT_TRUE(client.close_wallet("tip"));
  ASSERT_TRUE(client.close_wallet("other"));
  live_.let_go();
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_is_followed(client, "old", script(1));
}

TEST_P(CatchUp, AfterARestartItIsStillScannedApart) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  ASSERT_TRUE(client.pause());
  ASSERT_TRUE(live_.wait_for_connections(0));
  ASSERT_TRUE(client.resume());
  ASSERT_TRUE(live_.wait_for_held());
  expect_tip_is_followed(client);
  live_.let_go();
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_each_event_once();
}

TEST_P(CatchUp, AThirdOldWalletWaitsForItsTurn) {
  Client client = open_at_tip();
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("middle", since(30, 4)));
  ASSERT_TRUE(live_.wait_for_held(1));
  ASSERT_TRUE(client.watch_wallet("younger", since(55, 5)));
  ASSERT_TRUE(live_.wait_for_held(2));
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  expect_tip_is_followed(client);
  EXPECT_TRUE(live_.wait_for_connections(3)) << "that of those at the tip, and two more";
  EXPECT_EQ(client.status("old")->scanned_to, -1);
  live_.let_go();
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("old")->confirmed, 5'000);
  EXPECT_TRUE(live_.wait_for_connections(1));
  expect_is_followed(client, "old", script(1));
  expect_each_event_once();
}

TEST_P(CatchUp, AReorganisationMeanwhileIsFollowedByAll) {
  Client client = open_at_tip();
  const auto before = live_.with([](FakeNode& node) { return node.chain(); });
  const auto undone = payment_to(script(1), 40);
  mine({undone});
  live_.hold_back_to(kOld);
  ASSERT_TRUE(client.watch_wallet("old", watching(1)));
  ASSERT_TRUE(live_.wait_for_held());
  const auto stays = payment_to(script(1), 600);
  live_.with([&](FakeNode& node) { node.set_chain(ChainBuilder(before).block({stays}).blocks(2)); });
  expect_tip_is_followed(client);
  live_.let_go();
  EXPECT_TRUE(wait_for_state(client, "old", stays, TransactionState::Confirmed));
  EXPECT_TRUE(live_.wait_for_connections(1));
  EXPECT_EQ(client.balance("old")->confirmed, 5'600);
  expect_is_followed(client, "old", script(1));
}

}  // namespace
}  // namespace spv::test
