// What the user hears, of several shards as of one: each thing once, and not too early.
#include "client/announcer.h"

#include "tests/client/parts_fixture.h"

namespace spv::client {
namespace {

using test::TxBuilder;

/// Two wallets that no filter holds together, in two shards.
class AnnouncerTest : public test::ClientParts {
 protected:
  AnnouncerTest() {
    setup_.options.fp_rate = kNarrow;
    for (const char* name : {"crowd", "more"}) shards_.place(open_crowd(wallets_, name), wallets_);
    const SessionSetup session{setup_.params, setup_.options, setup_.folder.headers().string()};
    for (Shard* shard : shards_.all()) shard->session.open_headers(session);
  }
  void hear(Shard& shard, const SyncEvent& event) { announcer_.notify(shard, event, shards_, wallets_); }
  [[nodiscard]] Shard& first() { return shards_.first(); }
  [[nodiscard]] Shard& second() const { return *shards_.all().at(1); }

  OpenWallets wallets_{setup_, events_};
  Shards shards_{setup_, events_};
  Announcer announcer_{events_};
};

TEST_F(AnnouncerTest, ABlockIsToldWhenTheLastShardHasComeToItAndOnce) {
  hear(first(), TipChanged{block_at(5)});
  EXPECT_TRUE(told().empty());
  hear(second(), TipChanged{block_at(5)});
  const auto tips = told_only<TipEvent>();
  ASSERT_EQ(tips.size(), 1U);
  EXPECT_EQ(tips[0].height, 5);
  EXPECT_EQ(tips[0].hash, util::to_string(block_at(5).hash));
  hear(second(), TipChanged{block_at(5)});
  EXPECT_TRUE(told().empty());
}

TEST_F(AnnouncerTest, ABlockIsToldWhenTheShardThatLacksItGoes) {
  hear(first(), TipChanged{block_at(5)});
  shards_.erase(second());
  announcer_.tell_tip(shards_);
  EXPECT_EQ(told_only<TipEvent>().size(), 1U);
}

TEST_F(AnnouncerTest, AllIsSyncedOnceTheLastShardHasFinished) {
  hear(first(), SyncFinished{});
  EXPECT_TRUE(told().empty());
  hear(second(), SyncFinished{.failed = true});
  EXPECT_TRUE(told().empty()) << "that is no end to be glad of";
  hear(second(), SyncFinished{});
  const auto synced = told_only<SyncedEvent>();
  ASSERT_EQ(synced.size(), 1U);
  EXPECT_EQ(synced[0].height, 0) << "the tip of the headers";
  hear(first(), SyncFinished{});
  EXPECT_TRUE(told().empty()) << "it is told once";
}

TEST_F(AnnouncerTest, AfterAWalletHasJoinedItIsToldOnceMore) {
  for (Shard* shard : shards_.all()) hear(*shard, SyncFinished{});
  EXPECT_EQ(told_only<SyncedEvent>().size(), 1U);
  announcer_.owe_synced();
  first().joining = true;
  hear(second(), SyncFinished{});
  EXPECT_TRUE(told().empty()) << "the new wallet is not scanned yet";
  first().joining = false;
  hear(first(), SyncFinished{});
  EXPECT_EQ(told_only<SyncedEvent>().size(), 1U);
}

TEST_F(AnnouncerTest, WhatConcernsTheChainIsToldByTheFirstShardAlone) {
  const ChainReorganised reorganised{.from = block_at(9), .to = block_at(10, 1), .fork_height = 7};
  hear(second(), reorganised);
  EXPECT_TRUE(told().empty());
  hear(first(), reorganised);
  const auto events = told_only<ReorganisationEvent>();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].from, util::to_string(block_at(9).hash));
  EXPECT_EQ(events[0].to, util::to_string(block_at(10, 1).hash));
  EXPECT_EQ(events[0].fork_height, 7);
}

TEST_F(AnnouncerTest, TheUserIsWarnedInWords) {
  for (Shard* shard : shards_.all()) {
    hear(*shard, ReorganisationHeld{.from = block_at(9), .to = block_at(10, 1), .fork_height = 7});
    hear(*shard, ChainStale{.tip = block_at(9), .seconds = 5'400});
    hear(*shard, ClockSuspected{.seconds = 7'800});
  }
  const auto warnings = told_only<WarningEvent>();
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_NE(warnings[0].message.find("forks off at block 7;"), std::string::npos);
  EXPECT_NE(warnings[1].message.find("for 90 minutes"), std::string::npos);
  EXPECT_NE(warnings[2].message.find("7800 seconds ahead"), std::string::npos);
}

TEST_F(AnnouncerTest, PeersOfEveryShardAreToldAndTransactionsAreLeftToTheirCommit) {
  hear(first(), TransactionSeen{.txid = {}, .net = 1, .height = 5});
  hear(second(), PeerStateChanged{"127.0.0.1:1", "connected"});
  const auto peers = told_only<PeerEvent>();
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].address, "127.0.0.1:1");
  EXPECT_EQ(peers[0].state, "connected");
}

// The payer may have gone to another shard since.
TEST_F(AnnouncerTest, WhatBecameOfAPaymentIsNotedInTheWalletWhereverThatIsFollowed) {
  Held& payer = open(wallets_, "payer", 7);
  shards_.place(payer, wallets_);
  ASSERT_EQ(payer.shard, &first());
  const auto coin = TxBuilder(1).pays(test::script(7), 1'000).build();
  wallets_.note({{payer.id, payer.open.wallet.apply_confirmed(coin, {.block = block_at(5), .block_time = 1}, {}, 1)}});
  const auto payment = TxBuilder(2).spends(coin).pays(test::script(9), 900).build();
  ASSERT_TRUE(payer.shard->session.add_own(payer.id, payment, 1, {}));
  hear(second(), BroadcastChanged{payment.txid(), BroadcastState::Accepted, 1, {}, false});
  EXPECT_EQ(payer.open.wallet.find(payment.txid())->sending->state, wallet::SendState::Accepted);
  EXPECT_EQ(stored("payer").find(payment.txid())->sending->state, wallet::SendState::Accepted);
  std::vector<BroadcastEvent> events;
  for (const auto& event : told()) {
    if (const auto* wanted = std::get_if<BroadcastEvent>(&event)) events.push_back(*wanted);
  }
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].wallet, "payer");
}

TEST_F(AnnouncerTest, ProgressIsToldWhereItHasMoved) {
  announcer_.tell_progress({.headers = 5, .scanned = 3, .peers = 1});
  EXPECT_EQ(told_only<ProgressEvent>().size(), 1U);
  announcer_.tell_progress({.headers = 5, .scanned = 3, .peers = 1, .bytes_in = 700});
  EXPECT_TRUE(told().empty()) << "bytes alone are no news";
  announcer_.tell_progress({.headers = 6, .scanned = 3, .peers = 1});
  EXPECT_EQ(told_only<ProgressEvent>().size(), 1U);
  announcer_.tell_progress({.headers = 6, .scanned = 4, .peers = 1});
  EXPECT_EQ(told_only<ProgressEvent>().size(), 1U);
  announcer_.tell_progress({.headers = 6, .scanned = 4, .peers = 0});
  EXPECT_EQ(told_only<ProgressEvent>().size(), 1U);
}

TEST_F(AnnouncerTest, ANewSyncTellsAllOfItAgain) {
  const auto tell_all = [this] {
    for (Shard* shard : shards_.all()) {
      hear(*shard, TipChanged{block_at(5)});
      hear(*shard, SyncFinished{});
    }
    announcer_.tell_progress({.headers = 5, .scanned = 5, .peers = 1});
  };
  tell_all();
  EXPECT_EQ(told().size(), 3U);
  tell_all();
  EXPECT_TRUE(told().empty());
  announcer_.reset();
  tell_all();
  EXPECT_EQ(told().size(), 3U);
}

}  // namespace
}  // namespace spv::client
