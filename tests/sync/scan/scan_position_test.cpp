// Where a scan begins, what moves it on, what it owes a second look, and what the wallets hear of it.
#include "sync/scan/scan_position.h"

#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"
#include "tests/support/recording_watcher.h"

namespace spv::sync {
namespace {

using wallet::HeightRange;
using Calls = std::vector<std::string>;
using Heights = std::vector<chain::Height>;

class ScanPositionTest : public testing::Test {
 protected:
  static constexpr chain::Height kTip = 60;

  ScanPositionTest() { memory_.accept(chain::test::mine_on(memory_.chain.params().genesis, kTip)); }

  /// A block that is scanned, on whatever chain.
  static chain::BlockRef block(chain::Height height) {
    chain::BlockRef block{.height = height, .hash = {}};
    block.hash.bytes[0] = 1;
    return block;
  }
  ScanPosition standing(const chain::BlockRef& scanned_to, std::optional<HeightRange> owed = std::nullopt,
                        chain::Height birthday = 0) {
    watcher_.stands = {.scanned_to = scanned_to, .owed = owed, .birthday = birthday};
    return {memory_.chain, watcher_};
  }
  /// One that was never scanned.
  ScanPosition fresh(chain::Height scanned_to, chain::Height birthday) {
    return standing({.height = scanned_to, .hash = {}}, std::nullopt, birthday);
  }
  [[nodiscard]] util::UnixTime time_of(chain::Height height) const { return memory_.chain.at(height)->time; }

  chain::test::MemoryChain memory_;
  test::RecordingWatcher watcher_;
};

// --- where it begins ------------------------------------------------------------------------------------------------

TEST_F(ScanPositionTest, AFreshWalletBeginsAtItsBirthday) {
  EXPECT_EQ(fresh(-1, 40).first(), 40);
  EXPECT_EQ(fresh(-1, 0).first(), 0);
}

TEST_F(ScanPositionTest, AFreshWalletDoesNotBeginBelowWhereItStands) { EXPECT_EQ(fresh(44, 40).first(), 45); }

TEST_F(ScanPositionTest, AWalletThatStandsAtABlockGoesOnWithTheNext) {
  const auto position = standing(block(30));
  EXPECT_EQ(position.first(), 31);
  EXPECT_EQ(position.scanned_to(), block(30));
  EXPECT_EQ(position.counts_to(), 30);
  EXPECT_FALSE(position.owes());
}

TEST_F(ScanPositionTest, AWalletThatStandsBelowItsBirthdayGoesOnWithTheNextBlockToo) {
  EXPECT_EQ(standing(block(30), std::nullopt, 40).first(), 31);
}

TEST_F(ScanPositionTest, WhatIsOwedComesFirst) {
  const auto position = standing(block(30), HeightRange{10, 20});
  EXPECT_EQ(position.first(), 10);
  EXPECT_TRUE(position.owes());
  EXPECT_EQ(position.counts_to(), 20);
  EXPECT_EQ(position.scanned_to(), block(30));
}

TEST_F(ScanPositionTest, WhereItBeginsIsTakenAnewFromTheWallets) {
  auto position = standing(block(30), HeightRange{10, 20});
  watcher_.stands = {.scanned_to = block(12), .owed = std::nullopt, .birthday = 0};
  EXPECT_EQ(position.first(), 10);
  position.take();
  EXPECT_EQ(position.first(), 13);
  EXPECT_FALSE(position.owes());
}

// --- what moves it on -----------------------------------------------------------------------------------------------

TEST_F(ScanPositionTest, InTheMainPassEveryBlockMovesItOn) {
  auto position = standing(block(30));
  position.advance(block(31));
  position.advance(block(32));
  EXPECT_EQ(position.scanned_to(), block(32));
  EXPECT_EQ(position.counts_to(), 32);
}

TEST_F(ScanPositionTest, AmongOwedBlocksItStaysWhereItIs) {
  auto position = standing(block(30), HeightRange{10, 30});
  position.advance(block(10));
  EXPECT_EQ(position.scanned_to(), block(30));
  EXPECT_TRUE(position.owes());
  position.store();
  EXPECT_EQ(watcher_.scanned.at(0).to, block(30));
  EXPECT_EQ(watcher_.scanned.at(0).next, 11);
}

TEST_F(ScanPositionTest, BehindTheLastOwedBlockTheMainPassGoesOn) {
  auto position = standing(block(11), HeightRange{10, 11});
  position.advance(block(10));
  EXPECT_TRUE(position.owes());
  position.advance(block(11));
  EXPECT_FALSE(position.owes());
  EXPECT_EQ(position.scanned_to(), block(11));
  position.advance(block(12));
  EXPECT_EQ(position.scanned_to(), block(12));
}

// --- what it owes ---------------------------------------------------------------------------------------------------

TEST_F(ScanPositionTest, WhatIsOwedIsToldAndGivesTheFirstBlock) {
  auto position = standing(block(30));
  EXPECT_EQ(position.owe(5, 30), 5);
  EXPECT_TRUE(position.owes());
  EXPECT_EQ(position.scanned_to(), block(30));
  EXPECT_EQ(watcher_.owed, (std::vector{HeightRange{5, 30}}));
}

TEST_F(ScanPositionTest, WhatIsOwedJoinsWhatIsOwedAlready) {
  auto position = standing(block(30), HeightRange{10, 30});
  EXPECT_EQ(position.owe(20, 30), 10);
  EXPECT_EQ(position.owe(5, 30), 5);
  EXPECT_EQ(watcher_.owed, (std::vector{HeightRange{10, 30}, HeightRange{5, 30}}));
}

TEST_F(ScanPositionTest, OfWhatIsOwedAlreadyOnlyTheRestIsJoined) {
  auto position = standing(block(30), HeightRange{10, 30});
  for (chain::Height height = 10; height < 15; ++height) position.advance(block(height));
  EXPECT_EQ(position.owe(20, 30), 15);
}

TEST_F(ScanPositionTest, ABlockThatIsScannedAndOwedAgainWasScannedFirst) {
  auto position = standing(block(30));
  position.advance(block(31));
  position.owe(5, 31);
  EXPECT_EQ(watcher_.calls, (Calls{"scanned", "owed"}));
  EXPECT_EQ(watcher_.scanned.at(0).next, 32);
}

TEST_F(ScanPositionTest, WithNothingToOweTheNextBlockComes) {
  auto position = fresh(39, 40);
  EXPECT_EQ(position.owe(40, 39), 40);
  EXPECT_FALSE(position.owes());
  EXPECT_EQ(watcher_.calls, Calls{});
}

// A reorganisation has led the wallet there; more scripts count from the birthday on, which is still to come.
TEST_F(ScanPositionTest, WithNothingToOweBelowTheBirthdayTheNextBlockComesAndNotTheBirthday) {
  auto position = standing(block(30), std::nullopt, 40);
  EXPECT_EQ(position.owe(40, 30), 31);
  EXPECT_FALSE(position.owes());
  EXPECT_EQ(watcher_.owed, std::vector<HeightRange>{});
}

// --- what the wallets hear ------------------------------------------------------------------------------------------

TEST_F(ScanPositionTest, TheWalletsHearOnceOfWhatWasScanned) {
  auto position = standing(block(30));
  position.store();
  EXPECT_EQ(watcher_.calls, Calls{}) << "nothing has happened";
  position.advance(block(31));
  position.advance(block(32));
  position.store();
  position.store();
  ASSERT_EQ(watcher_.scanned.size(), 1U);
  const BlocksScanned& told = watcher_.scanned.front();
  EXPECT_EQ(told.to, block(32));
  EXPECT_EQ(told.next, 33);
  EXPECT_EQ(told.time, time_of(32));
  EXPECT_EQ(told.by_two, Heights{});
  EXPECT_EQ(told.whole, Heights{});
}

TEST_F(ScanPositionTest, ABlockThatTheChainDoesNotHaveHasNoTime) {
  auto position = standing(block(kTip));
  position.advance(block(kTip + 1));
  position.store();
  EXPECT_EQ(watcher_.scanned.at(0).time, 0U);
}

TEST_F(ScanPositionTest, WhatWasAttestedIsToldOnceWithTheBlocks) {
  auto position = standing(block(30));
  position.attest_whole(31);
  position.advance(block(31));
  position.attest_by_two(7);
  position.attest_by_two(31);
  position.store();
  position.advance(block(32));
  position.store();
  ASSERT_EQ(watcher_.scanned.size(), 2U);
  EXPECT_EQ(watcher_.scanned[0].whole, Heights{31});
  EXPECT_EQ(watcher_.scanned[0].by_two, (Heights{7, 31}));
  EXPECT_EQ(watcher_.scanned[1].whole, Heights{});
  EXPECT_EQ(watcher_.scanned[1].by_two, Heights{});
}

TEST_F(ScanPositionTest, ThatTwoPeersGaveABlockAlikeIsToldWithoutAnotherBlock) {
  auto position = standing(block(30));
  position.attest_by_two(29);
  position.store();
  ASSERT_EQ(watcher_.scanned.size(), 1U);
  EXPECT_EQ(watcher_.scanned[0].to, block(30));
  EXPECT_EQ(watcher_.scanned[0].by_two, Heights{29});
}

TEST_F(ScanPositionTest, HowManyPeersHaveTheHighestBlockIsToldBehindIt) {
  auto position = standing(block(30));
  position.advance(block(31));
  position.store(3);
  EXPECT_EQ(watcher_.calls, (Calls{"scanned", "witnessed"}));
  position.store(4);
  EXPECT_EQ(watcher_.calls, (Calls{"scanned", "witnessed", "witnessed"})) << "where nothing else is new too";
  EXPECT_EQ(watcher_.witnessed, (std::vector<std::uint32_t>{3, 4}));
}

// --- another chain --------------------------------------------------------------------------------------------------

TEST_F(ScanPositionTest, AForkIsToldBehindWhatWasScannedAndLeadsBack) {
  auto position = standing(block(30));
  position.advance(block(31));
  watcher_.stands.scanned_to = block(31);
  position.go_back_to(block(25));
  EXPECT_EQ(watcher_.calls, (Calls{"scanned", "disconnected"}));
  EXPECT_EQ(watcher_.forks, std::vector{block(25)});
  EXPECT_EQ(position.first(), 26);
  EXPECT_EQ(position.scanned_to(), block(25));
}

TEST_F(ScanPositionTest, AForkBelowTheBirthdayLeadsBackBelowIt) {
  auto position = standing(block(42), std::nullopt, 40);
  position.go_back_to(block(35));
  EXPECT_EQ(position.first(), 36);
}

TEST_F(ScanPositionTest, WhatWasScannedIsToldBeforeTheWalletsFindTheirPlace) {
  auto position = standing(block(30));
  position.advance(block(31));
  watcher_.stands.scanned_to = block(20);
  position.align();
  EXPECT_EQ(watcher_.calls, (Calls{"scanned", "chain known"}));
  EXPECT_EQ(position.first(), 21);
}

TEST_F(ScanPositionTest, ADateBecomesTheFirstBlockThatMayBeOfThatDay) {
  auto position = fresh(-1, 0);
  watcher_.born = {time_of(50)};
  position.align();
  EXPECT_EQ(watcher_.calls, (Calls{"birthday", "chain known"}));
  EXPECT_EQ(watcher_.birthdays, Heights{50 - 7'200 / 600}) << "times may be two hours off";
}

TEST_F(ScanPositionTest, ADateBetweenTwoBlocksBecomesTheLaterOne) {
  auto position = fresh(-1, 0);
  watcher_.born = {time_of(50) + 1};
  position.align();
  EXPECT_EQ(watcher_.birthdays, Heights{50 - 7'200 / 600 + 1});
}

TEST_F(ScanPositionTest, ADateBeforeTheFirstBlockBecomesTheFirstBlock) {
  auto position = fresh(-1, 0);
  watcher_.born = {1};
  position.align();
  EXPECT_EQ(watcher_.birthdays, Heights{0});
}

TEST_F(ScanPositionTest, ADateBehindTheTipBecomesTheBlockBehindIt) {
  auto position = fresh(-1, 0);
  watcher_.born = {time_of(kTip) + 1'000'000};
  position.align();
  EXPECT_EQ(watcher_.birthdays, Heights{kTip + 1});
}

TEST_F(ScanPositionTest, OfManyDatesEachBecomesABlockTheEarliestFirst) {
  auto position = fresh(-1, 0);
  watcher_.born = {time_of(40), time_of(20), time_of(30)};
  position.align();
  EXPECT_EQ(watcher_.birthdays, (Heights{8, 18, 28}));
}

// Where difficulty changes the chain of headers may begin with any period's first block.
TEST_F(ScanPositionTest, WhereDifficultyChangesADateBecomesTheFirstBlockOfItsPeriod) {
  chain::NetworkParams network = chain::params(chain::Network::Regtest);
  network.no_retargeting = false;
  chain::test::MemoryChain memory(network);
  memory.accept(chain::test::mine_on(network.genesis, kTip));
  ASSERT_EQ(memory.chain.height(), kTip);
  ScanPosition position(memory.chain, watcher_);
  watcher_.born = {memory.chain.at(50)->time};
  position.align();
  EXPECT_EQ(watcher_.birthdays, Heights{0});
}

}  // namespace
}  // namespace spv::sync
