#include "sync/relay/broadcast.h"

#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;
using test::TxBuilder;

constexpr PeerId kTold = 1;
constexpr PeerId kWithheld = 2;
constexpr Onlookers kAlone{};
constexpr Onlookers kOneMore{.silent = 1, .more_to_come = false};
constexpr Onlookers kTwoMore{.silent = 2, .more_to_come = false};

class BroadcastTest : public testing::Test {
 protected:
  Broadcast make(Broadcast::Purpose purpose = Broadcast::Purpose::Evidence) {
    return {BroadcastRequested{child_, {parent_}}, purpose, {}, now_};
  }
  static p2p::InventoryItem item(const chain::Transaction& tx) {
    return {p2p::InventoryType::Tx, util::retag<util::Hash256>(tx.txid())};
  }
  void fetch(Broadcast& broadcast, PeerId peer, const std::vector<chain::Transaction>& txs) {
    p2p::GetData request;
    for (const auto& tx : txs) request.items.push_back(item(tx));
    broadcast.on(peer, request, rng_, now_, out_);
  }
  /// Takes what was ordered apart.
  void look() {
    for (auto& action : out_.take()) {
      if (auto* notify = std::get_if<Notify>(&action)) news_.push_back(std::get<BroadcastChanged>(notify->event));
      if (auto* send = std::get_if<Send>(&action)) sent_.push_back(std::move(*send));
    }
  }
  template <typename M>
  std::vector<M> sent_to(PeerId peer) {
    look();
    std::vector<M> out;
    for (const auto& send : sent_) {
      const auto* message = std::get_if<M>(&send.message);
      if (message != nullptr && send.peer == peer) out.push_back(*message);
    }
    return out;
  }
  /// The peer fetches both and has read them.
  void deliver(Broadcast& broadcast, PeerId peer) {
    fetch(broadcast, peer, {parent_, child_});
    const auto pings = sent_to<p2p::Ping>(peer);
    ASSERT_FALSE(pings.empty());
    EXPECT_TRUE(broadcast.on(peer, p2p::Pong{pings.back().nonce}, now_));
  }
  BroadcastChanged last() {
    look();
    return news_.empty() ? BroadcastChanged{} : news_.back();
  }
  void elapse(util::Duration duration) { now_.monotonic += duration; }

  chain::Transaction parent_ = TxBuilder(1).spends(TxBuilder(9).build()).witness(util::Bytes{1}).build();
  chain::Transaction child_ = TxBuilder(2).spends(parent_).witness(util::Bytes{2}).build();
  chain::Transaction foreign_ = TxBuilder(3).build();
  Announcers announcers_{100};
  util::Rng rng_{5};
  Outbox out_;
  std::vector<BroadcastChanged> news_;
  std::vector<Send> sent_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(1'000), .wall = 1'700'000'000};
};

TEST_F(BroadcastTest, ParentsAreAnnouncedFirstUnlessAPeerHasAnnouncedThem) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  EXPECT_EQ(sent_to<p2p::Inv>(kTold).at(0).items, (std::vector{item(parent_), item(child_)}));
  announcers_.add_first(parent_.txid(), kWithheld);
  auto again = make();
  again.announce(kTold, "a", announcers_, now_, out_);
  EXPECT_EQ(sent_to<p2p::Inv>(kTold).at(1).items, std::vector{item(child_)});
  fetch(again, kTold, {parent_});
  EXPECT_EQ(sent_to<p2p::Tx>(kTold).size(), 1U) << "but a peer that lacks it may have it";
}

TEST_F(BroadcastTest, EachIsSentOnceAndOnlyToWhomItWasAnnounced) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  fetch(broadcast, kWithheld, {child_});
  EXPECT_TRUE(sent_to<p2p::Tx>(kWithheld).empty());
  fetch(broadcast, kTold, {foreign_, child_, child_});
  fetch(broadcast, kTold, {child_});
  ASSERT_EQ(sent_to<p2p::Tx>(kTold).size(), 1U);
  EXPECT_EQ(sent_to<p2p::Tx>(kTold)[0].transaction, child_) << "with its witness";
  EXPECT_EQ(sent_to<p2p::Ping>(kTold).size(), 1U);
}

TEST_F(BroadcastTest, WithOnePeerThatItWasReadIsAllThereIs) {
  auto broadcast = make();
  EXPECT_TRUE(broadcast.wants_peer(kAlone, now_));
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Announced);
  EXPECT_FALSE(broadcast.wants_peer(kAlone, now_));
  fetch(broadcast, kTold, {parent_, child_});
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Fetched);
  EXPECT_FALSE(broadcast.ended()) << "it may still be on its way to the peer";
  EXPECT_FALSE(broadcast.on(kTold, p2p::Pong{1}, now_));
  EXPECT_TRUE(broadcast.on(kTold, p2p::Pong{sent_to<p2p::Ping>(kTold).at(0).nonce}, now_));
  broadcast.advance(kAlone, now_, out_);
  EXPECT_TRUE(broadcast.ended());
  EXPECT_TRUE(last().final);
  EXPECT_EQ(last().state, BroadcastState::Fetched);
  EXPECT_EQ(last().fetched_by, std::vector<std::string>{"a"});
  EXPECT_EQ(last().peers_accepted, 0U);
  EXPECT_FALSE(broadcast.deadline().has_value());
}

TEST_F(BroadcastTest, APeerThatDidNotFetchAParentMayStillAskForIt) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  fetch(broadcast, kTold, {child_});
  EXPECT_TRUE(broadcast.on(kTold, p2p::Pong{sent_to<p2p::Ping>(kTold).at(0).nonce}, now_));
  broadcast.advance(kAlone, now_, out_);
  EXPECT_FALSE(broadcast.ended());
  fetch(broadcast, kTold, {parent_});
  EXPECT_EQ(sent_to<p2p::Tx>(kTold).size(), 2U);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_TRUE(broadcast.ended());
}

TEST_F(BroadcastTest, OnlyAPeerThatItWasNotSentToShowsThatItWasAccepted) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  deliver(broadcast, kTold);
  broadcast.on(kTold, "a", p2p::Inv{{item(child_)}}, now_);
  broadcast.on(7, "a", p2p::Inv{{item(child_)}}, now_);  // the same node by another connection
  broadcast.on(kWithheld, "b", p2p::Inv{{item(parent_), item(foreign_)}}, now_);
  broadcast.advance(kOneMore, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Fetched);
  EXPECT_FALSE(broadcast.ended()) << "the other may still announce it";
  broadcast.on(kWithheld, "b", p2p::Inv{{item(child_)}}, now_);
  broadcast.on(kWithheld, "b", p2p::Inv{{item(child_)}}, now_);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Accepted);
  EXPECT_EQ(last().peers_accepted, 1U);
  EXPECT_TRUE(last().final);
}

TEST_F(BroadcastTest, OthersThatMayHaveItTooAreWaitedForAMoment) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  deliver(broadcast, kTold);
  broadcast.on(kWithheld, "b", p2p::Inv{{item(child_)}}, now_);
  broadcast.advance(kOneMore, now_, out_);
  EXPECT_FALSE(broadcast.ended());
  broadcast.on(3, "c", p2p::Inv{{item(child_)}}, now_);
  elapse(BroadcastTiming{}.gather);
  EXPECT_EQ(broadcast.deadline(), now_.monotonic);
  broadcast.advance(kOneMore, now_, out_);
  EXPECT_EQ(last().peers_accepted, 2U);
  EXPECT_TRUE(last().final);
}

TEST_F(BroadcastTest, WhereNobodyFetchesItOthersAreToldAndItStaysUncertain) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  elapse(BroadcastTiming{}.patience - seconds(1));
  EXPECT_FALSE(broadcast.wants_peer(kOneMore, now_));
  elapse(seconds(1));
  EXPECT_TRUE(broadcast.wants_peer(kOneMore, now_));
  broadcast.announce(kWithheld, "b", announcers_, now_, out_);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(sent_to<p2p::GetData>(kTold).size(), 1U) << "who has it does not fetch it";
  EXPECT_TRUE(sent_to<p2p::GetData>(kWithheld).empty());
  while (!broadcast.ended()) {
    ASSERT_TRUE(broadcast.deadline().has_value());
    ASSERT_GT(*broadcast.deadline(), now_.monotonic);
    now_.monotonic = *broadcast.deadline();
    broadcast.advance(kAlone, now_, out_);
  }
  EXPECT_EQ(last().state, BroadcastState::Uncertain);
  EXPECT_TRUE(last().final);
  EXPECT_EQ(now_.monotonic, util::TimePoint{} + seconds(1'030)) << "30 seconds after the first announcement";
  fetch(broadcast, kTold, {child_});
  EXPECT_TRUE(sent_to<p2p::Tx>(kTold).empty()) << "what was reported stays true";
}

TEST_F(BroadcastTest, APeerThatHasItAlreadySaysSoWhenItIsAsked) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  EXPECT_FALSE(broadcast.on_tx(kTold, child_.txid(), now_)) << "nobody asked yet";
  elapse(BroadcastTiming{}.patience);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_FALSE(broadcast.on_tx(kTold, parent_.txid(), now_));
  EXPECT_FALSE(broadcast.on_tx(kWithheld, child_.txid(), now_));
  EXPECT_TRUE(broadcast.on_tx(kTold, child_.txid(), now_));
  elapse(BroadcastTiming{}.answer);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Accepted);
  EXPECT_TRUE(last().final);
}

TEST_F(BroadcastTest, ALostPeerIsReplacedAtOnce) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  broadcast.on_peer_lost(kTold);
  EXPECT_TRUE(broadcast.wants_peer(kAlone, now_));
  broadcast.announce(kWithheld, "b", announcers_, now_, out_);
  fetch(broadcast, kWithheld, {parent_, child_});
  EXPECT_FALSE(broadcast.wants_peer(kAlone, now_));
  broadcast.on_peer_lost(kWithheld);
  EXPECT_TRUE(broadcast.wants_peer(kAlone, now_)) << "nobody knows whether that one has read it";
}

TEST_F(BroadcastTest, OneThatKeepsItToItselfIsFollowedByOneMoreButNotByTheLastOnlooker) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  deliver(broadcast, kTold);
  EXPECT_FALSE(broadcast.wants_peer(kTwoMore, now_));
  elapse(BroadcastTiming{}.wait * 2 / 3);
  EXPECT_TRUE(broadcast.wants_peer(kTwoMore, now_));
  EXPECT_FALSE(broadcast.wants_peer(kOneMore, now_));
}

TEST_F(BroadcastTest, ABlockEndsIt) {
  auto broadcast = make();
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  broadcast.on_confirmed();
  EXPECT_FALSE(broadcast.wants_peer(kAlone, now_));
  broadcast.advance(kTwoMore, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Confirmed);
  EXPECT_TRUE(last().final);
}

TEST_F(BroadcastTest, WithNobodyToTellItIsUncertainAfterTheSearch) {
  auto broadcast = make();
  broadcast.advance(kAlone, now_, out_);
  EXPECT_TRUE(out_.take().empty()) << "nothing to tell yet";
  elapse(BroadcastTiming{}.search);
  broadcast.advance(kAlone, now_, out_);
  EXPECT_EQ(last().state, BroadcastState::Uncertain);
  EXPECT_TRUE(last().final);
}

TEST_F(BroadcastTest, ToldAgainItWaitsForNobodyElse) {
  auto broadcast = make(Broadcast::Purpose::TellAgain);
  broadcast.announce(kTold, "a", announcers_, now_, out_);
  deliver(broadcast, kTold);
  broadcast.advance(kTwoMore, now_, out_);
  EXPECT_TRUE(broadcast.ended());
  EXPECT_EQ(last().state, BroadcastState::Fetched);
}

}  // namespace
}  // namespace spv::sync
