#include "sync/engine/engine.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "sync/watch/wallet_group.h"
#include "tests/chain/header_builder.h"
#include "tests/support/fake_peer.h"
#include "tests/support/simulation.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::ChainBuilder;
using test::FakeNode;
using test::FakePeer;
using test::TxBuilder;

/// An engine alone: facts go in, orders come out. A node answers only where a test lets it.
class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    options_.mempool_wait = util::Duration::zero();
    options_.peers = {{"node", 1}};
    watcher_.add(1, wallet_);
  }

  void start() {
    headers_.emplace(params_, store_);
    engine_.emplace(options_, *headers_, watcher_, util::Rng(7));
    feed(Started{});
  }
  void feed(Input input) {
    for (auto& action : engine_->handle(std::move(input), now_)) actions_.push_back(std::move(action));
  }
  /// Connects a peer to the node and lets the two talk until both are silent.
  void join(PeerId peer) {
    links_.emplace(peer, FakePeer(node_));
    feed(PeerConnected{peer});
    converse();
  }
  void converse() {
    for (; answered_ < actions_.size(); ++answered_) {
      const auto* send = std::get_if<Send>(&actions_[answered_]);
      const auto link = send == nullptr ? links_.end() : links_.find(send->peer);
      if (link != links_.end()) deliver(send->peer, link->second.handle(send->message));
    }
  }
  void deliver(PeerId peer, test::Reply reply) {
    for (auto& message : reply.messages) feed(MessageReceived{peer, std::move(message)});
  }
  /// The node has one block more and says so.
  void mine(std::vector<chain::Transaction> txs = {}) {
    node_.mine(std::move(txs));
    for (auto& [peer, link] : links_) deliver(peer, link.announce_tip());
    converse();
  }
  void elapse(util::Duration duration) {
    now_.monotonic += duration;
    now_.wall += std::chrono::duration_cast<seconds>(duration).count();
    feed(Tick{});
    converse();
  }
  /// Goes on from deadline to deadline for this long.
  void live(util::Duration duration) {
    const auto end = now_.monotonic + duration;
    while (engine_->next_deadline() && *engine_->next_deadline() <= end) {
      elapse(std::max<util::Duration>(*engine_->next_deadline() - now_.monotonic, milliseconds(1)));
    }
    if (now_.monotonic < end) elapse(end - now_.monotonic);
  }

  template <typename Order>
  std::vector<Order> orders() const {
    std::vector<Order> found;
    for (const auto& action : actions_) {
      if (const auto* order = std::get_if<Order>(&action)) found.push_back(*order);
    }
    return found;
  }
  /// How many messages of a kind were sent.
  template <typename Message>
  std::size_t sent() const {
    const auto all = orders<Send>();
    const auto is_it = [](const Send& send) { return std::holds_alternative<Message>(send.message); };
    return static_cast<std::size_t>(std::ranges::count_if(all, is_it));
  }
  template <typename Kind>
  std::vector<Kind> events() const {
    std::vector<Kind> found;
    for (const auto& notify : orders<Notify>()) {
      if (const auto* event = std::get_if<Kind>(&notify.event)) found.push_back(*event);
    }
    return found;
  }
  std::size_t ends() const { return events<Finished>().size(); }
  std::vector<DisconnectReason> disconnects() const {
    std::vector<DisconnectReason> reasons;
    for (const auto& order : orders<Disconnect>()) reasons.push_back(order.reason);
    return reasons;
  }
  void forget_actions() {
    converse();
    actions_.clear();
    answered_ = 0;
  }
  util::Bytes script() const { return config_.key_chains[0].descriptor.script_at(0).value(); }

  EngineOptions options_;
  FakeNode node_{ChainBuilder().blocks(10)};
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  std::optional<chain::HeaderChain> headers_;
  wallet::WalletConfig config_ = test::simulation_wallet(1, 1);
  wallet::Wallet wallet_{config_, wallet::Wallet::fresh_state(config_)};
  WalletGroup watcher_{util::Rng(1)};
  std::optional<Engine> engine_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 4'000'000'000};
  std::map<PeerId, FakePeer> links_;
  std::vector<Action> actions_;
  std::size_t answered_ = 0;
};

// --- Headers -------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, AtTheStartEveryNamedPeerIsConnectedTo) {
  options_.peers = {{"a", 1}, {"b", 2}};
  start();
  const auto orders = this->orders<Connect>();
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[1].address, (PeerAddress{"b", 2}));
  EXPECT_EQ(engine_->next_deadline(), now_.monotonic + PeerPool::kConnectTimeout);
}

TEST_F(EngineTest, NothingButTheHandshakeIsSaidBeforeThePeerIsReady) {
  start();
  feed(PeerConnected{1});
  EXPECT_EQ(orders<Send>().size(), 1U);
  EXPECT_EQ(sent<p2p::Version>(), 1U);
  feed(MessageReceived{1, p2p::Headers{node_.chain().headers()}});
  EXPECT_EQ(headers_->height(), 0);
}

TEST_F(EngineTest, HeadersComeBeforeTheFilter) {
  start();
  FakePeer link(node_);
  feed(PeerConnected{1});
  deliver(1, link.shake_hands());
  EXPECT_EQ(sent<p2p::GetHeaders>(), 1U);
  EXPECT_EQ(sent<p2p::FilterLoad>(), 0U);
  EXPECT_FALSE(engine_->progress().headers_done);
  feed(MessageReceived{1, p2p::Headers{node_.chain().headers()}});
  EXPECT_TRUE(engine_->progress().headers_done);
  EXPECT_EQ(sent<p2p::FilterLoad>(), 1U);
  EXPECT_EQ(sent<p2p::GetData>(), 1U);
}

TEST_F(EngineTest, WhatFollowsAFullBatchOfHeadersIsAskedForAheadOfIt) {
  p2p::Headers batch;
  batch.headers = chain::test::mine_on(params_.genesis, p2p::kMaxHeaders, 1);
  const Input input = MessageReceived{1, batch};
  start();
  links_.emplace(1, FakePeer(node_));
  feed(PeerConnected{1});
  EXPECT_TRUE(engine_->ahead(input, now_).empty()) << "the peer is not ready";
  converse();
  const auto ahead = engine_->ahead(input, now_);
  ASSERT_EQ(ahead.size(), 1U);
  const auto* asked = std::get_if<p2p::GetHeaders>(&std::get<Send>(ahead[0]).message);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->locator.front(), batch.headers.back().hash());
  const auto before = sent<p2p::GetHeaders>();
  feed(input);
  EXPECT_EQ(headers_->height(), 2'000);
  EXPECT_EQ(sent<p2p::GetHeaders>(), before) << "not a second time";
}

TEST_F(EngineTest, H10_OnAChainOfTooLittleWorkNothingIsScanned) {
  params_.minimum_chain_work = chain::Uint256(1'000);
  start();
  join(1);
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::TooLittleWork});
  EXPECT_EQ(sent<p2p::FilterLoad>(), 0U);
  ASSERT_EQ(ends(), 1U);
  ASSERT_TRUE(events<Finished>()[0].failure);
  EXPECT_EQ(events<Finished>()[0].failure->code, Failure::Code::NoServingPeers);
}

TEST_F(EngineTest, OtherWalletsBeforeTheScanChangeNothing) {
  start();
  feed(WatchChanged{});
  join(1);
  EXPECT_EQ(ends(), 1U);
}

TEST_F(EngineTest, WhoeverNeverConnectsIsGivenUpAndTheEndSaysWhy) {
  start();
  for (PeerId peer = 1; peer <= PeerPool::kMaxAttempts; ++peer) {
    feed(ConnectFailed{peer, "refused"});
    if (engine_->next_deadline()) elapse(*engine_->next_deadline() - now_.monotonic);
  }
  ASSERT_EQ(ends(), 1U);
  EXPECT_EQ(events<Finished>()[0].failure->code, Failure::Code::NoPeers);
  EXPECT_EQ(engine_->next_deadline(), std::nullopt);
}

TEST_F(EngineTest, APeerThatOffersNoFiltersIsNotUsed) {
  node_.services = p2p::services::kNetwork;
  start();
  join(1);
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::NoBloomFilters});
  ASSERT_EQ(ends(), 1U);
  EXPECT_EQ(events<Finished>()[0].failure->code, Failure::Code::NoBloomPeers);
}

TEST_F(EngineTest, APeerThatDoesNotSendHeadersIsLeft) {
  start();
  FakePeer link(node_);
  feed(PeerConnected{1});
  deliver(1, link.shake_hands());
  EXPECT_EQ(engine_->next_deadline(), now_.monotonic + HeaderSync::kAnswerTimeout);
  elapse(HeaderSync::kAnswerTimeout);
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::Stalled});
}

// --- Scanning ------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, APaymentIsFoundCommittedAndReportedBeforeTheEnd) {
  node_ = FakeNode(ChainBuilder().blocks(5).pays(script(), 5'000).blocks(5));
  start();
  join(1);
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  EXPECT_FALSE(orders<Persist>().empty());
  EXPECT_EQ(events<TransactionSeen>().size(), 1U);
  ASSERT_EQ(ends(), 1U);
  EXPECT_FALSE(events<Finished>()[0].failure);
  EXPECT_TRUE(std::holds_alternative<Notify>(actions_.back()));
  EXPECT_EQ(engine_->progress().scanned, 11);
}

TEST_F(EngineTest, WhoeverIsStillConnectingHoldsUpTheEndForAMoment) {
  options_.peers.push_back({"slow", 2});
  start();
  join(1);
  EXPECT_EQ(ends(), 0U);
  EXPECT_EQ(engine_->next_deadline(), now_.monotonic + PeerPool::kConnectGrace);
  elapse(PeerPool::kConnectGrace);
  EXPECT_EQ(ends(), 1U);
}

TEST_F(EngineTest, TheMempoolsAnswerIsWaitedFor) {
  options_.mempool_wait = seconds(10);
  start();
  join(1);
  EXPECT_EQ(sent<p2p::Mempool>(), 1U);
  EXPECT_EQ(ends(), 0U);
  live(seconds(10));
  EXPECT_EQ(engine_->mempool(), MempoolState::TimedOut);
  EXPECT_EQ(ends(), 1U);
}

TEST_F(EngineTest, ALoosePaymentIsFetchedBeforeTheEnd) {
  options_.mempool_wait = seconds(10);
  node_.add_to_mempool(TxBuilder(1).pays(script(), 7'000).build());
  start();
  join(1);
  deliver(1, links_.at(1).trickle());
  converse();
  EXPECT_EQ(engine_->mempool(), MempoolState::Answered);
  EXPECT_EQ(wallet_.balance().total(), 7'000);
  EXPECT_EQ(ends(), 1U);
}

TEST_F(EngineTest, WhatIsScannedIsCommittedWhenTheProgramStops) {
  start();
  feed(PeerConnected{1});
  FakePeer link(node_);
  deliver(1, link.shake_hands());
  feed(MessageReceived{1, p2p::Headers{node_.chain().headers()}});
  // The first answers only, so that the scan is under way.
  for (const auto& send : orders<Send>()) {
    if (std::holds_alternative<p2p::FilterLoad>(send.message)) (void)link.handle(send.message);
    if (std::holds_alternative<p2p::GetData>(send.message)) {
      auto reply = link.handle(send.message);
      reply.messages.resize(3);
      deliver(1, std::move(reply));
    }
  }
  ASSERT_EQ(ends(), 0U);
  const auto last = engine_->stop(now_);
  ASSERT_EQ(std::ranges::count_if(last, [](const Action& a) { return std::holds_alternative<Persist>(a); }), 1);
  EXPECT_GE(wallet_.scan().scanned_to.height, 2);
}

TEST_F(EngineTest, APeerThatFallsSilentIsLeftAndDialledAgain) {
  start();
  feed(PeerConnected{1});
  FakePeer link(node_);
  deliver(1, link.shake_hands());
  feed(MessageReceived{1, p2p::Headers{node_.chain().headers()}});
  live(minutes(5));
  ASSERT_FALSE(disconnects().empty());
  EXPECT_EQ(disconnects()[0], DisconnectReason::Stalled);
  EXPECT_GT(orders<Connect>().size(), 1U);
}

// --- Done ----------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, AfterTheEndNothingIsDoneAnyMore) {
  start();
  join(1);
  ASSERT_EQ(ends(), 1U);
  forget_actions();
  EXPECT_EQ(engine_->next_deadline(), std::nullopt);
  feed(PeerDisconnected{1});
  elapse(minutes(10));
  EXPECT_TRUE(orders<Connect>().empty());
  EXPECT_TRUE(orders<Send>().empty());
  EXPECT_EQ(ends(), 0U);
}

TEST_F(EngineTest, OtherWalletsAfterTheEndAreScannedAndItIsReportedAgain) {
  start();
  join(1);
  ASSERT_EQ(ends(), 1U);
  feed(WatchChanged{});
  converse();
  EXPECT_EQ(ends(), 2U);
}

// --- AtTip ---------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, ANewBlockAtTheTipIsScannedAndReportedWithoutASecondEnd) {
  options_.follow = true;
  start();
  join(1);
  ASSERT_EQ(ends(), 1U);
  mine({TxBuilder(1).pays(script(), 5'000).build()});
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  EXPECT_EQ(ends(), 1U);
  ASSERT_EQ(events<TipChanged>().size(), 2U);
  EXPECT_EQ(events<TipChanged>()[1].tip, node_.chain().tip());
}

TEST_F(EngineTest, AReorganisationIsReportedAndItsPaymentTakenBack) {
  options_.follow = true;
  node_ = FakeNode(ChainBuilder().blocks(9).pays(script(), 5'000));
  start();
  join(1);
  ASSERT_EQ(wallet_.balance().confirmed, 5'000);
  node_.set_chain(node_.chain().at_height(8).blocks(4));
  deliver(1, links_.at(1).announce_tip());
  converse();
  ASSERT_EQ(events<ChainReorganised>().size(), 1U);
  EXPECT_EQ(events<ChainReorganised>()[0].fork_height, 8);
  EXPECT_EQ(engine_->reorganisations(), 1U);
  EXPECT_EQ(wallet_.balance().confirmed, 0);
}

TEST_F(EngineTest, E4_ATipThatGrowsStaleIsReported) {
  options_.follow = true;
  start();
  join(1);
  live(LagWatch::kStaleAfter - seconds(1));
  EXPECT_TRUE(events<ChainStale>().empty());
  live(seconds(1));
  EXPECT_EQ(events<ChainStale>().size(), 1U);
  live(LagWatch::kStaleAfter);
  EXPECT_EQ(events<ChainStale>().size(), 2U);
  EXPECT_TRUE(orders<Disconnect>().empty()) << "there is no book to find others in";
}

TEST_F(EngineTest, OtherWalletsAtTheTipAreScannedAndTheEndIsReportedAgain) {
  options_.follow = true;
  start();
  join(1);
  feed(WatchChanged{});
  converse();
  EXPECT_EQ(ends(), 2U);
  mine();
  EXPECT_EQ(events<TipChanged>().size(), 2U) << "it still follows";
}

TEST_F(EngineTest, AFollowerWhosePeersAllBrokeTheRulesIsDone) {
  options_.follow = true;
  start();
  join(1);
  forget_actions();
  feed(StreamCorrupted{1, p2p::DecodeError::Malformed});
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::BadMessage});
  ASSERT_EQ(ends(), 1U);
  EXPECT_TRUE(events<Finished>()[0].failure);
  EXPECT_EQ(engine_->next_deadline(), std::nullopt);
}

TEST_F(EngineTest, AFollowerComesBackToAPeerThatOnlyHungUp) {
  options_.follow = true;
  start();
  join(1);
  forget_actions();
  feed(PeerDisconnected{1});
  links_.clear();
  live(PeerPool::kLongestRetry);
  ASSERT_EQ(orders<Connect>().size(), 1U);
  node_.mine();
  join(orders<Connect>()[0].peer);
  EXPECT_EQ(events<TipChanged>().size(), 1U);
  EXPECT_EQ(ends(), 0U);
}

// --- in every phase ------------------------------------------------------------------------------------------------

TEST_F(EngineTest, WhatAPeerThatIsGoneSaidIsIgnored) {
  start();
  feed(MessageReceived{9, p2p::Verack{}});
  feed(PeerDisconnected{9});
  feed(StreamCorrupted{9, p2p::DecodeError::Malformed});
  EXPECT_TRUE(orders<Disconnect>().empty());
}

TEST_F(EngineTest, R9_AFloodOfWhatNobodyAskedForEndsTheConnection) {
  options_.follow = true;
  start();
  join(1);
  for (std::size_t i = 1; i < Unsolicited::kMax / Unsolicited::kLarge; ++i) feed(MessageReceived{1, p2p::CFilter{}});
  EXPECT_TRUE(disconnects().empty());
  feed(MessageReceived{1, p2p::CFilter{}});
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::Flooding});
}

TEST_F(EngineTest, M9_TransactionsThatNobodyAskedForEndTheConnection) {
  options_.follow = true;
  start();
  join(1);
  for (std::uint64_t i = 0; i < Unsolicited::kMax; ++i) feed(MessageReceived{1, p2p::Tx{TxBuilder(i).build()}});
  EXPECT_EQ(disconnects(), std::vector{DisconnectReason::UnmatchedTransactions});
  EXPECT_EQ(wallet_.balance().total(), 0);
}

}  // namespace
}  // namespace spv::sync
