// How a sync begins, takes wallets in and ends, and that what fails on the way leaves nothing half done.
#include "client/sync_state.h"

#include <boost/asio/io_context.hpp>

#include "tests/client/parts_fixture.h"

namespace spv::client {
namespace {

using namespace std::chrono_literals;

class SyncStateTest : public test::ClientParts {
 protected:
  /// Headers of another network, which cannot be used.
  void spoil_headers() const {
    store::HeaderFile::open(setup_.folder.headers().string(), chain::params(chain::Network::Testnet4));
  }
  Held& open_one() { return open(state_.wallets, "one"); }

  chain::Transaction payment_ = test::TxBuilder(1).pays(test::script(1), 5'000).build();
  boost::asio::io_context io_;
  SyncState state_{setup_, events_};
};

// --- the budget -----------------------------------------------------------------------------------------------------

TEST(ByteBudgetTest, ANewBudgetCountsFromTheNextStartOn) {
  ByteBudget budget;
  EXPECT_TRUE(budget.renew()) << "there is no bound";
  EXPECT_FALSE(budget.bounded);
  budget.next = 700;
  EXPECT_FALSE(budget.bounded);
  EXPECT_TRUE(budget.renew());
  EXPECT_TRUE(budget.bounded);
  EXPECT_EQ(budget.left, 700U);
}

TEST(ByteBudgetTest, ABudgetThatIsSpentStaysSoUntilAnotherIsGiven) {
  ByteBudget budget{.bounded = true, .left = 5, .next = std::nullopt};
  EXPECT_TRUE(budget.renew());
  EXPECT_EQ(budget.left, 5U) << "a start alone gives nothing back";
  budget.left = 0;
  EXPECT_FALSE(budget.renew());
  EXPECT_FALSE(budget.renew());
  budget.next = 0;
  EXPECT_TRUE(budget.renew()) << "zero is no bound";
  EXPECT_FALSE(budget.bounded);
}

// --- what a session is given ----------------------------------------------------------------------------------------

TEST_F(SyncStateTest, ASessionIsBoundByTheBudgetOnlyWhereThereIsOne) {
  EXPECT_EQ(state_.session_setup().budget, nullptr);
  state_.budget = {.bounded = true, .left = 700, .next = std::nullopt};
  EXPECT_EQ(state_.session_setup().budget, &state_.budget.left);
}

TEST_F(SyncStateTest, TheOptionsBudgetIsThatOfTheFirstStart) {
  setup_.options.byte_budget = 700;
  SyncState state(setup_, events_);
  ASSERT_TRUE(state.budget.renew());
  EXPECT_EQ(state.budget.left, 700U);
}

TEST_F(SyncStateTest, ASessionThatStartsLateHasTheTimeThatIsLeft) {
  EXPECT_FALSE(state_.session_setup().time_left);
  state_.ends_at = now_.monotonic + 30s;
  EXPECT_EQ(state_.session_setup().time_left, 30s);
  now_.monotonic += 40s;
  EXPECT_EQ(state_.session_setup().time_left, 0s) << "and not less";
}

TEST_F(SyncStateTest, ASessionFindsPeersByTheBookIfThereIsOne) {
  EXPECT_EQ(state_.session_setup().book, nullptr);
  state_.book.emplace(setup_.folder.peers(), setup_.params, util::LogSink(), now_.monotonic);
  EXPECT_EQ(state_.session_setup().book, &*state_.book);
}

// --- begin and end --------------------------------------------------------------------------------------------------

TEST_F(SyncStateTest, AtTheStartEveryWalletHasItsPlaceAndTheHeadersAreOpen) {
  Held& one = open_one();
  Held& two = open(state_.wallets, "two", 2);
  ASSERT_TRUE(state_.place_all(io_));
  EXPECT_TRUE(state_.running);
  EXPECT_EQ(state_.io, &io_);
  EXPECT_EQ(one.shard, &state_.shards.first());
  EXPECT_EQ(two.shard, &state_.shards.first());
  ASSERT_NE(state_.shards.headers(), nullptr);
  state_.end();
  EXPECT_FALSE(state_.running);
  EXPECT_EQ(state_.io, nullptr);
  EXPECT_EQ(one.shard, nullptr);
  EXPECT_EQ(two.shard, nullptr);
  EXPECT_TRUE(state_.shards.empty());
  EXPECT_TRUE(state_.place_all(io_)) << "it can begin again";
}

TEST_F(SyncStateTest, AStartWithoutWalletsIsNoTrouble) {
  EXPECT_TRUE(state_.place_all(io_));
  EXPECT_TRUE(state_.running);
  EXPECT_TRUE(state_.shards.empty());
}

TEST_F(SyncStateTest, HeadersThatCannotBeUsedLeaveNothingPlaced) {
  spoil_headers();
  Held& one = open_one();
  const auto placed = state_.place_all(io_);
  ASSERT_FALSE(placed);
  EXPECT_NE(placed.error().message.find("is of another network"), std::string::npos) << placed.error().message;
  EXPECT_FALSE(state_.running);
  EXPECT_EQ(one.shard, nullptr);
  EXPECT_TRUE(state_.shards.empty());
}

TEST_F(SyncStateTest, AClockBehindTheChainIsToldWithBothTimes) {
  Held& one = open_one();
  now_.wall = test::kGenesisTime - 86'400;
  const auto placed = state_.place_all(io_);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, ErrorCode::Clock);
  EXPECT_NE(placed.error().message.find("the clock says 2011-02-01 23:16 UTC"), std::string::npos)
      << placed.error().message;
  EXPECT_NE(placed.error().message.find("block 0 is from 2011-02-02 23:16 UTC"), std::string::npos);
  EXPECT_EQ(one.shard, nullptr);
  setup_.options.check_clock = false;
  EXPECT_TRUE(state_.place_all(io_)) << "where the user says so";
}

// --- while it runs --------------------------------------------------------------------------------------------------

TEST_F(SyncStateTest, AWalletThatComesLaterJoinsTheShardAndIsWaitedFor) {
  open_one();
  ASSERT_TRUE(state_.place_all(io_));
  EXPECT_FALSE(state_.shards.first().joining);
  Held& two = open(state_.wallets, "two", 2);
  ASSERT_TRUE(state_.take_in(two));
  EXPECT_EQ(two.shard, &state_.shards.first());
  EXPECT_TRUE(two.shard->joining);
  two.shard->finished = true;
  EXPECT_FALSE(state_.shards.all_finished());
}

TEST_F(SyncStateTest, AWalletThatCannotBeTakenInIsClosedAndLeavesNoShard) {
  ASSERT_TRUE(state_.place_all(io_));
  spoil_headers();
  const auto taken = state_.take_in(open_one());
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("is of another network"), std::string::npos) << taken.error().message;
  EXPECT_EQ(state_.wallets.find("one"), nullptr);
  EXPECT_TRUE(state_.shards.empty());
  EXPECT_TRUE(state_.running) << "the others go on";
}

TEST_F(SyncStateTest, WhatAUserChangesIsCommittedAndStands) {
  Held& one = open_one();
  state_.wallets.note({scanned(one, 7)});
  state_.keep(one, paid(one, payment_).changes);
  EXPECT_EQ(stored_height("one"), 7);
  EXPECT_EQ(stored("one").balance().total(), 5'000);
}

// --- on disk --------------------------------------------------------------------------------------------------------

TEST_F(SyncStateTest, AtTheEndWalletsAndPeersAreOnDisk) {
  Held& one = open_one();
  state_.book.emplace(setup_.folder.peers(), setup_.params, util::LogSink(), now_.monotonic);
  state_.wallets.note({scanned(one, 7)});
  EXPECT_TRUE(state_.save());
  EXPECT_EQ(stored_height("one"), 7);
  EXPECT_TRUE(std::filesystem::exists(setup_.folder.peers()));
}

TEST_F(SyncStateTest, ADiskThatTakesNothingIsAnErrorAndNothingIsLost) {
  Held& one = open_one();
  state_.wallets.note({scanned(one, 7)});
  store_->full = true;
  const auto saved = state_.save();
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::Storage);
  store_->full = false;
  EXPECT_TRUE(state_.save());
  EXPECT_EQ(stored_height("one"), 7);
}

TEST_F(SyncStateTest, MemoryThatIsAheadOfTheFilesIsNotSaved) {
  Held& one = open_one();
  state_.wallets.note({scanned(one, 7)});
  state_.wallets.mark_stale();
  EXPECT_TRUE(state_.save());
  EXPECT_EQ(stored_height("one"), -1);
}

}  // namespace
}  // namespace spv::client
