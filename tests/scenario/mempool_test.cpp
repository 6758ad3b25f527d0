// Unconfirmed transactions: the mempool's answer, what follows, and the events of --follow.
#include <algorithm>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class Mempool : public SyncScenario {
 protected:
  Mempool() { options.mempool_wait = seconds(10); }
};

TEST_F(Mempool, AnUnconfirmedPaymentIsSeen) {
  auto& node = add_node(ChainBuilder().blocks(5).pays(receive(1), 10).blocks(5));
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(0), 700).build());
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 10, .unconfirmed = 700, .immature = 0}));
  EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::Answered);
  EXPECT_LT(sim().elapsed(), seconds(10));
  EXPECT_EQ(difference(), "");
}

// Which addresses are ours is known only when the chain is read; a whole mempool is more than can be kept until then.
TEST_F(Mempool, APaymentToAnAddressThatTheScanBringsIsSeenAmongManyOthers) {
  options.gap_limit = 2;
  options.source.mode = sync::SourceMode::Blocks;
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 60; ++i) chain.pays(receive(i), 10).blocks(3);
  auto& node = add_node(std::move(chain));
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(60), 700).build());
  for (std::uint64_t i = 2; i < 300; ++i)
    node.fake.add_to_mempool(TxBuilder(i).pays(p2wpkh(util::Bytes(20, 9)), 1).build());
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 600, .unconfirmed = 700, .immature = 0}));
  EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::Answered);
}

TEST_F(Mempool, WithoutAWaitItIsNotAskedFor) {
  options.mempool_wait = seconds(0);
  auto& node = add_node(ChainBuilder().blocks(5));
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(0), 700).build());
  sync();
  EXPECT_EQ(node.fake.seen.mempool_requests, 0U);
  EXPECT_EQ(balance().total(), 0);
  EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::Skipped);
  EXPECT_LT(sim().elapsed(), seconds(1));
}

TEST_F(Mempool, LooseTransactionsAreSilencedOnlyWhereNobodyWantsThem) {
  add_node(ChainBuilder().blocks(5));
  sync();
  EXPECT_EQ(sim().connection(0)->fee_filter(), 0) << "nothing holds back the mempool's answer";
  start_anew(2);
  options.mempool_wait = seconds(0);
  add_node(ChainBuilder().blocks(5));
  sync();
  EXPECT_EQ(sim().connection(0)->fee_filter(), chain::kMaxMoney) << "so that the peer's filter is ours to compute";
}

TEST_F(Mempool, WithoutAnAnswerTheWaitRunsOut) {
  add_node(ChainBuilder().blocks(5));
  sync();
  EXPECT_EQ(sim().engine().mempool(), sync::MempoolState::TimedOut);
  EXPECT_GE(sim().elapsed(), seconds(10));
  EXPECT_LT(sim().elapsed(), seconds(12));
}

TEST_F(Mempool, AChildBeforeItsParentIsSeen) {
  const auto parent = TxBuilder(1).pays(receive(0), 700).build();
  const auto child = TxBuilder(2).spends(parent).pays(change(0), 600).build();
  auto& node = add_node(ChainBuilder().blocks(5));
  node.fake.add_to_mempool(child);
  node.fake.add_to_mempool(parent);
  sync();
  EXPECT_EQ(balance().unconfirmed, 600);
  EXPECT_EQ(sim().wallet().history().size(), 2U);
}

TEST_F(Mempool, AnUnconfirmedSpendOfACoinThatTheScanFindsIsSeen) {
  options.spacing = milliseconds(60);  // the scan takes longer than the mempool's answer
  const auto coin = TxBuilder(1).pays(receive(0), 700).build();
  auto& node = add_node(ChainBuilder().blocks(300).block({coin}).blocks(5));
  node.fake.add_to_mempool(TxBuilder(2).spends(coin).pays(stranger(), 600).build());
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 700, .unconfirmed = -700, .immature = 0}));
}

TEST_F(Mempool, AnUnconfirmedPaymentIsConfirmedByALaterSync) {
  auto& node = add_node(ChainBuilder().blocks(5));
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(0), 700).build());
  sync();
  EXPECT_EQ(balance().unconfirmed, 700);
  restart();
  node.fake.mine_mempool();
  sync();
  EXPECT_EQ(balance(), (wallet::Balance{.confirmed = 700, .unconfirmed = 0, .immature = 0}));
  EXPECT_EQ(difference(), "");
}

TEST_F(Mempool, ADoubleSpendThatPaysSomeoneElseMakesThePaymentConflicted) {
  const chain::OutPoint foreign{TxBuilder(50).build().txid(), 0};
  const auto payment = TxBuilder(1).spends(foreign).pays(receive(0), 700).build();
  const auto rival = TxBuilder(2).spends(foreign).pays(stranger(), 650).build();
  auto& node = add_node(ChainBuilder().blocks(5));
  node.fake.add_to_mempool(payment);
  sync();
  EXPECT_EQ(balance().unconfirmed, 700);
  restart();
  node.fake.remove_from_mempool(payment.txid());
  sim().mine(0, {rival});
  sync();
  EXPECT_EQ(balance().total(), 0);
  EXPECT_EQ(status(payment), wallet::TxStatus::Conflicted);
  ASSERT_EQ(events<sync::TransactionConflicted>().size(), 1U);
  EXPECT_EQ(events<sync::TransactionConflicted>()[0].txid, payment.txid());
}

class Follow : public Mempool {
 protected:
  Follow() { options.follow = true; }
};

TEST_F(Follow, ANewBlockIsToldWithinASecond) {
  add_node(ChainBuilder().blocks(5));
  sync();
  sim().mine(0, {TxBuilder(1).pays(receive(0), 700).build()});
  sim().run_for(seconds(1));
  EXPECT_EQ(balance().confirmed, 700);
  EXPECT_EQ(difference(), "");
  const auto tips = events<sync::TipChanged>();
  ASSERT_EQ(tips.size(), 2U);
  EXPECT_EQ(tips[1].tip, sim().node(0).fake.chain().tip());
  ASSERT_EQ(events<sync::TransactionSeen>().size(), 1U);
  EXPECT_EQ(events<sync::TransactionSeen>()[0].height, 6);
  EXPECT_EQ(events<sync::TransactionSeen>()[0].net, 700);
}

TEST_F(Follow, APaymentIsToldUnconfirmedAndThenConfirmed) {
  auto& node = add_node(ChainBuilder().blocks(5));
  sync();
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(0), 700).build());
  sim().run_for(seconds(20));
  ASSERT_EQ(events<sync::TransactionSeen>().size(), 1U);
  EXPECT_FALSE(events<sync::TransactionSeen>()[0].height.has_value());
  EXPECT_EQ(balance().unconfirmed, 700);
  node.fake.mine_mempool();
  sim().set_chain(0, node.fake.chain());
  sim().run_for(seconds(5));
  ASSERT_EQ(events<sync::TransactionSeen>().size(), 2U);
  EXPECT_EQ(events<sync::TransactionSeen>()[1].height, 6);
  EXPECT_EQ(balance().confirmed, 700);
}

TEST_F(Follow, AReplacedPaymentIsTold) {
  const chain::OutPoint foreign{TxBuilder(50).build().txid(), 0};
  const auto payment = TxBuilder(1).spends(foreign).pays(receive(0), 700).build();
  const auto rival = TxBuilder(2).spends(foreign).pays(stranger(), 650).build();
  auto& node = add_node(ChainBuilder().blocks(5));
  sync();
  node.fake.add_to_mempool(payment);
  sim().run_for(seconds(20));
  EXPECT_EQ(balance().unconfirmed, 700);
  node.fake.remove_from_mempool(payment.txid());
  sim().mine(0, {rival});
  sim().run_for(seconds(5));
  EXPECT_EQ(balance().total(), 0);
  ASSERT_EQ(events<sync::TransactionConflicted>().size(), 1U);
  EXPECT_EQ(events<sync::TransactionConflicted>()[0].replaced_by, rival.txid());
  const auto seen = events<sync::TransactionSeen>();
  ASSERT_EQ(seen.size(), 1U) << "the rival is a stranger's";
  EXPECT_EQ(seen[0].txid, payment.txid());
  EXPECT_EQ(difference(), "") << "and is committed all the same";
}

TEST_F(Follow, APaymentThatAReorganisationUndoesIsToldOnceAndAgainWhenItIsMined) {
  const auto payment = TxBuilder(1).pays(receive(0), 700).build();
  const auto chain = ChainBuilder().blocks(5).block({payment}).blocks(1);
  add_node(chain);
  sync();
  sim().on_event = [&](const sync::Event& event) {
    const auto* seen = std::get_if<sync::TransactionSeen>(&event);
    if (seen == nullptr || seen->height) return;
    EXPECT_FALSE(sim().committed().transactions.at(0).confirmation) << "committed before it is told";
  };
  sim().set_chain(0, chain.at_height(5).blocks(3));
  sim().run_for(seconds(5));
  auto seen = events<sync::TransactionSeen>();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].height, 6);
  EXPECT_FALSE(seen[0].unconfirmed_again);
  EXPECT_EQ(seen[1].txid, payment.txid());
  EXPECT_EQ(seen[1].net, 700);
  EXPECT_FALSE(seen[1].height);
  EXPECT_TRUE(seen[1].unconfirmed_again);
  sim().mine(0, {payment});
  sim().run_for(seconds(5));
  seen = events<sync::TransactionSeen>();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[2].height, 9);
  EXPECT_FALSE(seen[2].unconfirmed_again);
}

TEST_F(Follow, CommitsComeBeforeWhatIsTold) {
  auto& node = add_node(ChainBuilder().blocks(5));
  sync();
  node.fake.add_to_mempool(TxBuilder(1).pays(receive(0), 700).build());
  sim().on_event = [&](const sync::Event& event) {
    const auto* seen = std::get_if<sync::TransactionSeen>(&event);
    if (seen == nullptr) return;
    const auto& held = sim().committed().transactions;
    EXPECT_TRUE(std::any_of(held.begin(), held.end(), [&](const auto& r) { return r.txid == seen->txid; }));
  };
  sim().run_for(seconds(20));
  sim().mine(0, {TxBuilder(3).pays(receive(1), 5).build()});
  sim().run_for(seconds(5));
  EXPECT_EQ(events<sync::TransactionSeen>().size(), 2U);
}

}  // namespace
}  // namespace spv::test
