// The chain on headers mined here; the real chains are in header_chain_vectors_test.cpp.
#include "chain/header_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"

namespace spv::chain::test {
namespace {

const NetworkParams& regtest() { return params(Network::Regtest); }

/// A network with regtest's difficulty whose blocks must pass these checkpoints.
NetworkParams with_checkpoints(std::span<const Checkpoint> checkpoints) {
  NetworkParams network = regtest();
  network.checkpoints = checkpoints;
  return network;
}

TEST(HeaderChain, StartsAtGenesis) {
  MemoryChain memory;
  EXPECT_EQ(memory.chain.tip(), (BlockRef{0, regtest().genesis_hash}));
  EXPECT_EQ(memory.chain.work(), Uint256(2));
  EXPECT_EQ(memory.chain.at(0), regtest().genesis);
  EXPECT_EQ(memory.chain.at(1), std::nullopt);
  EXPECT_EQ(memory.chain.hash_at(-1), std::nullopt);
  EXPECT_EQ(memory.chain.hash_at(0), regtest().genesis_hash);
  EXPECT_EQ(memory.chain.find(regtest().genesis_hash), 0);
}

TEST(HeaderChain, GrowsByABatch) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 20);
  const auto result = memory.accept(headers);
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_EQ(result.update.added, 20U);
  EXPECT_EQ(result.update.fork_height, 0);
  EXPECT_FALSE(result.update.is_reorganisation());
  EXPECT_EQ(result.update.old_tip, (BlockRef{0, regtest().genesis_hash}));
  EXPECT_EQ(result.update.new_tip, (BlockRef{20, headers.back().hash()}));
  EXPECT_EQ(result.update.last, result.update.new_tip);
  EXPECT_EQ(memory.chain.work(), Uint256(42));
  for (Height height = 1; height <= 20; ++height) {
    const auto& header = headers[static_cast<std::size_t>(height - 1)];
    EXPECT_EQ(memory.chain.at(height), header);
    EXPECT_EQ(memory.chain.hash_at(height), header.hash());
    EXPECT_EQ(memory.chain.find(header.hash()), height);
  }
}

TEST(HeaderChain, H1_RefusesAHeaderWithoutProofOfWork) {
  MemoryChain memory;
  EXPECT_EQ(memory.accept(unmined(child_of(regtest().genesis))).error, HeaderError::BadProofOfWork);
  BlockHeader above_limit = child_of(regtest().genesis);
  for (const std::uint32_t bits : {0x20800000U, 0x2100FFFFU, 0xFF123456U, 0U}) {
    above_limit.bits = bits;
    EXPECT_EQ(memory.accept(above_limit).error, HeaderError::BadProofOfWork) << bits;
  }
  EXPECT_EQ(memory.chain.height(), 0);
}

TEST(HeaderChain, H2_RefusesBitsThatAreNotTheRequiredOnes) {
  MemoryChain memory;
  BlockHeader harder = child_of(regtest().genesis);
  harder.bits = 0x207FFFFE;
  EXPECT_EQ(memory.accept(mined(harder)).error, HeaderError::BadDifficulty);
}

TEST(HeaderChain, H6_RefusesATimeAtTheMedian) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 30);
  memory.accept(headers);
  BlockHeader next = child_of(headers.back());
  next.time = headers[24].time;  // the median of 20 … 30
  EXPECT_EQ(memory.accept(mined(next)).error, HeaderError::TimeTooOld);
  ++next.time;
  EXPECT_EQ(memory.accept(mined(next)).error, std::nullopt);
}

TEST(HeaderChain, H7_AHeaderFromTheFutureIsTakenLater) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 3);
  const util::UnixTime early = util::UnixTime{headers[1].time} - kMaxFutureSeconds;
  const auto first = memory.accept(headers, early);
  EXPECT_EQ(first.error, HeaderError::TimeTooNew);
  EXPECT_EQ(memory.chain.height(), 2);
  EXPECT_FALSE(memory.chain.knows(headers[2].hash()));
  const auto again = memory.accept(headers, early + 600);
  EXPECT_EQ(again.error, std::nullopt);
  EXPECT_EQ(again.update.added, 1U);
  EXPECT_EQ(memory.chain.height(), 3);
}

TEST(HeaderChain, H7_AClockThatJumpsBackDoesNotUndoWhatIsKnown) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 3);
  memory.accept(headers);
  EXPECT_EQ(memory.accept(headers, 0).error, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 3);
}

TEST(HeaderChain, H8_RefusesAnObsoleteVersion) {
  MemoryChain memory;
  BlockHeader old = child_of(regtest().genesis);
  old.version = 3;
  EXPECT_EQ(memory.accept(mined(old)).error, HeaderError::BadVersion);
}

TEST(HeaderChain, H11_RefusesAHeaderThatDiffersFromACheckpoint) {
  const auto good = mine_on(regtest().genesis, 10, 1);
  const auto bad = mine_on(regtest().genesis, 10, 2);
  const std::array checkpoints = {Checkpoint{.height = 7, .hash = good[6].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  const auto result = memory.accept(bad);
  EXPECT_EQ(result.error, HeaderError::CheckpointMismatch);
  EXPECT_EQ(result.update.added, 6U);
  EXPECT_EQ(memory.accept(good).error, std::nullopt);
  EXPECT_EQ(memory.chain.tip().hash, good.back().hash());
}

TEST(HeaderChain, H11_CheckpointsOneBehindTheOtherAllCount) {
  const auto good = mine_on(regtest().genesis, 7, 1);
  auto bad = std::vector(good.begin(), good.begin() + 6);
  bad.push_back(mine_on(good[5], 1, 2).front());
  const std::array checkpoints = {Checkpoint{.height = 5, .hash = good[4].hash()},
                                  Checkpoint{.height = 6, .hash = good[5].hash()},
                                  Checkpoint{.height = 7, .hash = good[6].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  EXPECT_EQ(memory.accept(bad).error, HeaderError::CheckpointMismatch);
  EXPECT_EQ(memory.chain.height(), 6);
  EXPECT_EQ(memory.accept(good).error, std::nullopt);
}

TEST(HeaderChain, H12_AnEmptyBatchIsAnError) {
  MemoryChain memory;
  EXPECT_EQ(memory.accept(std::span<const BlockHeader>{}).error, HeaderError::Empty);
}

TEST(HeaderChain, H12_KeepsWhatIsValidBeforeAGap) {
  MemoryChain memory;
  auto headers = mine_on(regtest().genesis, 10);
  headers.erase(headers.begin() + 5);
  const auto result = memory.accept(headers);
  EXPECT_EQ(result.error, HeaderError::NotContinuous);
  EXPECT_EQ(result.update.added, 5U);
  EXPECT_EQ(memory.chain.height(), 5);
}

TEST(HeaderChain, H12_RefusesHeadersWhoseParentIsUnknown) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 10);
  const auto result = memory.accept(std::span(headers).subspan(1));
  EXPECT_EQ(result.error, HeaderError::Unconnected);
  EXPECT_FALSE(result.update.tip_changed());
}

TEST(HeaderChain, H12_SkipsWhatItKnows) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 10);
  memory.accept(std::span(headers).first(6));
  const auto again = memory.accept(std::span(headers).first(4));
  EXPECT_EQ(again.error, std::nullopt);
  EXPECT_EQ(again.update.added, 0U);
  EXPECT_FALSE(again.update.tip_changed());
  EXPECT_EQ(again.update.last, (BlockRef{4, headers[3].hash()}));
  const auto overlapping = memory.accept(std::span(headers).subspan(2));
  EXPECT_EQ(overlapping.update.added, 4U);
  EXPECT_EQ(memory.chain.height(), 10);
}

TEST(HeaderChain, H12_GenesisAgainIsUnconnectedAndHarmless) {
  MemoryChain memory;
  EXPECT_EQ(memory.accept(regtest().genesis).error, HeaderError::Unconnected);
  EXPECT_EQ(memory.chain.height(), 0);
}

TEST(HeaderChain, H12_TheSameHeaderTwiceInABatchIsNotContinuous) {
  MemoryChain memory;
  auto headers = mine_on(regtest().genesis, 3);
  headers.insert(headers.begin() + 1, headers[0]);
  EXPECT_EQ(memory.accept(headers).error, HeaderError::NotContinuous);
  EXPECT_EQ(memory.chain.height(), 1);
}

class Reorganisation : public testing::TestWithParam<std::size_t> {};

TEST_P(Reorganisation, H14_FollowsTheBranchWithMoreWork) {
  const std::size_t depth = GetParam();
  MemoryChain memory;
  const auto common = mine_on(regtest().genesis, 5);
  const auto old_branch = mine_on(common.back(), depth, 1);
  const auto new_branch = mine_on(common.back(), depth + 1, 2);
  memory.accept(common);
  memory.accept(old_branch);
  const auto result = memory.accept(new_branch);
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_TRUE(result.update.is_reorganisation());
  EXPECT_EQ(result.update.fork_height, 5);
  EXPECT_EQ(result.update.old_tip.hash, old_branch.back().hash());
  EXPECT_EQ(result.update.new_tip, (BlockRef{static_cast<Height>(depth) + 6, new_branch.back().hash()}));
  EXPECT_EQ(memory.chain.work(), Uint256(2 * (depth + 7)));
  EXPECT_EQ(memory.chain.find(old_branch.front().hash()), std::nullopt);
  EXPECT_EQ(memory.chain.find(new_branch.front().hash()), 6);
  EXPECT_TRUE(memory.chain.knows(old_branch.back().hash()));
}

INSTANTIATE_TEST_SUITE_P(HeaderChain, Reorganisation, testing::Values(1, 2, 3, 4, 5, 6, 100, 2016));

TEST(HeaderChain, H14_FollowsWorkAndNotHeight) {
  const TwoDifficulties two;
  MemoryChain memory(two.network);
  const auto heavy = two.hard(two.network.genesis, 4);    // 4 blocks of work 4
  const auto light = two.easy(two.network.genesis, 7);    // 7 blocks of work 2
  const auto heavier = two.easy(two.network.genesis, 9);  // 9 of 2: more than 16
  memory.accept(heavy);
  const auto longer = memory.accept(light);
  EXPECT_EQ(longer.error, std::nullopt);
  EXPECT_FALSE(longer.update.tip_changed());
  EXPECT_EQ(longer.update.added, 7U);
  EXPECT_EQ(longer.update.last, (BlockRef{7, light.back().hash()}));
  EXPECT_EQ(memory.chain.height(), 4);
  EXPECT_EQ(memory.accept(heavier).update.new_tip.height, 9);
  EXPECT_EQ(memory.chain.work(), Uint256(4 + 18));
}

TEST(HeaderChain, H14_AShorterBranchOfMoreWorkWins) {
  const TwoDifficulties two;
  MemoryChain memory(two.network);
  memory.accept(two.easy(two.network.genesis, 7));
  const auto result = memory.accept(two.hard(two.network.genesis, 4));
  EXPECT_TRUE(result.update.is_reorganisation());
  EXPECT_EQ(memory.chain.height(), 4);
  EXPECT_EQ(memory.chain.work(), Uint256(4 + 16));
}

TEST(HeaderChain, H14_ABranchMayComeInPieces) {
  MemoryChain memory;
  const auto best = mine_on(regtest().genesis, 10, 1);
  const auto branch = mine_on(regtest().genesis, 12, 2);
  memory.accept(best);
  EXPECT_FALSE(memory.accept(std::span(branch).first(4)).update.tip_changed());
  EXPECT_FALSE(memory.accept(std::span(branch).subspan(2, 6)).update.tip_changed());
  EXPECT_TRUE(memory.accept(std::span(branch).subspan(8)).update.is_reorganisation());
  EXPECT_EQ(memory.chain.tip().hash, branch.back().hash());
}

TEST(HeaderChain, H14_ABranchMayLeaveAnotherBranch) {
  MemoryChain memory;
  const auto best = mine_on(regtest().genesis, 6, 1);
  const auto branch = mine_on(regtest().genesis, 5, 2);
  const auto twig = mine_on(branch[2], 6, 3);  // leaves the branch at height 3 and gets to 9
  memory.accept(best);
  memory.accept(branch);
  const auto result = memory.accept(twig);
  EXPECT_EQ(result.update.fork_height, 0);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{9, twig.back().hash()}));
  EXPECT_EQ(memory.chain.hash_at(3), branch[2].hash());
  // The rest of the branch now leaves the best chain at height 3, and can still win.
  const auto more = mine_on(branch.back(), 5, 2);
  const auto back = memory.accept(more);
  EXPECT_EQ(back.update.fork_height, 3);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{10, more.back().hash()}));
}

TEST(HeaderChain, H14_ATwigOfTheOldBestChainSurvivesAReorganisation) {
  MemoryChain memory;
  const auto old_best = mine_on(regtest().genesis, 6, 1);
  const auto twig = mine_on(old_best[3], 1, 2);
  const auto new_best = mine_on(regtest().genesis, 7, 3);
  memory.accept(old_best);
  memory.accept(twig);
  memory.accept(new_best);
  const auto more = mine_on(twig.back(), 4, 2);
  const auto result = memory.accept(more);
  EXPECT_EQ(result.update.fork_height, 0);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{9, more.back().hash()}));
  EXPECT_EQ(memory.chain.hash_at(4), old_best[3].hash());
  EXPECT_EQ(memory.chain.work(), Uint256(20));
}

TEST(HeaderChain, H14_AnInvalidHeaderOnABranchStopsItThere) {
  MemoryChain memory;
  const auto best = mine_on(regtest().genesis, 3, 1);
  auto branch = mine_on(regtest().genesis, 6, 2);
  branch[5] = unmined(branch[5]);
  memory.accept(best);
  const auto result = memory.accept(branch);
  EXPECT_EQ(result.error, HeaderError::BadProofOfWork);
  EXPECT_EQ(result.update.added, 5U);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{5, branch[4].hash()}));
}

// Without a retarget's arithmetic, which needs targets that nobody can mine for here (the vectors have real ones), but
// with its effect: the bits of a period's first block depend on the branch, and hold for the whole period.
TEST(HeaderChain, H14_FollowsWorkAcrossAPeriodsStartToOtherBitsAndBack) {
  const TwoDifficulties two;
  const auto extend = [&](std::vector<BlockHeader>& chain, std::size_t count, std::uint32_t seconds) {
    const auto at = [&](Height height) {
      return height == 0 ? two.network.genesis : chain[static_cast<std::size_t>(height - 1)];
    };
    auto context = context_at(two.network, static_cast<Height>(chain.size()), 0, at);
    for (std::size_t i = 0; i < count; ++i) {
      BlockHeader next = child_of(chain.empty() ? two.network.genesis : chain.back());
      next.time = next.time - 600 + seconds;
      next.bits = context.required_bits(next.time);
      chain.push_back(mined(next, two.network));
      context.advance(chain.back());
    }
  };
  std::vector<BlockHeader> common;
  extend(common, 2'010, 600);
  auto easy = common;
  extend(easy, 5, 1'201);  // up to the period's last block
  extend(easy, 30, 600);   // a period of easy blocks, which need no twenty minutes
  auto hard = common;
  extend(hard, 18, 600);
  ASSERT_EQ(work_of_bits(easy.back().bits), Uint256(2));
  ASSERT_EQ(work_of_bits(hard.back().bits), Uint256(4));
  MemoryChain memory(two.network);
  ASSERT_EQ(memory.accept(easy).error, std::nullopt);
  // Eighteen blocks of four against thirty-five of two.
  const auto result = memory.accept(hard);
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_EQ(result.update.fork_height, 2'010);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{2'028, hard.back().hash()}));
  EXPECT_EQ(memory.chain.work(), Uint256(2'029 * 4));
  // And back; either side goes on by its own bits.
  extend(easy, 2, 600);
  EXPECT_EQ(memory.accept(easy).update.new_tip, (BlockRef{2'047, easy.back().hash()}));
  BlockHeader wrong = child_of(easy.back());
  wrong.bits = hard.back().bits;
  EXPECT_EQ(memory.accept(mined(wrong, two.network)).error, HeaderError::BadDifficulty);
}

TEST(HeaderChain, H15_AtEqualWorkTheFirstSeenStays) {
  MemoryChain memory;
  const auto first = mine_on(regtest().genesis, 5, 1);
  const auto second = mine_on(regtest().genesis, 5, 2);
  memory.accept(first);
  EXPECT_FALSE(memory.accept(second).update.tip_changed());
  EXPECT_EQ(memory.chain.tip().hash, first.back().hash());
  EXPECT_TRUE(memory.accept(mine_on(second.back(), 1, 2)).update.is_reorganisation());
}

TEST(HeaderChain, H16_PingPongBetweenTwoBranchesDoesNotGrow) {
  MemoryChain memory;
  std::array<std::vector<BlockHeader>, 2> branches = {mine_on(regtest().genesis, 1, 1),
                                                      mine_on(regtest().genesis, 2, 2)};
  memory.accept(branches[0]);
  memory.accept(branches[1]);
  for (std::size_t i = 0; i < 1000; ++i) {
    auto& branch = branches[i % 2];
    const auto more = mine_on(branch.back(), 2, static_cast<std::uint8_t>(i % 2));
    branch.insert(branch.end(), more.begin(), more.end());
    ASSERT_TRUE(memory.accept(more).update.is_reorganisation()) << i;
    ASSERT_EQ(memory.chain.side_branches().all().size(), 1U) << i;
  }
  MemoryChain fresh;
  fresh.accept(branches[1]);
  EXPECT_EQ(memory.chain.tip(), fresh.chain.tip());
  EXPECT_EQ(memory.chain.work(), fresh.chain.work());
  EXPECT_EQ(memory.chain.locator(), fresh.chain.locator());
}

TEST(HeaderChain, H18_RefusesABranchFromBelowTheLastCheckpoint) {
  const auto best = mine_on(regtest().genesis, 20, 1);
  const std::array checkpoints = {Checkpoint{.height = 5, .hash = best[4].hash()},
                                  Checkpoint{.height = 10, .hash = best[9].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  memory.accept(best);
  EXPECT_EQ(memory.accept(mine_on(best[8], 30, 2)).error, HeaderError::BelowCheckpoint);  // leaves at 9
  EXPECT_EQ(memory.accept(mine_on(regtest().genesis, 4, 2)).error, HeaderError::BelowCheckpoint);
  EXPECT_EQ(memory.chain.height(), 20);
  EXPECT_TRUE(memory.accept(mine_on(best[9], 11, 2)).update.is_reorganisation());  // leaves at 10
}

TEST(HeaderChain, H18_ABranchHeldBeforeACheckpointWasPassedIsDropped) {
  const auto best = mine_on(regtest().genesis, 10, 1);
  const auto branch = mine_on(regtest().genesis, 4, 2);
  const std::array checkpoints = {Checkpoint{.height = 8, .hash = best[7].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  memory.accept(std::span(best).first(7));
  memory.accept(branch);
  EXPECT_TRUE(memory.chain.knows(branch.back().hash()));
  memory.accept(std::span(best).subspan(7));
  EXPECT_FALSE(memory.chain.knows(branch.back().hash()));
}

TEST(HeaderChain, H9_StoresNothingBelowTheLastCheckpointThatNoCheckpointProves) {
  const auto best = mine_on(regtest().genesis, 40, 1);
  const std::array checkpoints = {Checkpoint{.height = 10, .hash = best[9].hash()},
                                  Checkpoint{.height = 20, .hash = best[19].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  const auto first = memory.accept(std::span(best).first(9));
  EXPECT_EQ(first.update.added, 9U);
  EXPECT_EQ(first.update.last, (BlockRef{9, best[8].hash()}));
  EXPECT_FALSE(first.update.tip_changed());
  EXPECT_EQ(memory.chain.height(), 0);
  // The checkpoint proves what is below it; what is above waits for the next.
  const auto second = memory.accept(std::span(best).subspan(9, 6));
  EXPECT_EQ(second.error, std::nullopt);
  EXPECT_EQ(second.update.fork_height, 0);
  EXPECT_FALSE(second.update.is_reorganisation());
  EXPECT_EQ(memory.chain.tip(), (BlockRef{10, best[9].hash()}));
  EXPECT_EQ(memory.chain.work(), Uint256(22));
  EXPECT_TRUE(memory.chain.knows(best[14].hash()));
  // Above the last one all counts at once.
  memory.accept(std::span(best).subspan(15, 6));
  EXPECT_EQ(memory.chain.tip(), (BlockRef{21, best[20].hash()}));
  EXPECT_TRUE(memory.chain.side_branches().all().empty());
  memory.accept(std::span(best).subspan(21, 1));
  EXPECT_EQ(memory.chain.tip(), (BlockRef{22, best[21].hash()}));
  EXPECT_EQ(memory.chain.work(), Uint256(46));
}

TEST(HeaderChain, H9_WhatLeavesACheckpointItselfWaitsForTheNext) {
  const auto best = mine_on(regtest().genesis, 25, 1);
  const std::array checkpoints = {Checkpoint{.height = 10, .hash = best[9].hash()},
                                  Checkpoint{.height = 20, .hash = best[19].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  memory.accept(std::span(best).first(10));
  EXPECT_EQ(memory.chain.height(), 10);
  EXPECT_EQ(memory.accept(std::span(best).subspan(10, 5)).update.fork_height, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 10);
  EXPECT_TRUE(memory.chain.knows(best[14].hash()));
  EXPECT_EQ(memory.accept(std::span(best).subspan(15)).error, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 25);
}

TEST(HeaderChain, H9_ABatchOverManyCheckpointsIsStoredUpToTheHighest) {
  const auto best = mine_on(regtest().genesis, 40, 1);
  const std::array checkpoints = {Checkpoint{.height = 10, .hash = best[9].hash()},
                                  Checkpoint{.height = 20, .hash = best[19].hash()},
                                  Checkpoint{.height = 39, .hash = best[38].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  memory.accept(std::span(best).first(30));
  EXPECT_EQ(memory.chain.height(), 20);
  EXPECT_EQ(memory.accept(std::span(best).first(30)).update.added, 0U);
  EXPECT_EQ(memory.accept(best).error, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 40);
}

TEST(HeaderChain, H9_SpamBelowACheckpointGoesWhenTheTrueChainPassesIt) {
  const auto best = mine_on(regtest().genesis, 12, 1);
  const std::array checkpoints = {Checkpoint{.height = 10, .hash = best[9].hash()}};
  const NetworkParams network = with_checkpoints(checkpoints);
  MemoryChain memory(network);
  for (std::uint8_t salt = 2; salt < 6; ++salt) {
    EXPECT_EQ(memory.accept(mine_on(regtest().genesis, 9, salt)).error, std::nullopt);
    EXPECT_EQ(memory.accept(mine_on(regtest().genesis, 12, salt)).error, HeaderError::CheckpointMismatch);
  }
  EXPECT_EQ(memory.chain.height(), 0);
  EXPECT_EQ(memory.accept(best).error, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 12);
  EXPECT_TRUE(memory.chain.side_branches().all().empty());
}

TEST(HeaderChain, H9_AStoredChainThatLacksACheckpointIsCutBackToTheLastThatItHas) {
  const auto best = mine_on(regtest().genesis, 12, 1);
  const auto wrong = mine_on(best[6], 30, 2);
  MemoryHeaderStore store(0, regtest().genesis, 2);
  store.replace_above(0, std::span(best).first(7), best[6].hash(), 16);
  store.replace_above(7, wrong, wrong.back().hash(), 76);
  const std::array known = {
      Checkpoint{.height = 3, .hash = best[2].hash()}, Checkpoint{.height = 5, .hash = best[4].hash()},
      Checkpoint{.height = 10, .hash = best[9].hash()}, Checkpoint{.height = 11, .hash = best[10].hash()}};
  const NetworkParams network = with_checkpoints(known);
  HeaderChain chain(network, store);
  EXPECT_EQ(chain.tip(), (BlockRef{5, best[4].hash()}));
  EXPECT_EQ(chain.work(), Uint256(12));
  EXPECT_EQ(chain.accept(std::span(best).subspan(5), kLater).error, std::nullopt);
  EXPECT_EQ(chain.tip(), (BlockRef{12, best[11].hash()}));
  EXPECT_EQ(chain.work(), Uint256(26));
}

TEST(HeaderChain, H9_AStoredChainThatEndsAtACheckpointIsKept) {
  const auto best = mine_on(regtest().genesis, 10, 1);
  MemoryHeaderStore store(0, regtest().genesis, 2);
  store.replace_above(0, best, best.back().hash(), 22);
  const std::array known = {Checkpoint{.height = 5, .hash = best[4].hash()},
                            Checkpoint{.height = 10, .hash = best[9].hash()}};
  const NetworkParams network = with_checkpoints(known);
  EXPECT_EQ(HeaderChain(network, store).height(), 10);
}

TEST(HeaderChain, H9_WhatWasCutBackIsNotSettled) {
  const auto best = mine_on(regtest().genesis, 5, 1);
  const auto wrong = mine_on(regtest().genesis, 300, 2);
  MemoryHeaderStore store(0, regtest().genesis, 2);
  store.replace_above(0, wrong, wrong.back().hash(), 602);
  const std::array known = {Checkpoint{.height = 5, .hash = best[4].hash()}};
  const NetworkParams network = with_checkpoints(known);
  HeaderChain chain(network, store);
  ASSERT_EQ(chain.height(), 0);
  const Sender one{.id = 1, .is_sole = false};
  const Sender other{.id = 2, .is_sole = false};
  chain.accept(best, kLater, one);
  chain.accept(mine_on(best.back(), 150, 3), kLater, one);
  EXPECT_FALSE(chain.accept(mine_on(best.back(), 151, 4), kLater, other).update.held);
  EXPECT_EQ(chain.height(), 156);
}

TEST(HeaderChain, H9_ACheckpointBeatsMoreWorkThatWasStoredWithoutOne) {
  const TwoDifficulties chains;
  const auto best = chains.easy(chains.network.genesis, 12);
  const auto heavy = chains.hard(chains.network.genesis, 9);
  const std::array known = {Checkpoint{.height = 10, .hash = best[9].hash()}};
  NetworkParams network = chains.network;
  network.checkpoints = known;
  MemoryHeaderStore store(0, network.genesis, 4);
  store.replace_above(0, heavy, heavy.back().hash(), 40);
  HeaderChain chain(network, store);
  EXPECT_TRUE(chain.accept(std::span(best).first(10), kLater).update.is_reorganisation());
  EXPECT_EQ(chain.tip(), (BlockRef{10, best[9].hash()}));
  EXPECT_EQ(chain.work(), Uint256(24));
}

TEST(HeaderChain, H10_IsNotTheNetworksChainBelowItsMinimumWorkOrItsLastCheckpoint) {
  const auto best = mine_on(regtest().genesis, 12, 1);
  const std::array checkpoints = {Checkpoint{.height = 5, .hash = best[4].hash()},
                                  Checkpoint{.height = 10, .hash = best[9].hash()}};
  NetworkParams network = with_checkpoints(checkpoints);
  network.minimum_chain_work = 24;  // genesis and eleven more
  MemoryChain memory(network);
  memory.accept(std::span(best).first(10));
  EXPECT_FALSE(memory.chain.has_minimum_work());
  memory.accept(std::span(best).subspan(10, 1));
  EXPECT_TRUE(memory.chain.has_minimum_work());
  network.minimum_chain_work = 1;
  MemoryChain short_of_it(network);
  short_of_it.accept(std::span(best).first(9));
  EXPECT_EQ(short_of_it.chain.height(), 5);
  EXPECT_FALSE(short_of_it.chain.has_minimum_work());
  short_of_it.accept(std::span(best).subspan(9, 1));
  EXPECT_EQ(short_of_it.chain.height(), 10);
  EXPECT_TRUE(short_of_it.chain.has_minimum_work()) << "at the last checkpoint itself";
}

TEST(HeaderChain, ForgetsABranchThatWasLeftBehind) {
  MemoryChain memory(regtest(), {.forget_after = 10});
  const auto best = mine_on(regtest().genesis, 20, 1);
  const auto branch = mine_on(regtest().genesis, 2, 2);
  memory.accept(std::span(best).first(5));
  memory.accept(branch);
  memory.accept(std::span(best).subspan(5, 10));
  EXPECT_TRUE(memory.chain.knows(branch.back().hash()));
  memory.accept(std::span(best).subspan(15, 1));
  EXPECT_FALSE(memory.chain.knows(branch.back().hash()));
}

TEST(HeaderChain, LocatorHasTenRecentThenDoublingStepsThenTheBase) {
  MemoryChain memory;
  const auto headers = mine_on(regtest().genesis, 100);
  memory.accept(headers);
  std::vector<Height> heights;
  for (const auto& hash : memory.chain.locator()) heights.push_back(*memory.chain.find(hash));
  EXPECT_THAT(heights, testing::ElementsAre(100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 89, 85, 77, 61, 29, 0));
}

TEST(HeaderChain, LocatorOfGenesisIsGenesis) {
  EXPECT_THAT(MemoryChain().chain.locator(), testing::ElementsAre(regtest().genesis_hash));
}

TEST(HeaderChain, MinimumWorkIsReachedExactly) {
  NetworkParams network = regtest();
  network.minimum_chain_work = 12;
  MemoryChain memory(network);
  const auto headers = mine_on(regtest().genesis, 5);
  memory.accept(std::span(headers).first(4));
  EXPECT_FALSE(memory.chain.has_minimum_work());
  memory.accept(std::span(headers).subspan(4));
  EXPECT_TRUE(memory.chain.has_minimum_work());
}

TEST(HeaderChain, MayBeginAboveGenesis) {
  const auto headers = mine_on(regtest().genesis, 2030);
  MemoryHeaderStore store(2016, headers[2015], 2 * 2017);
  HeaderChain chain(regtest(), store);
  EXPECT_EQ(chain.accept(std::span(headers).subspan(2016), kLater).error, std::nullopt);
  EXPECT_EQ(chain.tip(), (BlockRef{2030, headers.back().hash()}));
  EXPECT_EQ(chain.work(), Uint256(2 * 2031));
  EXPECT_EQ(chain.at(2015), std::nullopt);
  EXPECT_EQ(chain.locator().back(), headers[2015].hash());
  EXPECT_EQ(chain.accept(headers, kLater).error, HeaderError::Unconnected);
}

TEST(HeaderChain, GoesOnWhereAStoreWasLeft) {
  MemoryHeaderStore store(0, regtest().genesis, 2);
  const auto headers = mine_on(regtest().genesis, 50);
  {
    HeaderChain chain(regtest(), store);
    chain.accept(std::span(headers).first(30), kLater);
  }
  HeaderChain chain(regtest(), store);
  EXPECT_EQ(chain.height(), 30);
  EXPECT_EQ(chain.accept(std::span(headers).subspan(30), kLater).error, std::nullopt);
  BlockHeader old = child_of(headers.back());
  old.time = headers[44].time;
  EXPECT_EQ(chain.accept(std::array{mined(old)}, kLater).error, HeaderError::TimeTooOld);
}

TEST(HeaderError, EveryOneHasWords) {
  for (int i = 0; i <= static_cast<int>(HeaderError::TooLittleWork); ++i) {
    EXPECT_NE(to_string(static_cast<HeaderError>(i)), "unknown header error");
  }
}

}  // namespace
}  // namespace spv::chain::test
