#include "sync/relay/tx_relay.h"

#include <algorithm>
#include <malloc.h>

#include <gtest/gtest.h>

#include "sync/watch/wallet_group.h"
#include "tests/support/long_tests.h"
#include "tests/support/simulation.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;
using test::TxBuilder;

class TxRelayTest : public testing::Test {
 protected:
  TxRelayTest() {
    watcher_.add(1, wallet_);
    chain::MemoryHeaderStore store(0, params_.genesis, chain::Uint256(2));
    watcher_.on_chain_known(chain::HeaderChain(params_, store));
  }

  std::size_t announce(PeerId peer, std::uint64_t first, std::uint64_t count) {
    p2p::Inv inv;
    for (auto i = first; i < first + count; ++i) {
      inv.items.push_back({p2p::InventoryType::Tx, util::retag<util::Hash256>(TxBuilder(i).build().txid())});
    }
    relay_.on(peer, inv, now_, out_);
    return asked(peer);
  }
  /// Transactions asked from this peer since the last call.
  std::size_t asked(PeerId peer) {
    std::size_t count = 0;
    for (const auto& action : out_.take()) {
      const auto* send = std::get_if<Send>(&action);
      const auto* getdata = send == nullptr ? nullptr : std::get_if<p2p::GetData>(&send->message);
      if (getdata != nullptr && send->peer == peer) count += getdata->items.size();
    }
    return count;
  }
  void deliver(PeerId peer, std::uint64_t number) {
    const auto tx = TxBuilder(number).build();
    (void)relay_.on(peer, tx, tx.txid(), now_, out_);
  }

  const chain::NetworkParams& params_ = chain::params(chain::Network::Regtest);
  wallet::WalletConfig config_ = test::simulation_wallet(1, 1);
  wallet::Wallet wallet_{config_, wallet::Wallet::fresh_state(config_)};
  WalletGroup watcher_{util::Rng(1)};
  TxRelay relay_{watcher_, seconds(10)};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
};

TEST_F(TxRelayTest, R6_AtMostAHundredAreUnderWayAndTheRestFollows) {
  EXPECT_EQ(announce(1, 0, 250), FetchQueue::kMaxRequested);
  deliver(1, 0);
  EXPECT_EQ(asked(1), 1U);
}

TEST_F(TxRelayTest, WhatMeantNothingIsFetchedAgainWhenTheMempoolIsAskedForAgain) {
  relay_.ask_mempool(1, now_, out_);
  EXPECT_EQ(announce(1, 0, 2), 2U);
  deliver(1, 0);
  EXPECT_EQ(announce(1, 0, 2), 0U);
  relay_.ask_again(now_, out_);
  EXPECT_EQ(announce(1, 0, 2), 1U) << "the other is still under way";
}

TEST_F(TxRelayTest, WhatIsAnnouncedInTimeIsWaitedFor) {
  relay_.ask_mempool(1, now_, out_);
  now_.monotonic += seconds(9);
  EXPECT_EQ(announce(1, 0, 1), 1U);
  now_.monotonic += seconds(1);
  relay_.tick(now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  deliver(1, 0);
  EXPECT_EQ(relay_.mempool(), MempoolState::Answered);
}

// A program that was stopped finds the answer and the end of the wait at once.
TEST_F(TxRelayTest, AWaitThatWasSleptThroughIsLonger) {
  relay_.ask_mempool(1, now_, out_);
  now_.monotonic += seconds(15);
  relay_.tick(now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  EXPECT_EQ(relay_.deadline(), now_.monotonic + MempoolWait::kLateTick);
  now_.monotonic += MempoolWait::kLateTick;
  relay_.tick(now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::TimedOut);
}

TEST_F(TxRelayTest, APeerThatIsLostIsNotWaitedFor) {
  relay_.ask_mempool(1, now_, out_);
  relay_.ask_mempool(2, now_, out_);
  (void)announce(1, 0, 1);
  deliver(1, 0);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  relay_.on_peer_lost(2, now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::Answered);
}

// A peer that announces what it does not deliver would otherwise put off the end again and again.
TEST_F(TxRelayTest, AnnouncementsWithoutEndDoNotKeepTheWaitFromItsEnd) {
  relay_.ask_mempool(1, now_, out_);
  relay_.ask_mempool(2, now_, out_);  // honest, and silent because it has nothing for us
  const auto started = now_.monotonic;
  for (std::uint64_t number = 0; relay_.mempool() == MempoolState::Asked && number < 100; ++number) {
    (void)announce(1, number, 1);
    now_.monotonic = relay_.deadline().value();
    relay_.tick(now_, out_);
  }
  EXPECT_EQ(relay_.mempool(), MempoolState::TimedOut);
  EXPECT_LE(now_.monotonic, started + seconds(10) + 2 * TxRelay::kMaxOverrun + 2 * MempoolWait::kLateTick);
}

TEST_F(TxRelayTest, E7_WhoeverDeliversOtherThingsCannotHoldUpWhatItKeepsBack) {
  EXPECT_EQ(announce(1, 0, FetchQueue::kMaxRequested), FetchQueue::kMaxRequested);
  EXPECT_EQ(announce(2, 0, 1), 0U);
  for (std::uint64_t number = 1; number <= 5; ++number) {
    now_.monotonic += seconds(3);
    deliver(1, number);
    relay_.tick(now_, out_);
  }
  EXPECT_EQ(asked(2), 1U);
}

TEST_F(TxRelayTest, WhatComesTooLateWasStillAskedFor) {
  const auto script = config_.key_chains[0].descriptor.script_at(0).value();
  const auto tx = TxBuilder(1).pays(script, 5).build();
  relay_.on(1, p2p::Inv{{{p2p::InventoryType::Tx, util::retag<util::Hash256>(tx.txid())}}}, now_, out_);
  now_.monotonic += FetchQueue::kFetchTimeout;
  relay_.tick(now_, out_);
  EXPECT_TRUE(relay_.has_asked(1, tx.txid()));
  EXPECT_FALSE(relay_.has_asked(2, tx.txid()));
  EXPECT_FALSE(relay_.on(1, tx, tx.txid(), now_, out_).empty());
  EXPECT_FALSE(relay_.has_asked(1, tx.txid())) << "once";
}

TEST_F(TxRelayTest, WithoutFiltersNothingIsFetchedBeforeTheScanIsDone) {
  TxRelay relay(watcher_, seconds(10), true);
  relay.ask_mempool(1, now_, out_);
  const auto txid = TxBuilder(0).build().txid();
  relay.on(1, p2p::Inv{{{p2p::InventoryType::Tx, util::retag<util::Hash256>(txid)}}}, now_, out_);
  EXPECT_EQ(asked(1), 0U);
  now_.monotonic += std::chrono::hours(1);
  relay.tick(now_, out_);
  EXPECT_EQ(relay.mempool(), MempoolState::Asked) << "the scan may take longer than the wait";
  EXPECT_FALSE(relay.deadline().has_value());
  relay.release(now_, out_);
  EXPECT_EQ(asked(1), 1U);
  EXPECT_EQ(relay.mempool(), MempoolState::Asked) << "what was announced is waited for";
  (void)relay.on(1, TxBuilder(0).build(), txid, now_, out_);
  EXPECT_EQ(relay.mempool(), MempoolState::Answered);
}

TEST_F(TxRelayTest, WithoutFiltersTheWaitOverlapsWithTheScan) {
  TxRelay relay(watcher_, seconds(10), true);
  relay.ask_mempool(1, now_, out_);
  now_.monotonic += seconds(11);
  relay.release(now_, out_);
  relay.tick(now_, out_);
  EXPECT_EQ(relay.mempool(), MempoolState::TimedOut);
}

TEST_F(TxRelayTest, R6_AFloodIsForgotten) {
  (void)announce(1, 0, 1'000);
  for (std::uint64_t i = 1; i < 8; ++i) EXPECT_EQ(announce(1, i * 1'000, 1'000), 0U);
}

TEST_F(TxRelayTest, R6_TenMillionAnnouncementsTakeNoMoreMemoryThanAFewThousand) {
  constexpr std::uint64_t kPerMessage = 50'000;
  const auto flood = [&](std::uint64_t messages, std::uint64_t salt) {
    p2p::Inv inv;
    inv.items.resize(kPerMessage, {p2p::InventoryType::Tx, {}});
    for (std::uint64_t n = 0; n < messages * kPerMessage; ++n) {
      auto& bytes = inv.items[n % kPerMessage].hash.bytes;
      for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>((n + salt) >> (8 * i));
      if ((n + 1) % kPerMessage != 0) continue;
      relay_.on(1, inv, now_, out_);
      (void)asked(1);
      now_.monotonic += seconds(11);  // what was asked for is given up, and others take its place
      relay_.tick(now_, out_);
      (void)asked(1);
    }
  };
  flood(2, 0);
  const auto before = mallinfo2().uordblks;
  flood(test::repeats(20, 200), 1ULL << 40U);
  EXPECT_LE(mallinfo2().uordblks, before + (4U << 20U));
}

TEST_F(TxRelayTest, WhatIsAnnouncedTwiceIsAskedForOnce) {
  EXPECT_EQ(announce(1, 0, 3), 3U);
  EXPECT_EQ(announce(1, 0, 3), 0U);
}

TEST_F(TxRelayTest, OnePeersQueueDoesNotHoldUpAnothers) {
  (void)announce(1, 0, 250);
  EXPECT_EQ(announce(2, 500, 1), 1U);
}

TEST_F(TxRelayTest, TheMempoolIsAnsweredWhenAllThatWasAnnouncedCame) {
  relay_.ask_mempool(1, now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  (void)announce(1, 0, 2);
  deliver(1, 0);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  deliver(1, 1);
  EXPECT_EQ(relay_.mempool(), MempoolState::Answered);
}

TEST_F(TxRelayTest, AnotherPeersAnnouncementIsNoAnswer) {
  relay_.ask_mempool(1, now_, out_);
  (void)announce(2, 0, 1);
  deliver(2, 0);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
}

TEST_F(TxRelayTest, SilenceTimesOut) {
  relay_.ask_mempool(1, now_, out_);
  ASSERT_EQ(relay_.deadline(), now_.monotonic + seconds(10));
  now_.monotonic += seconds(10);
  relay_.tick(now_, out_);
  EXPECT_EQ(relay_.mempool(), MempoolState::TimedOut);
  EXPECT_FALSE(relay_.deadline().has_value());
}

TEST_F(TxRelayTest, WhatALostPeerTookWithItIsAskedElsewhere) {
  EXPECT_EQ(announce(1, 0, 1), 1U);
  relay_.on_peer_lost(1, now_, out_);
  EXPECT_EQ(announce(2, 0, 1), 1U);
}

TEST_F(TxRelayTest, E7_WhatAPeerDoesNotDeliverIsAskedFromTheNextThatAnnouncedIt) {
  EXPECT_EQ(announce(1, 0, 1), 1U);
  EXPECT_EQ(announce(2, 0, 1), 0U);
  EXPECT_EQ(announce(3, 0, 1), 0U);
  now_.monotonic += FetchQueue::kFetchTimeout;
  relay_.tick(now_, out_);
  EXPECT_EQ(asked(2), 1U);
  relay_.on_peer_lost(2, now_, out_);
  EXPECT_EQ(asked(3), 1U);
  const auto txid = TxBuilder(0).build().txid();
  relay_.on(3, p2p::NotFound{{{p2p::InventoryType::WitnessTx, util::retag<util::Hash256>(txid)}}}, now_, out_);
  EXPECT_EQ(relay_.announcers().count(txid), 0U);
  EXPECT_EQ(announce(1, 0, 1), 1U) << "forgotten, so that it can be told again";
}

TEST_F(TxRelayTest, E7_WhoIsGoneIsNotAsked) {
  EXPECT_EQ(announce(1, 0, 1), 1U);
  EXPECT_EQ(announce(2, 0, 1), 0U);
  EXPECT_EQ(announce(3, 0, 1), 0U);
  relay_.on_peer_lost(2, now_, out_);
  relay_.on_peer_lost(1, now_, out_);
  const auto actions = out_.take();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<Send>(actions[0]).peer, 3U);
}

TEST_F(TxRelayTest, E7_PeersThatTellOfATransactionAreCountedOnceEach) {
  const auto txid = TxBuilder(0).build().txid();
  for (const PeerId peer : {1U, 2U, 1U, 3U, 2U}) (void)announce(peer, 0, 1);
  EXPECT_EQ(relay_.announcers().count(txid), 3U);
  for (PeerId peer = 10; peer < 100; ++peer) (void)announce(peer, 0, 1);
  EXPECT_EQ(relay_.announcers().count(txid), Announcers::kMaxPeers);
}

TEST_F(TxRelayTest, TheMempoolIsAnsweredWhenEverybodyHasAnswered) {
  relay_.ask_mempool(1, now_, out_);
  relay_.ask_mempool(2, now_, out_);
  (void)announce(1, 0, 1);
  deliver(1, 0);
  EXPECT_EQ(relay_.mempool(), MempoolState::Asked);
  (void)announce(2, 0, 1);
  EXPECT_EQ(relay_.mempool(), MempoolState::Answered);
}

TEST_F(TxRelayTest, WhoeverComesLaterDoesNotMakeTheWaitLonger) {
  relay_.ask_mempool(1, now_, out_);
  now_.monotonic += seconds(9);
  relay_.ask_mempool(2, now_, out_);
  EXPECT_EQ(relay_.deadline(), now_.monotonic + seconds(1));
}

TEST_F(TxRelayTest, M9_WhatWasNotAskedForIsNotBelieved) {
  const auto script = config_.key_chains[0].descriptor.script_at(0).value();
  const auto tx = TxBuilder(1).pays(script, 5).build();
  EXPECT_TRUE(relay_.on(1, tx, tx.txid(), now_, out_).empty());
  EXPECT_NE(relay_.find_recent(tx.txid()), nullptr);
  EXPECT_EQ(wallet_.balance().total(), 0);
}

TEST_F(TxRelayTest, OnlyTheLastAreRemembered) {
  const auto first = TxBuilder(0).build().txid();
  for (std::uint64_t i = 0; i <= RecentTransactions::kMaxCount; ++i) deliver(1, i);
  EXPECT_EQ(relay_.find_recent(first), nullptr);
}

}  // namespace
}  // namespace spv::sync
