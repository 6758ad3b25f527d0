// Peers that lie. Each is alone or comes first; an honest one follows where the sync can still succeed.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class Hostile : public SyncScenario {
 protected:
  /// A liar first; an honest node can be reached a little later.
  void with_liar(const Tamper& fault) { with_liar(sim(), fault); }
  void with_liar(Simulation& sim, const Tamper& fault) {
    sim.add_node(story()).fake.add_fault(fault);
    sim.add_node(story()).reachable = false;
    sim.after(milliseconds(900), [&sim] { sim.node(1).reachable = true; });
  }
  ChainBuilder story() {
    return ChainBuilder().blocks(30).block(payments()).blocks(30).pays(receive(9), 1'000).blocks(10);
  }
  std::vector<chain::Transaction> payments() {
    std::vector<chain::Transaction> txs;
    for (std::uint32_t i = 0; i < 4; ++i) txs.push_back(TxBuilder(i).pays(receive(i), 10 + i).build());
    return txs;
  }
};

TEST_F(Hostile, M10_EveryTransactionLeftOutIsNoticed) {
  for (int n = 0; n < 4; ++n) {
    Simulation sim({.seed = 3, .gap_limit = 10});
    with_liar(sim, faults::drop_nth_tx(n));
    ASSERT_TRUE(sim.run_until_finished());
    EXPECT_THAT(sim.disconnects(), testing::ElementsAre(Reason::MissingTransaction));
    EXPECT_EQ(compare_with_chain(sim.wallet(), sim.committed(), story()), "") << n;
  }
}

TEST_F(Hostile, M10_ATransactionLeftOutByTheOnlyPeerIsNeverPassedOver) {
  add_node(story()).fake.add_fault(faults::drop_tx(payments()[1].txid()));
  sync_fails(sync::Failure::Code::NoPeers);
  EXPECT_EQ(sim().committed().scan.scanned_to.height, 30);
}

TEST_F(Hostile, M10_ATransactionSeenBeforeItsBlockNeedNotComeAgain) {
  options.mempool_wait = seconds(10);
  options.follow = true;
  const auto tx = TxBuilder(1).pays(receive(0), 5).build();
  auto& node = add_node(ChainBuilder().blocks(5));
  node.fake.add_to_mempool(tx);
  sync();
  ASSERT_EQ(status(tx), wallet::TxStatus::Unconfirmed);
  node.fake.add_fault(faults::drop_tx(tx.txid()));
  sim().mine(0, {tx});
  sim().run_for(seconds(20));
  EXPECT_EQ(balance().confirmed, 5);
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, M6_AForgedProofConfirmsNothing) {
  with_liar(faults::forged_proof());
  sync();
  EXPECT_THAT(sim().disconnects(), testing::ElementsAre(Reason::BadProof));
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, M12_BlocksOfAnotherChainConfirmNothing) {
  with_liar(faults::wrong_header());
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, M9_ASlippedInTransactionIsNeverConfirmed) {
  const auto slipped = TxBuilder(77).pays(receive(0), 999'999).build();
  add_node(story()).fake.add_fault(faults::slip_in(slipped));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_NE(status(slipped), wallet::TxStatus::Confirmed);
}

TEST_F(Hostile, M11_RepeatedMessagesConverge) {
  add_node(story()).fake.add_fault(faults::repeat());
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, M11_TransactionsBeforeTheirBlocksConverge) {
  add_node(story()).fake.add_fault(faults::transactions_first());
  sync();
  EXPECT_EQ(difference(), "");
}

/// What follows a merkleblock of three transactions comes in this order, with a ping and an announcement among it.
Tamper reorder(std::array<int, 5> order) {
  return [order](Reply& reply) {
    auto& all = reply.messages;
    const auto is_tx = [](const p2p::Message& message) { return std::holds_alternative<p2p::Tx>(message); };
    const auto first = std::ranges::find_if(all, is_tx);
    if (std::distance(first, std::find_if_not(first, all.end(), is_tx)) != 3) return;
    Messages found(first, first + 3);
    found.emplace_back(p2p::Ping{5});
    p2p::Inv announced;
    announced.items.push_back({p2p::InventoryType::Tx, util::Hash256{}});
    found.emplace_back(announced);
    const auto at = std::distance(all.begin(), first);
    all.erase(first, first + 3);
    for (std::size_t i = 0; i < order.size(); ++i) {
      all.insert(all.begin() + at + static_cast<std::ptrdiff_t>(i), found[static_cast<std::size_t>(order[i])]);
    }
  };
}

TEST_F(Hostile, M11_EveryOrderOfThreeTransactionsAPingAndAnAnnouncementConverges) {
  options.gap_limit = 4;  // few keys to derive, 120 times
  std::vector<chain::Transaction> three = payments();
  three.pop_back();
  const auto chain = ChainBuilder().blocks(3).block(three).blocks(2);
  std::array<int, 5> order{0, 1, 2, 3, 4};
  do {
    start_anew(1);
    add_node(chain).fake.add_fault(reorder(order));
    sync();
    ASSERT_EQ(difference(chain), "") << testing::PrintToString(order);
    ASSERT_TRUE(sim().disconnects().empty());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Hostile, APeerThatNeverAnswersAPingIsLeft) {
  with_liar(faults::no_pong());
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, R7_AFloodOfUnrelatedTransactionsEndsTheConnection) {
  with_liar([](Reply& reply) {
    Messages flood;
    for (std::uint64_t i = 0; i < 20; ++i) flood.emplace_back(p2p::Tx{TxBuilder(5'000 + i).build()});
    reply.messages.insert(reply.messages.end(), flood.begin(), flood.end());
  });
  sync();
  EXPECT_TRUE(dropped(Reason::UnmatchedTransactions));
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, R6_AFloodOfAnnouncementsIsBounded) {
  options.mempool_wait = seconds(10);
  auto& node = add_node(story());
  node.fake.add_fault([sent = false](Reply& reply) mutable {
    if (sent || reply.messages.empty() || !std::holds_alternative<p2p::Pong>(reply.messages.back())) return;
    sent = true;
    util::Rng rng(5);
    p2p::Inv inv;
    for (int i = 0; i < 50'000; ++i) {
      util::Hash256 hash;
      const auto bytes = rng.bytes(32);
      std::copy(bytes.begin(), bytes.end(), hash.bytes.begin());
      inv.items.push_back({p2p::InventoryType::Tx, hash});
    }
    reply.messages.emplace_back(std::move(inv));
  });
  sync();
  EXPECT_EQ(difference(), "");
  for (const auto size : node.fake.seen.getdata_sizes) EXPECT_LE(size, 500U);
}

TEST_F(Hostile, H12_HeadersThatConnectToNothingAreAskedForOnceMore) {
  with_liar([](Reply& reply) {
    for (auto& message : reply.messages) {
      auto* headers = std::get_if<p2p::Headers>(&message);
      if (headers != nullptr && headers->headers.size() > 2) headers->headers.erase(headers->headers.begin());
    }
  });
  sync();
  EXPECT_THAT(sim().disconnects(), testing::ElementsAre(Reason::UnconnectedHeaders));
  EXPECT_LE(sim().node(0).fake.seen.headers_requests, 3U);
  EXPECT_EQ(difference(), "");
}

TEST_F(Hostile, H13_TheSameHeadersAgainAndAgainEnd) {
  auto& node = add_node(ChainBuilder().blocks(2'100));
  auto first = node.fake.chain().headers(1, p2p::kMaxHeaders);
  node.fake.add_fault([first](Reply& reply) {
    for (auto& message : reply.messages) {
      if (auto* headers = std::get_if<p2p::Headers>(&message)) headers->headers = first;
    }
  });
  sync();
  EXPECT_LE(node.fake.seen.headers_requests, 6U);
  EXPECT_EQ(sim().headers().height(), 2'000);
}

TEST_F(Hostile, TheLiarIsBannedAndNotAskedAgain) {
  with_liar(faults::forged_proof());
  sync();
  EXPECT_EQ(sim().node(0).fake.seen.connections, 1U);
  const auto peers = sim().engine().peers();
  ASSERT_EQ(peers.size(), 2U);
  EXPECT_TRUE(peers[0].banned);
  EXPECT_FALSE(peers[1].banned);
}

}  // namespace
}  // namespace spv::test
