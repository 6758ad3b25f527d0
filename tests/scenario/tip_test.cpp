// At the tip: own transactions told again (P6), a tip that grows stale (E4), payments that only some peers tell of
// (E7).
#include <algorithm>

#include "sync/relay/rebroadcast.h"
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

constexpr std::uint64_t kPlain = p2p::services::kNetwork | p2p::services::kWitness;
constexpr std::uint64_t kGood = FakeNode::kDefaultServices;

class Rebroadcasting : public SyncScenario {
 protected:
  Rebroadcasting() {
    options.follow = true;
    options.mempool_wait = seconds(10);
  }
  /// A chain with a coin of ours, and our own payment of it to somebody.
  ChainBuilder story() { return ChainBuilder().blocks(5).block({coin()}).blocks(3); }
  chain::Transaction payment(std::uint64_t number = 7) {
    return TxBuilder(number).spends(coin()).witness(util::Bytes{1}).pays(stranger(), 900).build();
  }
  /// The wallet knows the payment from the mempool of node 0, which then forgets it.
  void learn_and_lose(const chain::Transaction& tx) {
    auto& node = sim().node(0);
    node.fake.add_to_mempool(tx);
    sync();
    sim().run_for(seconds(10));
    ASSERT_EQ(status(tx), wallet::TxStatus::Unconfirmed);
    node.fake.remove_from_mempool(tx.txid());
  }
  void mine_everywhere() {
    sim().mine(0);
    for (std::size_t i = 1; i < sim().nodes(); ++i) sim().set_chain(i, sim().node(0).fake.chain());
  }
  static bool was_sent(const SimulatedNode& node, const chain::Transaction& tx) {
    return std::ranges::any_of(node.fake.seen.transactions, [&](const auto& sent) { return sent == tx; });
  }

  chain::Transaction coin() { return TxBuilder(1).pays(receive(0), 1'000).build(); }
};

TEST_F(Rebroadcasting, P6_AnOwnTransactionThatABlockPassedByIsToldToANodeWithoutOurFilter) {
  auto& served = add_node(story());
  auto& plain = add_node(story(), kPlain);
  const auto tx = payment();
  learn_and_lose(tx);
  sim().run_for(std::chrono::minutes(5));
  EXPECT_FALSE(was_sent(plain, tx)) << "no block has passed it by yet";
  mine_everywhere();
  sim().run_for(sync::Rebroadcast::kLongestDelay + seconds(5));
  EXPECT_TRUE(was_sent(plain, tx)) << "with its witness, within 30 seconds";
  EXPECT_FALSE(was_sent(served, tx)) << "who has our filter learns nothing of it";
  EXPECT_TRUE(plain.fake.seen.filter_loads.empty());
  sim().run_for(sync::Rebroadcast::kFetchTime + seconds(1));
  EXPECT_EQ(sim().open_connections(), 1U) << "it is left as soon as it had time to fetch it";
}

TEST_F(Rebroadcasting, P6_ItIsToldOnceInHalfADayUntilItIsConfirmed) {
  options.mempool_wait = seconds(3);
  add_node(story());
  auto& plain = add_node(story(), kPlain);
  const auto tx = payment();
  learn_and_lose(tx);
  plain.fake.refuses_transactions = true;
  for (int hour = 0; hour < 11; ++hour) {
    mine_everywhere();
    sim().run_for(std::chrono::hours(1));
  }
  EXPECT_EQ(plain.fake.seen.transactions.size(), 1U);
  sim().run_for(std::chrono::hours(24));
  const auto told = plain.fake.seen.transactions.size();
  EXPECT_GE(told, 2U);
  sim().mine(0, {tx});
  sim().run_for(std::chrono::hours(48));
  EXPECT_EQ(plain.fake.seen.transactions.size(), told);
}

TEST_F(Rebroadcasting, P6_SeveralAreToldOneByOneAndParentsFirst) {
  add_node(story());
  auto& plain = add_node(story(), kPlain);
  const auto parent = TxBuilder(7).spends(coin()).witness(util::Bytes{1}).pays(change(0), 900).build();
  const auto child = TxBuilder(8).spends(parent).witness(util::Bytes{2}).pays(stranger(), 800).build();
  sim().node(0).fake.add_to_mempool(parent);
  learn_and_lose(child);
  sim().node(0).fake.remove_from_mempool(parent.txid());
  mine_everywhere();
  const auto before = plain.fake.seen.connections;
  sim().run_for(std::chrono::minutes(5));
  EXPECT_EQ(plain.fake.seen.connections, before + 2) << "no two on one connection";
  EXPECT_EQ(plain.fake.seen.transactions, (std::vector{parent, child}));
}

TEST_F(Rebroadcasting, P6_OfABookAStrangerIsTold) {
  p2p::AddressBook book;
  util::Rng rng(1);
  options.book = &book;
  options.wanted = 2;
  const auto story_chain = story();
  for (std::size_t i = 0; i < 6; ++i) {
    add_node(story_chain, i < 3 ? kGood : kPlain);
    book.add(Simulation::address_of(i), kGood, p2p::Origin::Seed, "seed", 1'700'000'000, rng);
  }
  const auto tx = payment();
  for (std::size_t i = 0; i < 6; ++i) sim().node(i).fake.add_to_mempool(tx);
  sync();
  sim().run_for(seconds(20));
  ASSERT_EQ(status(tx), wallet::TxStatus::Unconfirmed);
  for (std::size_t i = 0; i < 6; ++i) sim().node(i).fake.remove_from_mempool(tx.txid());
  mine_everywhere();
  sim().run_for(std::chrono::minutes(3));
  std::size_t told = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!was_sent(sim().node(i), tx)) continue;
    ++told;
    EXPECT_TRUE(sim().node(i).fake.seen.filter_loads.empty()) << "node " << i;
  }
  EXPECT_EQ(told, 1U);
}

TEST_F(Rebroadcasting, TheOnlyNodeThatTheUserNamedIsToldToo) {
  auto& node = add_node(story());
  const auto tx = payment();
  learn_and_lose(tx);
  mine_everywhere();
  sim().run_for(std::chrono::minutes(1));
  EXPECT_TRUE(was_sent(node, tx));
}

TEST_F(Rebroadcasting, ByWholeBlocksItIsToldToANodeThatDoesNotHaveIt) {
  options.source.mode = sync::SourceMode::Blocks;
  auto& knows = add_node(story());
  std::vector<SimulatedNode*> others{&add_node(story(), kPlain), &add_node(story(), kPlain)};
  const auto tx = payment();
  knows.fake.add_to_mempool(tx);
  sync();
  sim().run_for(seconds(20));
  ASSERT_EQ(status(tx), wallet::TxStatus::Unconfirmed);
  mine_everywhere();
  sim().run_for(sync::Rebroadcast::kLongestDelay + seconds(5));
  EXPECT_FALSE(was_sent(knows, tx));
  EXPECT_EQ(std::ranges::count_if(others, [&](const auto* node) { return was_sent(*node, tx); }), 1);
}

TEST_F(Rebroadcasting, WhereTheNodeThatWasToldDoesNotFetchItAnotherIsTold) {
  options.source.mode = sync::SourceMode::Blocks;
  std::vector<SimulatedNode*> nodes{&add_node(story()), &add_node(story())};
  const auto tx = payment();
  learn_and_lose(tx);
  // Which one is told first is left to chance: the first to ask loses its question.
  bool deaf = true;
  std::size_t told = 0;
  for (auto* node : nodes) {
    node->fake.add_fault([&](Reply& reply) {
      const auto asks = [](const p2p::Message& message) { return std::holds_alternative<p2p::GetData>(message); };
      if (std::ranges::none_of(reply.messages, asks)) return;
      ++told;
      if (std::exchange(deaf, false)) std::erase_if(reply.messages, asks);
    });
  }
  mine_everywhere();
  sim().run_for(2 * sync::Rebroadcast::kLongestDelay + sync::Rebroadcast::kFetchTime + seconds(5));
  EXPECT_EQ(told, 2U);
  EXPECT_EQ(std::ranges::count_if(nodes, [&](const auto* node) { return was_sent(*node, tx); }), 1);
}

TEST_F(Rebroadcasting, P6_WhatIsNotOursOrWasNotAnnouncedIsNeverSent) {
  auto& node = add_node(story());
  add_node(story(), kPlain);
  const auto incoming = TxBuilder(9).pays(receive(3), 50).build();
  const auto own = payment();
  node.fake.add_to_mempool(own);
  // Asks for all that it could guess, with every answer.
  node.fake.add_fault([&](Reply& reply) {
    p2p::GetData guess;
    const std::vector<chain::Transaction> known{incoming, own, coin()};
    for (const auto& tx : known) {
      guess.items.push_back({p2p::InventoryType::WitnessTx, util::retag<util::Hash256>(tx.txid())});
    }
    if (!reply.messages.empty() && std::holds_alternative<p2p::Pong>(reply.messages.back())) {
      reply.messages.emplace_back(guess);
    }
  });
  learn_and_lose(incoming);
  mine_everywhere();
  sim().run_for(std::chrono::minutes(5));
  EXPECT_TRUE(node.fake.seen.transactions.empty());
  EXPECT_FALSE(was_sent(sim().node(1), incoming));
}

class Stale : public SyncScenario {
 protected:
  Stale() { options.follow = true; }
};

TEST_F(Stale, E4_PeersThatAreAllStuckAtOneTipAreReplacedWithin90Minutes) {
  p2p::AddressBook book;
  util::Rng rng(1);
  options.book = &book;
  options.wanted = 2;
  const auto old = ChainBuilder().blocks(20);
  for (std::size_t i = 0; i < 2; ++i) {
    add_node(old);
    book.add(Simulation::address_of(i), kGood, p2p::Origin::Seed, "seed", 1'700'000'000, rng);
  }
  sync();
  // The network goes on without them.
  const auto longer = ChainBuilder(old).pays(receive(0), 5).blocks(3);
  for (std::size_t i = 2; i < 4; ++i) {
    add_node(longer);
    book.add(Simulation::address_of(i), kGood, p2p::Origin::Seed, "other", 1'700'000'000, rng);
  }
  sim().run_for(std::chrono::minutes(89));
  EXPECT_TRUE(events<sync::ChainStale>().empty());
  EXPECT_EQ(balance().confirmed, 0);
  sim().run_for(std::chrono::minutes(3));
  ASSERT_EQ(events<sync::ChainStale>().size(), 1U);
  EXPECT_EQ(events<sync::ChainStale>()[0].tip.height, 20);
  EXPECT_EQ(balance().confirmed, 5);
  EXPECT_EQ(difference(longer), "");
}

TEST_F(Stale, E4_InADayWithoutABlockItIsTold16TimesAndNobodyIsBlamed) {
  add_node(ChainBuilder().blocks(20));
  sync();
  sim().run_for(std::chrono::hours(24));
  EXPECT_EQ(events<sync::ChainStale>().size(), 16U);
  EXPECT_TRUE(sim().disconnects().empty()) << "the user named this one, and no other";
  EXPECT_LT(sim().ticks(), 5'000U);
}

TEST_F(Stale, E4_NewBlocksKeepItQuiet) {
  add_node(ChainBuilder().blocks(20));
  sync();
  for (int i = 0; i < 24; ++i) {
    sim().run_for(std::chrono::minutes(60));
    sim().mine(0);
  }
  EXPECT_TRUE(events<sync::ChainStale>().empty());
}

class SilentMempools : public SyncScenario {
 protected:
  SilentMempools() { options.mempool_wait = seconds(20); }
};

TEST_F(SilentMempools, E7_APaymentThatOneOfFourPeersTellsOfIsSeenAndCountedAsOne) {
  const auto tx = TxBuilder(1).pays(receive(0), 700).build();
  for (std::size_t honest = 0; honest < 4; ++honest) {
    SCOPED_TRACE(honest);
    start_anew(honest + 1);
    for (std::size_t i = 0; i < 4; ++i) {
      auto& node = add_node(ChainBuilder().blocks(20));
      node.fake.add_to_mempool(tx);
      if (i != honest) node.fake.omit_tx(tx.txid());
    }
    sync();
    EXPECT_EQ(balance().unconfirmed, 700);
    EXPECT_EQ(sim().engine().announcers(tx.txid()), 1U);
    EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::TimedOut) << "three have not answered";
  }
}

TEST_F(SilentMempools, E7_WhoTellsOfAPaymentIsCounted) {
  const auto tx = TxBuilder(1).pays(receive(0), 700).build();
  for (std::size_t i = 0; i < 4; ++i) add_node(ChainBuilder().blocks(20)).fake.add_to_mempool(tx);
  sync();
  EXPECT_EQ(sim().engine().announcers(tx.txid()), 4U);
  EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::Answered);
}

TEST_F(SilentMempools, E7_WhoAnnouncesButNeverDeliversDoesNotHideAPayment) {
  options.mempool_wait = seconds(60);
  const auto tx = TxBuilder(1).pays(receive(0), 700).build();
  for (std::size_t i = 0; i < 3; ++i) {
    auto& node = add_node(ChainBuilder().blocks(20));
    node.fake.add_to_mempool(tx);
    if (i < 2) node.fake.add_fault(faults::drop_tx(tx.txid()));
  }
  sync();
  EXPECT_EQ(balance().unconfirmed, 700);
}

}  // namespace
}  // namespace spv::test
