// Transactions that the user sends: told to few, with evidence of where they have come (P6).
#include "sync/relay/broadcast.h"

#include <algorithm>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using State = sync::BroadcastState;

constexpr std::uint64_t kNoFilters = p2p::services::kNetwork | p2p::services::kWitness;

class Broadcasting : public SyncScenario {
 protected:
  ChainBuilder story() { return ChainBuilder().blocks(5).block({coin()}).blocks(3); }
  chain::Transaction coin() { return TxBuilder(1).pays(receive(0), 1'000).build(); }
  chain::Transaction payment(std::uint64_t number = 7) {
    return TxBuilder(number).spends(coin()).witness(util::Bytes{1}).pays(stranger(), 900).build();
  }
  /// A session for this alone.
  void send_alone(const chain::Transaction& tx, std::vector<chain::Transaction> parents = {}) {
    sim().options.errands = {.broadcasts = {{tx, std::move(parents)}}, .scan = false};
    ASSERT_TRUE(sim().run_until_finished());
  }
  /// What one node takes, the other gets from it.
  void pass_on(std::size_t from, std::size_t to) {
    sim().after(seconds(1), [this, from, to] {
      for (const auto& entry : sim().node(from).fake.mempool()) sim().node(to).fake.add_to_mempool(entry.tx);
      pass_on(from, to);
    });
  }
  static std::size_t sent(const SimulatedNode& node) { return node.fake.seen.transactions.size(); }
  static bool was_told(const SimulatedNode& node) { return !node.fake.seen.announced.empty(); }
  sync::BroadcastChanged last() {
    const auto all = events<sync::BroadcastChanged>();
    return all.empty() ? sync::BroadcastChanged{} : all.back();
  }
};

TEST_F(Broadcasting, OneOfTwoPeersIsToldAndTheOtherShowsThatItWasAccepted) {
  add_node(story());
  add_node(story());
  pass_on(0, 1);
  pass_on(1, 0);
  send_alone(payment());
  EXPECT_EQ(last().state, State::Accepted);
  EXPECT_TRUE(last().final);
  EXPECT_EQ(last().peers_accepted, 1U);
  EXPECT_EQ(last().fetched_by.size(), 1U);
  EXPECT_EQ(sent(sim().node(0)) + sent(sim().node(1)), 1U);
  EXPECT_NE(was_told(sim().node(0)), was_told(sim().node(1)));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(sim().node(i).fake.seen.filter_loads.empty());
    EXPECT_EQ(sim().node(i).fake.seen.headers_requests, 0U) << "nothing that it does not need";
    EXPECT_TRUE(sim().node(i).fake.seen.getdata_sizes.empty()) << "nothing is fetched";
  }
  EXPECT_LT(sim().elapsed(), seconds(25));
}

TEST_F(Broadcasting, WithOnePeerItIsFetchedAndNoMoreIsKnown) {
  auto& node = add_node(story());
  const auto tx = payment();
  send_alone(tx);
  EXPECT_EQ(last().state, State::Fetched);
  EXPECT_TRUE(last().final);
  EXPECT_EQ(last().peers_accepted, 0U);
  EXPECT_EQ(node.fake.seen.transactions, std::vector{tx});
  EXPECT_LT(sim().elapsed(), seconds(2)) << "there is nothing to wait for";
  const auto all = events<sync::BroadcastChanged>();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front().state, State::Announced);
}

TEST_F(Broadcasting, WhereNobodyTakesItItIsUncertain) {
  add_node(story()).fake.ignores_inventory = true;
  add_node(story()).fake.ignores_inventory = true;
  send_alone(payment());
  EXPECT_EQ(last().state, State::Uncertain);
  EXPECT_TRUE(last().final);
  EXPECT_TRUE(was_told(sim().node(0)) && was_told(sim().node(1))) << "after the first did not fetch it";
  EXPECT_GE(sim().elapsed(), seconds(30));
  EXPECT_LT(sim().elapsed(), seconds(35));
}

TEST_F(Broadcasting, WithoutAnyPeerItIsUncertainAndTheSessionFails) {
  add_node(story()).reachable = false;
  send_alone(payment());
  EXPECT_EQ(last().state, State::Uncertain);
  EXPECT_TRUE(last().final);
  EXPECT_TRUE(sim().finished()->failure.has_value());
}

TEST_F(Broadcasting, ATransactionThatTheOnlyPeerHasIsAccepted) {
  const auto tx = payment();
  add_node(story()).fake.add_to_mempool(tx);
  send_alone(tx);
  EXPECT_EQ(last().state, State::Accepted);
  EXPECT_EQ(sent(sim().node(0)), 0U);
  EXPECT_LT(sim().elapsed(), seconds(15));
}

TEST_F(Broadcasting, WhereThePeerIsLostBeforeItFetchedAnotherIsTold) {
  const auto hang_up = [](Reply& reply) {
    const auto is_request = [](const p2p::Message& m) { return std::holds_alternative<p2p::GetData>(m); };
    if (std::ranges::any_of(reply.messages, is_request)) reply = {.messages = {}, .closed = true};
  };
  add_node(story()).fake.add_fault(hang_up);
  auto& plain = add_node(story());
  sim().options.seed = 3;
  const auto tx = payment();
  send_alone(tx);
  EXPECT_EQ(plain.fake.seen.transactions, std::vector{tx});
  EXPECT_EQ(last().state, State::Fetched);
  EXPECT_EQ(last().fetched_by, std::vector<std::string>{"node1:1"});
}

TEST_F(Broadcasting, APeerThatAsksTwiceOrForOtherTransactionsGetsNothing) {
  const auto own = coin();
  const auto greedy = [&](Reply& reply) {
    for (auto& message : reply.messages) {
      auto* request = std::get_if<p2p::GetData>(&message);
      if (request == nullptr) continue;
      request->items.insert(request->items.begin(), {p2p::InventoryType::Tx, util::retag<util::Hash256>(own.txid())});
      request->items.push_back(request->items.back());
    }
  };
  auto& node = add_node(story());
  node.fake.add_fault(greedy);
  const auto tx = payment();
  send_alone(tx);
  EXPECT_EQ(node.fake.seen.transactions, std::vector{tx});
}

TEST_F(Broadcasting, ParentsThatWaitForABlockGoFirst) {
  auto& node = add_node(story());
  const auto parent = TxBuilder(7).spends(coin()).witness(util::Bytes{1}).pays(change(0), 900).build();
  const auto child = TxBuilder(8).spends(parent).witness(util::Bytes{2}).pays(stranger(), 800).build();
  send_alone(child, {parent});
  EXPECT_EQ(node.fake.seen.transactions, (std::vector{parent, child}));
  EXPECT_EQ(last().txid, child.txid());
}

TEST_F(Broadcasting, P6_BesideASyncANodeWithoutOurFilterIsToldAndTheOthersEcho) {
  add_node(story());
  auto& plain = add_node(story(), kNoFilters);
  pass_on(1, 0);
  const auto tx = payment();
  sim().options.errands.broadcasts = {{tx, {}}};
  sync();
  EXPECT_EQ(last().state, State::Accepted);
  EXPECT_EQ(plain.fake.seen.transactions, std::vector{tx});
  EXPECT_FALSE(was_told(sim().node(0))) << "who has our filter learns nothing of it";
  EXPECT_TRUE(plain.fake.seen.filter_loads.empty());
  EXPECT_EQ(difference(), "");
}

TEST_F(Broadcasting, WhileFollowingABlockConfirmsIt) {
  options.follow = true;
  add_node(story()).fake.ignores_inventory = true;
  sync();
  const auto tx = payment();
  sim().request_broadcast({tx, {}});
  sim().run_for(seconds(2));
  EXPECT_EQ(last().state, State::Announced);
  sim().mine(0, {tx});
  sim().run_for(seconds(5));
  EXPECT_EQ(last().state, State::Confirmed);
  EXPECT_TRUE(last().final);
}

TEST_F(Broadcasting, EverySyncTellsOwnTransactionsThatNoPeerAnnounced) {
  options.mempool_wait = seconds(10);
  auto& node = add_node(story());
  const auto tx = payment();
  node.fake.add_to_mempool(tx);
  sync();
  ASSERT_EQ(status(tx), wallet::TxStatus::Unconfirmed);
  EXPECT_FALSE(was_told(node)) << "the peer has it";
  node.fake.remove_from_mempool(tx.txid());
  sync();
  EXPECT_EQ(node.fake.seen.transactions, std::vector{tx});
  EXPECT_EQ(last().state, State::Fetched);
  const auto times = node.fake.seen.announced.size();
  EXPECT_EQ(times, 1U);
  sync();
  EXPECT_EQ(node.fake.seen.announced.size(), times) << "it has it again";
}

TEST_F(Broadcasting, AFollowerTellsOwnTransactionsThatNoPeerAnnouncedWithoutABlock) {
  options.mempool_wait = seconds(10);
  auto& node = add_node(story());
  const auto tx = payment();
  node.fake.add_to_mempool(tx);
  sync();
  node.fake.remove_from_mempool(tx.txid());
  restart();
  sim().options.follow = true;
  sync();
  sim().run_for(std::chrono::minutes(1));
  EXPECT_EQ(node.fake.seen.transactions, std::vector{tx});
}

}  // namespace
}  // namespace spv::test
