// The scan as a whole, and its invariant: a block counts only if it was matched by all that is known below it.
#include "sync/scan/block_scan.h"

#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "sync/watch/wallet_group.h"
#include "tests/support/fake_peer.h"
#include "tests/support/scripts.h"
#include "tests/support/simulation.h"
#include "tests/support/tx_builder.h"
#include "util/overloaded.h"

namespace spv::sync {
namespace {

using test::ChainBuilder;
using test::FakeNode;
using test::FakePeer;
using test::TxBuilder;

/// A scan alone, with a wallet that watches 20 scripts a chain and is born in block 1. Nodes answer at once, but what
/// they say arrives only when a test lets it. Two peers get 16 blocks at a time: the first 1 to 16, the second 17 to
/// 32, and so on in turn.
class BlockScanTest : public testing::Test {
 protected:
  BlockScanTest() { watcher_.add(1, wallet_); }

  void begin(const ChainBuilder& mined, CrossCheckMode check = CrossCheckMode::Off, SourceOptions source = {}) {
    node_ = FakeNode(mined);
    headers_.emplace(params_, store_);
    ASSERT_FALSE(headers_->accept(mined.headers(), now_.wall).error);
    scan_.emplace(*headers_, watcher_, 0.000001, CrossCheck(check, util::Rng(3)), source, util::Rng(5));
    scan_->align(now_, out_);
    carry();
  }
  void add(PeerId peer, FakeNode& node, LaneUse use = {}) {
    links_.emplace(peer, FakePeer(node)).first->second.shake_hands();
    scan_->add_lane(peer, true, use, out_);
    scan_->set_reach(peer, headers_->height());
    carry();
  }
  void add(PeerId peer) { add(peer, node_); }
  void drop(PeerId peer) {
    scan_->remove_lane(peer);
    links_.erase(peer);
    inbox_.erase(peer);
  }
  /// The scan asks whom it wants to, and the nodes answer.
  std::vector<Conviction> ask() {
    auto convicted = scan_->pump(headers_->height(), false, rng_, now_, out_);
    carry();
    return convicted;
  }
  void carry() {
    for (auto& action : out_.take()) {
      if (const auto* send = std::get_if<Send>(&action)) {
        for (auto& message : links_.at(send->peer).handle(send->message).messages) {
          inbox_[send->peer].push_back(std::move(message));
        }
      }
      actions_.push_back(std::move(action));
    }
  }
  /// The next message of this peer arrives.
  ScanStep arrive(PeerId peer) {
    p2p::Message message = std::move(inbox_[peer].front());
    inbox_[peer].pop_front();
    const auto nothing_known = [](const chain::Txid&) { return nullptr; };
    ScanStep step = std::visit(
        util::Overloaded{[&](p2p::MerkleBlock& m) { return scan_->on(peer, m, now_, out_); },
                         [&](const p2p::Block& m) { return scan_->on(peer, m, now_, out_); },
                         [&](const p2p::Pong& m) { return scan_->on(peer, m, nothing_known, now_, out_); },
                         [&](p2p::Tx& m) { return scan_->on(peer, m.transaction, m.transaction.txid(), now_, out_); },
                         [](const auto&) { return ScanStep{}; }},
        message);
    EXPECT_FALSE(step.fault);
    carry();
    return step;
  }
  void arrive_all(PeerId peer) {
    while (!inbox_[peer].empty()) arrive(peer);
  }
  void arrive_until(PeerId peer, chain::Height position) {
    while (scan_->position() != position && !inbox_[peer].empty()) arrive(peer);
    ASSERT_EQ(scan_->position(), position);
  }
  /// Asks and answers until nothing is under way.
  void converse() {
    for (bool busy = true; busy;) {
      ask();
      busy = false;
      for (auto& [peer, link] : links_) {
        busy = busy || !inbox_[peer].empty();
        arrive_all(peer);
      }
    }
  }
  void follow(const ChainBuilder& mined, chain::Height fork) {
    node_.set_chain(mined);
    ASSERT_FALSE(headers_->accept(mined.headers(fork + 1), now_.wall).error);
    ASSERT_EQ(headers_->height(), mined.height());
    scan_->on_reorganised({fork, mined.block(fork).hash}, now_, out_);
    carry();
    for (const auto& [peer, link] : links_) scan_->set_reach(peer, headers_->height());
  }
  [[nodiscard]] util::Bytes receive(std::uint32_t index) const {
    return config_.key_chains[0].descriptor.script_at(index).value();
  }
  [[nodiscard]] const wallet::ScanState& committed() const { return wallet_.scan(); }
  /// How often the node was asked for a filtered block.
  int asked(chain::Height height) { return node_.seen.filtered_blocks[height]; }
  int asked_whole(chain::Height height) { return node_.seen.whole_blocks[height]; }

  /// Block 10 pays us 5,000, and block 20 spends it: a filter without the coin does not match that.
  [[nodiscard]] ChainBuilder coin_and_spend() const {
    return ChainBuilder().blocks(9).block({payment_}).blocks(9).block({spend_}).blocks(20);
  }

  FakeNode node_;
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  std::optional<chain::HeaderChain> headers_;
  wallet::WalletConfig config_ = test::simulation_wallet(2, 1);
  wallet::Wallet wallet_{config_, wallet::Wallet::fresh_state(config_)};
  WalletGroup watcher_{util::Rng(1)};
  Outbox out_;
  std::optional<BlockScan> scan_;
  util::Rng rng_{7};
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 4'000'000'000};
  std::map<PeerId, FakePeer> links_;
  std::map<PeerId, std::deque<p2p::Message>> inbox_;
  std::vector<Action> actions_;
  chain::Transaction payment_ = TxBuilder(1).pays(receive(0), 5'000).build();
  chain::Transaction spend_ = TxBuilder(2).spends(payment_).pays(test::op_true(), 4'000).build();
};

// --- in order -------------------------------------------------------------------------------------------------------

TEST_F(BlockScanTest, OnePeerBringsTheWalletToTheTipBlockByBlock) {
  begin(ChainBuilder().blocks(5));
  add(1);
  EXPECT_FALSE(scan_->done());
  ask();
  for (chain::Height height = 1; height <= 5; ++height) {
    EXPECT_EQ(scan_->position(), height);
    EXPECT_TRUE(arrive(1).applied);
  }
  EXPECT_EQ(scan_->position(), 6);
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(committed().scanned_to, node_.chain().tip());
}

TEST_F(BlockScanTest, WhatASecondPeerSendsEarlyWaitsForWhatLiesBelow) {
  begin(ChainBuilder().blocks(40));
  add(1);
  add(2);
  ask();
  while (!inbox_[2].empty()) EXPECT_FALSE(arrive(2).applied);
  EXPECT_EQ(scan_->position(), 1);
  scan_->flush(now_, out_);
  EXPECT_EQ(committed().scanned_to.height, 0) << "blocks 17 to 32 are here, and do not count";
  arrive_until(1, 16);
  arrive(1);
  EXPECT_EQ(scan_->position(), 33) << "the gap is closed";
  arrive_all(1);
  EXPECT_TRUE(scan_->done());
  for (chain::Height height = 1; height <= 40; ++height) EXPECT_EQ(asked(height), 1) << height;
}

TEST_F(BlockScanTest, ACommitOnTheWayHoldsWhatWasAppliedAndNoMore) {
  begin(ChainBuilder().blocks(40));
  add(1);
  add(2);
  ask();
  arrive_all(2);
  arrive_until(1, 6);
  scan_->flush(now_, out_);
  EXPECT_EQ(committed().scanned_to, (chain::BlockRef{5, node_.chain().block(5).hash}));
  // As another run finds it.
  BlockScan next(*headers_, watcher_, 0.000001, CrossCheck(CrossCheckMode::Off, util::Rng(3)), {}, util::Rng(5));
  EXPECT_EQ(next.position(), 6);
}

TEST_F(BlockScanTest, APaymentIsToldOnlyAfterItsCommit) {
  begin(ChainBuilder().blocks(3).block({payment_}).blocks(3));
  add(1);
  actions_.clear();
  converse();
  std::vector<std::string> order;
  for (const auto& action : actions_) {
    if (const auto* persist = std::get_if<Persist>(&action)) {
      for (const auto& each : persist->wallets)
        order.emplace_back(each.changes.transactions.empty() ? "scan" : "commit");
    }
    if (std::holds_alternative<Notify>(action)) order.emplace_back("told");
  }
  const auto told = std::ranges::find(order, "told");
  ASSERT_NE(told, order.end());
  EXPECT_EQ(std::count(order.begin(), told, "commit"), 1);
  EXPECT_EQ(std::count(told, order.end(), "told"), 1);
  EXPECT_EQ(scan_->counters().relevant, 1U);
}

TEST_F(BlockScanTest, WhatAPeerOwedWhenItLeftIsAskedForElsewhereAndItsAnswersStay) {
  begin(ChainBuilder().blocks(40));
  add(1);
  add(2);
  ask();
  arrive_until(1, 6);
  drop(1);
  EXPECT_FALSE(scan_->has_lane(1));
  EXPECT_TRUE(scan_->can_go_on());
  converse();
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(asked(5), 1);
  EXPECT_EQ(asked(6), 2);
  EXPECT_EQ(asked(17), 1);
}

TEST_F(BlockScanTest, GoesOnOnlyWhereSomebodyHasTheNextBlock) {
  begin(ChainBuilder().blocks(5));
  EXPECT_FALSE(scan_->can_go_on());
  add(1);
  scan_->set_reach(1, 0);
  EXPECT_FALSE(scan_->can_go_on());
  ask();
  EXPECT_EQ(asked(1), 0) << "it has not said that it has the block";
  EXPECT_FALSE(scan_->next_deadline());
  scan_->set_reach(1, 5);
  EXPECT_TRUE(scan_->can_go_on());
  ask();
  EXPECT_TRUE(scan_->deadline(1)) << "its silence would be a fault";
  EXPECT_EQ(scan_->next_deadline(), scan_->deadline(1));
  arrive_all(1);
  EXPECT_FALSE(scan_->deadline(1));
  drop(1);
  EXPECT_TRUE(scan_->can_go_on()) << "there is no next block";
}

// --- coins ----------------------------------------------------------------------------------------------------------

TEST_F(BlockScanTest, UnderOneFilterTheNodeFollowsTheCoinAndNothingIsAskedForTwice) {
  begin(coin_and_spend());
  add(1);
  converse();
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_EQ(scan_->counters().relevant, 2U);
  EXPECT_EQ(scan_->counters().asked_again, 0U);
  EXPECT_TRUE(scan_->done());
}

TEST_F(BlockScanTest, AnswersThatWaitAreRevokedWhenACoinTurnsUpBelowThem) {
  begin(coin_and_spend());
  add(1);
  add(2);
  ask();
  arrive_all(2);  // block 20 came without the spend
  arrive_all(1);
  EXPECT_EQ(wallet_.balance().total(), 5'000);
  EXPECT_EQ(scan_->position(), 17) << "what the second peer sent does not count";
  EXPECT_EQ(scan_->counters().asked_again, 16U);
  converse();
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(asked(20), 2);
  EXPECT_EQ(asked(35), 1) << "the first peer was asked for it after the coin, under the same filter";
}

TEST_F(BlockScanTest, ABlockThatComesLaterUnderTheOldFilterDoesNotCountEither) {
  begin(coin_and_spend());
  add(1);
  add(2);
  ask();
  arrive_all(1);
  ASSERT_EQ(scan_->position(), 17);
  while (!inbox_[2].empty()) EXPECT_FALSE(arrive(2).applied);
  EXPECT_EQ(scan_->position(), 17);
  EXPECT_EQ(wallet_.balance().total(), 5'000);
  const auto filters = node_.seen.filter_loads.size();
  converse();
  EXPECT_GT(node_.seen.filter_loads.size(), filters) << "it is asked for under one that holds the coin";
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_TRUE(scan_->done());
}

TEST_F(BlockScanTest, AWholeBlockIsAskedForAgainOnlyIfItSpendsACoinFoundBelowIt) {
  begin(ChainBuilder().blocks(1).block({payment_}).block({spend_}).blocks(5), CrossCheckMode::Off,
        {.mode = SourceMode::Blocks});
  add(1, node_, {.filtered = false});
  add(2, node_, {.filtered = false});
  ask();  // two at a time: 3 and 4 are the second peer's
  ASSERT_EQ(asked_whole(3), 1);
  arrive_all(2);
  arrive_all(1);
  EXPECT_EQ(scan_->position(), 3);
  EXPECT_EQ(scan_->counters().asked_again, 1U);
  converse();
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_EQ(asked_whole(3), 2);
  EXPECT_EQ(asked_whole(4), 1);
  EXPECT_EQ(asked(3), 0) << "nobody filters";
  EXPECT_EQ(committed().attested.total().whole, 8U) << "no peer need be believed";
}

TEST_F(BlockScanTest, AWholeBlockThatComesAfterTheCoinIsMatchedByIt) {
  begin(ChainBuilder().blocks(1).block({payment_}).block({spend_}).blocks(5), CrossCheckMode::Off,
        {.mode = SourceMode::Blocks});
  add(1, node_, {.filtered = false});
  add(2, node_, {.filtered = false});
  converse();  // the first peer's come first
  EXPECT_EQ(wallet_.balance().total(), 0);
  EXPECT_EQ(asked_whole(3), 1);
}

// --- a second look --------------------------------------------------------------------------------------------------

/// Block 6 uses the last script that is watched, and so widens what is; block 3 pays one that was not watched before.
class WideningScanTest : public BlockScanTest {
 protected:
  WideningScanTest() {
    begin(ChainBuilder().blocks(2).pays(receive(21), 100).blocks(2).pays(receive(19), 7).blocks(4));
    add(1);
  }
};

TEST_F(WideningScanTest, BlocksScannedWithoutTheNewScriptsAreOwed) {
  ask();
  arrive_until(1, 6);
  arrive(1);
  EXPECT_FALSE(scan_->counters().rescans) << "the transaction is still to come";
  arrive(1);
  EXPECT_EQ(scan_->position(), 1);
  EXPECT_EQ(scan_->counters().rescans, 1U);
  EXPECT_EQ(committed().scanned_to.height, 5) << "it does not go back";
  EXPECT_EQ(committed().backfill, (wallet::HeightRange{1, 5}));
  EXPECT_FALSE(scan_->done());
}

TEST_F(WideningScanTest, EveryBlockIsAskedForAgainAndNothingUnderTheOldFilterCounts) {
  ask();
  arrive_all(1);
  EXPECT_EQ(scan_->position(), 1) << "7 to 10 came under the filter that lacks the new scripts";
  EXPECT_EQ(wallet_.balance().total(), 7);
  converse();
  EXPECT_EQ(wallet_.balance().total(), 107);
  for (chain::Height height = 1; height <= 10; ++height) EXPECT_EQ(asked(height), 2) << height;
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(committed().scanned_to, node_.chain().tip());
  EXPECT_FALSE(committed().backfill);
}

TEST_F(WideningScanTest, AnotherRunGoesOnWithWhatIsStillOwed) {
  ask();
  arrive_all(1);
  ask();
  arrive_until(1, 3);
  scan_->flush(now_, out_);
  EXPECT_EQ(committed().scanned_to.height, 5);
  EXPECT_EQ(committed().backfill, (wallet::HeightRange{3, 5}));
  const wallet::WalletState kept{
      .key_chains = {{40, 19, 0}, {20, std::nullopt, 0}}, .transactions = {}, .scan = committed()};
  wallet::Wallet same(config_, kept);
  WalletGroup group(util::Rng(1));
  group.add(1, same);
  group.on_chain_known(*headers_);
  const BlockScan next(*headers_, group, 0.000001, CrossCheck(CrossCheckMode::Off, util::Rng(3)), {}, util::Rng(5));
  EXPECT_EQ(next.position(), 3);
  EXPECT_FALSE(next.done());
}

TEST_F(BlockScanTest, ALooseTransactionThatWidensOwesAllBlocksAgain) {
  begin(ChainBuilder().blocks(2).pays(receive(21), 100).blocks(4));
  add(1);
  converse();
  ASSERT_TRUE(scan_->done());
  EXPECT_EQ(wallet_.balance().total(), 0);
  scan_->on_unconfirmed(watcher_.on_unconfirmed(TxBuilder(3).pays(receive(19), 7).build(), now_.wall), now_, out_);
  EXPECT_EQ(scan_->position(), 1);
  EXPECT_FALSE(scan_->done());
  EXPECT_EQ(committed().backfill, (wallet::HeightRange{1, 7}));
  converse();
  EXPECT_EQ(wallet_.balance().total(), 107);
  EXPECT_TRUE(scan_->done());
}

// --- trust ----------------------------------------------------------------------------------------------------------

TEST_F(BlockScanTest, E6_AllThatAPeerServedIsOwedOnceItIsFoundToHaveLeftSomethingOut) {
  begin(ChainBuilder().blocks(4).block({payment_}).blocks(5), CrossCheckMode::Full);
  FakeNode liar(node_.chain());
  liar.omit_tx(payment_.txid());
  add(1, liar);
  converse();
  EXPECT_TRUE(scan_->done()) << "nobody else could be asked";
  EXPECT_EQ(wallet_.balance().total(), 0);
  add(2);
  EXPECT_FALSE(scan_->done());
  ask();
  std::vector<Conviction> convicted;
  while (convicted.empty() && !inbox_[2].empty()) convicted = arrive(2).convicted;
  ASSERT_EQ(convicted.size(), 1U);
  EXPECT_EQ(convicted[0].peer, 1U);
  EXPECT_EQ(convicted[0].reason, DisconnectReason::Omission);
  EXPECT_EQ(scan_->position(), 1);
  EXPECT_EQ(committed().backfill, (wallet::HeightRange{1, 10}));
  drop(1);
  converse();
  EXPECT_EQ(wallet_.balance().total(), 5'000);
  EXPECT_TRUE(scan_->done());
}

TEST_F(BlockScanTest, BlocksThatTwoPeersGaveAlikeAreAttested) {
  begin(ChainBuilder().blocks(4).block({payment_}).blocks(5), CrossCheckMode::Full);
  add(1);
  add(2);
  converse();
  scan_->flush(now_, out_);
  EXPECT_EQ(scan_->cross_checked(), 10U);
  EXPECT_EQ(committed().attested.total().by_two, 10U);
  EXPECT_EQ(committed().peers, 2U);
}

TEST_F(BlockScanTest, WhoCanBeAskedForNothingMustGo) {
  begin(ChainBuilder().blocks(5));
  add(1, node_, {.filtered = false});
  const auto convicted = ask();
  ASSERT_FALSE(convicted.empty());
  EXPECT_EQ(convicted[0].peer, 1U);
  EXPECT_EQ(convicted[0].reason, DisconnectReason::NoBloomFilters);
}

// --- another chain --------------------------------------------------------------------------------------------------

TEST_F(BlockScanTest, AReorganisationTakesTheScanBackToTheForkAndThePaymentWithIt) {
  const auto mined = ChainBuilder().blocks(7).block({payment_}).blocks(2);
  begin(mined);
  add(1);
  converse();
  ASSERT_EQ(wallet_.balance().confirmed, 5'000);
  follow(mined.at_height(5).blocks(7), 5);
  EXPECT_EQ(scan_->position(), 6);
  EXPECT_EQ(committed().scanned_to, (chain::BlockRef{5, mined.block(5).hash})) << "committed at once";
  EXPECT_EQ(wallet_.balance().confirmed, 0);
  converse();
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(committed().scanned_to, node_.chain().tip());
  EXPECT_EQ(asked(5), 1);
}

TEST_F(BlockScanTest, BlocksOfTheChainThatWasLeftDoNotCountWhenTheyArrive) {
  const auto mined = ChainBuilder().blocks(10);
  begin(mined);
  add(1);
  ask();
  arrive_until(1, 4);
  follow(mined.at_height(5).block({payment_}).blocks(7), 5);
  const auto before = scan_->position();
  EXPECT_EQ(before, 4) << "below the fork";
  while (!inbox_[1].empty()) EXPECT_FALSE(arrive(1).applied);
  EXPECT_EQ(scan_->position(), before);
  converse();
  EXPECT_TRUE(scan_->done());
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
}

// --- slices ---------------------------------------------------------------------------------------------------------

TEST_F(BlockScanTest, InSlicesABlockCountsOnlyAfterTheLastPass) {
  // 40 scripts, of which a filter may hold 30: each block is asked for twice.
  begin(ChainBuilder()
            .blocks(3)
            .pays(receive(0), 100)
            .pays(config_.key_chains[1].descriptor.script_at(15).value(), 7)
            .blocks(15),
        CrossCheckMode::Off, {.most_elements = 30});
  add(1);
  ask();
  ASSERT_TRUE(scan_->is_sliced());
  arrive_all(1);
  EXPECT_EQ(scan_->position(), 1);
  EXPECT_EQ(wallet_.balance().total(), 0) << "the wallet hears of it with the last pass";
  EXPECT_FALSE(scan_->done());
  converse();
  EXPECT_FALSE(scan_->is_sliced());
  EXPECT_EQ(wallet_.balance().total(), 107);
  EXPECT_EQ(asked(4), 2);
  EXPECT_TRUE(scan_->done());
}

}  // namespace
}  // namespace spv::sync
