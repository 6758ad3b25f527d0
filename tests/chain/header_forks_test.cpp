// Branches beside the best chain: what a source may hold, long ones that are fetched twice, and deep ones that wait
// for a second source.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"

namespace spv::chain::test {
namespace {

const NetworkParams& regtest() { return params(Network::Regtest); }

std::size_t held_of(const HeaderChain& chain, SourceId owner) {
  std::size_t sum = 0;
  for (const auto& branch : chain.side_branches().all()) sum += branch.owner == owner ? branch.headers.size() : 0;
  return sum;
}

constexpr BranchLimits kFew = {.branches = 3, .headers = 50, .dropped = 5, .forget_after = 1000, .deep = 100};

// --- H9: what a source may hold

TEST(SideBranches, H9_EachSourceHasItsOwnRoom) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 100, 1));
  const auto honest = mine_on(regtest().genesis, 40, 2);
  EXPECT_EQ(memory.accept_from(1, honest).error, std::nullopt);
  for (std::uint8_t salt = 3; salt < 8; ++salt) memory.accept_from(2, mine_on(regtest().genesis, 45, salt));
  EXPECT_TRUE(memory.chain.knows(honest.back().hash())) << "spam of another source pushed it out";
  EXPECT_EQ(held_of(memory.chain, 2), 45U);
}

TEST(SideBranches, H9_TheBranchWithTheLeastWorkGoesFirstAndNotTheLowest) {
  const TwoDifficulties two;
  MemoryChain memory(two.network, kFew);
  memory.accept(two.hard(two.network.genesis, 60));
  const auto heavy = [&] {  // eleven of work 4, up to height 11
    auto out = two.hard(two.network.genesis, 11);
    out.front().merkle_root.bytes[5] = 1;
    BlockHeader parent = two.network.genesis;
    for (auto& header : out) {
      header.previous = parent.hash();
      parent = header = mined(header, two.network);
    }
    return out;
  }();
  const auto light = two.easy(two.network.genesis, 20, 7);  // twenty of work 2, up to height 20
  memory.accept_from(1, light);
  memory.accept_from(1, heavy);
  memory.accept_from(1, two.easy(two.network.genesis, 25, 8));
  EXPECT_FALSE(memory.chain.knows(light.back().hash()));
  EXPECT_TRUE(memory.chain.knows(heavy.back().hash()));
}

TEST(SideBranches, H9_ABranchFromHigherUpHasTheWorkBelowItsForkToo) {
  MemoryChain memory(regtest(), kFew);
  const auto best = mine_on(regtest().genesis, 60, 1);
  memory.accept(best);
  for (const std::size_t at : {30U, 10U, 20U, 40U}) memory.accept_from(1, mine_on(best[at], 5, 2));
  EXPECT_FALSE(memory.chain.knows(mine_on(best[10], 5, 2).back().hash()));
  EXPECT_TRUE(memory.chain.knows(mine_on(best[20], 5, 2).back().hash()));
  EXPECT_TRUE(memory.chain.knows(mine_on(best[30], 5, 2).back().hash()));
}

TEST(SideBranches, H9_TheBlockAtTheHigherForkCountsToo) {
  MemoryChain memory(regtest(), kFew);
  const auto best = mine_on(regtest().genesis, 60, 1);
  memory.accept(best);
  const auto tip_of = [&](std::size_t at) { return mine_on(best[at], 5, 2).back().hash(); };
  for (const std::size_t at : {11U, 10U, 30U, 40U}) memory.accept_from(1, mine_on(best[at], 5, 2));
  EXPECT_TRUE(memory.chain.knows(tip_of(11)));
  EXPECT_FALSE(memory.chain.knows(tip_of(10))) << "a block less";
}

TEST(SideBranches, H9_BranchesThatFillTheRoomExactlyAreAllHeld) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 100, 1));
  for (const std::uint8_t salt : std::array<std::uint8_t, 2>{2, 3})
    memory.accept_from(1, mine_on(regtest().genesis, 25, salt));
  EXPECT_EQ(held_of(memory.chain, 1), 50U);
}

TEST(SideBranches, H9_ABranchAtTheLimitIsHeldAndOneAboveItIsNot) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 100, 1));
  const auto branch = mine_on(regtest().genesis, 51, 2);
  memory.accept_from(1, std::span(branch).first(50));
  EXPECT_EQ(held_of(memory.chain, 1), 50U);
  EXPECT_FALSE(memory.chain.is_probing(1));
  memory.accept_from(1, std::span(branch).last(1));
  EXPECT_EQ(held_of(memory.chain, 1), 0U);
  EXPECT_TRUE(memory.chain.is_probing(1));
}

TEST(SideBranches, H9_BranchAfterBranchWithoutWorkIsSpam) {
  MemoryChain memory(regtest(), kFew);
  const auto best = mine_on(regtest().genesis, 30, 1);
  memory.accept(best);
  std::uint8_t salt = 2;
  std::optional<HeaderError> error;
  for (; salt < 100 && !error; ++salt) error = memory.accept_from(1, mine_on(best[10], 1, salt)).error;
  EXPECT_EQ(error, HeaderError::TooLittleWork);
  EXPECT_EQ(salt - 2, 3 + 5 + 1) << "three are held, five may go";
  EXPECT_LE(held_of(memory.chain, 1), 3U);
}

TEST(SideBranches, H9_ASourceThatBringsUsForwardIsNoSpammer) {
  MemoryChain memory(regtest(), kFew);
  auto best = mine_on(regtest().genesis, 30, 1);
  memory.accept(best);
  for (std::uint8_t salt = 2; salt < 40; ++salt) {
    ASSERT_EQ(memory.accept_from(1, mine_on(best[best.size() - 3], 1, salt)).error, std::nullopt);
    const auto next = mine_on(best.back(), 1, 1);
    ASSERT_EQ(memory.accept_from(1, next).error, std::nullopt);
    best.push_back(next[0]);
  }
}

TEST(SideBranches, H9_WhatASourceHeldGoesWithIt) {
  MemoryChain memory;
  memory.accept(mine_on(regtest().genesis, 30, 1));
  const auto branch = mine_on(regtest().genesis, 5, 2);
  memory.accept_from(1, branch);
  memory.accept_from(2, mine_on(regtest().genesis, 5, 3));
  memory.chain.forget(1);
  EXPECT_FALSE(memory.chain.knows(branch.back().hash()));
  EXPECT_EQ(memory.chain.side_branches().all().size(), 1U);
}

TEST(SideBranches, H9_TheDefaultIsTwoBatchesASource) { EXPECT_LE(BranchLimits().headers, 2U * 2016); }

// --- H9, H14: branches too long to be held

/// Sends a branch as a peer does: in batches, from wherever it is asked to go on.
struct LongBranch {
  MemoryChain& memory;
  std::span<const BlockHeader> headers;
  SourceId source = 1;
  std::size_t batch = 20;
  std::size_t sent = 0;       // batches
  std::size_t most_held = 0;  // before it had won

  AcceptResult send_from(std::size_t at) {
    ++sent;
    const auto result = memory.accept_from(source, headers.subspan(at, std::min(batch, headers.size() - at)));
    if (!result.update.tip_changed()) most_held = std::max(most_held, held_of(memory.chain, source));
    return result;
  }
  std::size_t after(const BlockHash& hash) const {
    for (std::size_t i = 0; i < headers.size(); ++i) {
      if (headers[i].previous == hash) return i;
    }
    return headers.size();
  }
  /// Until there is no more to ask for.
  AcceptResult send() {
    AcceptResult result = send_from(0);
    while (!result.error) {
      const std::size_t next = after(result.update.ask_after.value_or(result.update.last.hash));
      if (next == headers.size()) break;
      result = send_from(next);
    }
    return result;
  }
};

TEST(BranchProbe, H14_AHeavierBranchIsFollowedHoweverDeep) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 400, 1));
  const auto branch = mine_on(regtest().genesis, 450, 2);
  LongBranch peer{memory, branch};
  const auto result = peer.send();
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{450, branch.back().hash()}));
  EXPECT_EQ(memory.chain.work(), Uint256(2 * 451));
  EXPECT_LE(peer.most_held, kFew.headers);
  EXPECT_FALSE(memory.chain.is_probing(1));
  // 21 batches show 420 headers, all are fetched again, and the last 30 follow.
  EXPECT_LE(peer.sent, 46U);
  EXPECT_EQ(memory.accept_from(1, mine_on(branch.back(), 1, 2)).update.added, 1U) << "the rules go on from there";
}

TEST(BranchProbe, H14_IsOneStepFromTheOldChainToTheNew) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 200, 1));
  const auto branch = mine_on(regtest().genesis, 220, 2);
  LongBranch peer{memory, branch};
  std::vector<Height> heights;
  AcceptResult result = peer.send_from(0);
  while (peer.after(result.update.ask_after.value_or(result.update.last.hash)) < branch.size()) {
    result = peer.send_from(peer.after(result.update.ask_after.value_or(result.update.last.hash)));
    if (result.update.tip_changed()) heights.push_back(memory.chain.height());
  }
  EXPECT_THAT(heights, testing::ElementsAre(220)) << "the last batch of the first time showed the work";
  EXPECT_EQ(result.update.fork_height, 0);
  EXPECT_EQ(result.update.added, 220U);
}

TEST(BranchProbe, H9_ALongBranchOfLittleWorkIsNeverHeldAndNeverStored) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 1'000, 1));
  const auto spam = mine_on(regtest().genesis, 990, 2);
  LongBranch peer{memory, spam};
  const auto result = peer.send();
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_EQ(result.update.ask_after, spam.back().hash()) << "more is wanted, or the peer is left";
  EXPECT_LE(peer.most_held, kFew.headers);
  EXPECT_EQ(held_of(memory.chain, 1), 0U);
  EXPECT_EQ(memory.chain.height(), 1'000);
}

TEST(BranchProbe, H15_EqualWorkIsNotEnough) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 200, 1));
  const auto branch = mine_on(regtest().genesis, 201, 2);
  LongBranch even{memory, std::span(branch).first(200)};
  const auto result = even.send();
  EXPECT_EQ(result.update.ask_after, branch[199].hash()) << "asked on from its tip, not again from the fork";
  const auto won = memory.accept_from(1, std::span(branch).subspan(200));
  EXPECT_EQ(won.update.ask_after, regtest().genesis_hash);
}

TEST(BranchProbe, H1_ABadHeaderEndsItTheFirstTime) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 400, 1));
  auto branch = mine_on(regtest().genesis, 450, 2);
  branch[130] = unmined(branch[130]);
  LongBranch peer{memory, branch};
  EXPECT_EQ(peer.send().error, HeaderError::BadProofOfWork);
  EXPECT_EQ(memory.chain.height(), 400);
}

TEST(BranchProbe, H9_OtherHeadersTheSecondTimeAreNotTaken) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 100, 1));
  const auto shown = mine_on(regtest().genesis, 120, 2);
  LongBranch peer{memory, shown};
  AcceptResult result = peer.send_from(0);
  while (result.update.ask_after != regtest().genesis_hash)
    result = peer.send_from(peer.after(result.update.last.hash));
  const auto other = mine_on(regtest().genesis, 120, 3);
  EXPECT_EQ(memory.accept_from(1, std::span(other).first(70)).error, HeaderError::Unconnected);
  EXPECT_FALSE(memory.chain.is_probing(1));
  EXPECT_EQ(memory.chain.height(), 100);
  EXPECT_EQ(held_of(memory.chain, 1), 0U);
}

TEST(BranchProbe, H9_NoHeaderCanBeExchangedTheSecondTime) {
  const auto shown = mine_on(regtest().genesis, 120, 2);
  for (const std::size_t at : {0U, 1U, 10U, 18U, 19U, 20U}) {
    MemoryChain memory(regtest(), kFew);
    memory.accept(mine_on(regtest().genesis, 100, 1));
    LongBranch peer{memory, shown};
    AcceptResult result = peer.send_from(0);
    while (result.update.ask_after != regtest().genesis_hash) {
      result = peer.send_from(peer.after(result.update.last.hash));
    }
    auto other = shown;
    other[at].time += 1;
    EXPECT_EQ(memory.accept_from(1, std::span(other).first(60)).error, HeaderError::Unconnected) << at;
    EXPECT_EQ(memory.chain.height(), 100);
  }
}

TEST(BranchProbe, MayBeSentInOtherBatchesTheSecondTime) {
  MemoryChain memory(regtest(), kFew);
  memory.accept(mine_on(regtest().genesis, 100, 1));
  const auto branch = mine_on(regtest().genesis, 120, 2);
  LongBranch peer{memory, branch};
  AcceptResult result = peer.send_from(0);
  while (result.update.ask_after != regtest().genesis_hash)
    result = peer.send_from(peer.after(result.update.last.hash));
  peer.batch = 7;
  while (result.update.ask_after) result = peer.send_from(peer.after(*result.update.ask_after));
  EXPECT_GE(memory.chain.height(), 101);
}

TEST(BranchProbe, GoesOnWhenTheBestChainGrewMeanwhile) {
  MemoryChain memory(regtest(), kFew);
  const auto best = mine_on(regtest().genesis, 140, 1);
  memory.accept(std::span(best).first(100));
  const auto branch = mine_on(regtest().genesis, 150, 2);
  LongBranch peer{memory, std::span(branch).first(120)};
  AcceptResult result = peer.send_from(0);
  while (result.update.ask_after != regtest().genesis_hash)
    result = peer.send_from(peer.after(result.update.last.hash));
  memory.accept_from(2, std::span(best).subspan(100));
  while (result.update.ask_after && peer.after(*result.update.ask_after) < 120) {
    result = peer.send_from(peer.after(*result.update.ask_after));
  }
  EXPECT_EQ(memory.chain.height(), 140);
  EXPECT_LE(held_of(memory.chain, 1), kFew.headers);
  peer.headers = branch;
  while (result.update.ask_after) result = peer.send_from(peer.after(*result.update.ask_after));
  EXPECT_EQ(memory.chain.tip(), (BlockRef{150, branch.back().hash()}));
}

TEST(BranchProbe, IsForgottenWhenItsForkIsUndone) {
  MemoryChain memory(regtest(), kFew);
  const auto best = mine_on(regtest().genesis, 150, 1);
  memory.accept(best);
  const auto branch = mine_on(best[9], 100, 2);
  LongBranch peer{memory, branch};
  peer.send();
  ASSERT_TRUE(memory.chain.is_probing(1));
  memory.accept_from(2, mine_on(best[4], 160, 3));  // undoes the block at which the branch leaves
  EXPECT_FALSE(memory.chain.is_probing(1));
}

TEST(BranchProbe, H13_EndsAfterSoManyBatchesWithoutWork) {
  MemoryChain memory(regtest(), {.headers = 10});
  const auto long_chain = mine_on(regtest().genesis, 2'200, 1);
  memory.accept(long_chain);
  const auto spam = mine_on(regtest().genesis, BranchProbe::kMaxMarks + 100, 2);
  LongBranch peer{.memory = memory, .headers = spam, .batch = 1};
  EXPECT_EQ(peer.send().error, HeaderError::TooLittleWork);
}

TEST(BranchProbe, H9_NeverBelowACheckpoint) {
  const auto best = mine_on(regtest().genesis, 300, 1);
  const std::array checkpoints = {Checkpoint{.height = 120, .hash = best[119].hash()}};
  NetworkParams network = regtest();
  network.checkpoints = checkpoints;
  MemoryChain memory(network, kFew);
  LongBranch peer{memory, best};
  EXPECT_EQ(peer.send().error, std::nullopt);
  EXPECT_EQ(memory.chain.height(), 300);
  EXPECT_EQ(peer.sent, 15U) << "the true chain is fetched once";
}

// --- H19: deep reorganisations

/// A chain of 300 that the client began with, and branches that leave it.
class DeepReorganisation : public testing::Test {
 protected:
  DeepReorganisation() : best_(mine_on(regtest().genesis, 300, 1)) {
    store_.replace_above(0, best_, best_.back().hash(), 2 * 301);
    chain_.emplace(regtest(), store_);
  }
  /// Leaves the chain so many blocks below its tip, and is one longer.
  std::vector<BlockHeader> branch(std::size_t depth, std::uint8_t salt = 2) const {
    return mine_on(best_[best_.size() - 1 - depth], depth + 1, salt);
  }
  AcceptResult send(SourceId source, std::span<const BlockHeader> headers, bool is_sole = false) {
    return chain_->accept(headers, kLater, {.id = source, .is_sole = is_sole});
  }

  const std::vector<BlockHeader> best_;
  MemoryHeaderStore store_{0, regtest().genesis, 2};
  std::optional<HeaderChain> chain_;
};

TEST_F(DeepReorganisation, H19_AHundredBlocksNeedNobodyElse) {
  const auto result = send(1, branch(100));
  EXPECT_TRUE(result.update.is_reorganisation());
  EXPECT_FALSE(result.update.held);
}

TEST_F(DeepReorganisation, H19_MoreThanAHundredWaitForASecondSource) {
  const auto deep = branch(101);
  const auto first = send(1, deep);
  EXPECT_EQ(first.error, std::nullopt);
  EXPECT_FALSE(first.update.tip_changed());
  EXPECT_EQ(first.update.held, (HeldBranch{.fork_height = 199, .tip = {301, deep.back().hash()}}));
  EXPECT_EQ(chain_->tip().hash, best_.back().hash());
  EXPECT_FALSE(send(1, deep).update.tip_changed()) << "the same source again";
  const auto second = send(2, deep);
  EXPECT_EQ(second.update.fork_height, 199);
  EXPECT_TRUE(second.update.is_reorganisation());
  EXPECT_EQ(second.update.new_tip, (BlockRef{301, deep.back().hash()}));
  EXPECT_EQ(chain_->work(), Uint256(2 * 302));
}

TEST_F(DeepReorganisation, H19_ASoleSourceCountsAlone) {
  EXPECT_TRUE(send(1, branch(150), true).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_PartOfTheBranchIsNoAgreement) {
  const auto deep = branch(150);
  send(1, deep);
  EXPECT_FALSE(send(2, std::span(deep).first(150)).update.tip_changed()) << "no more work than the best chain";
  EXPECT_TRUE(send(2, deep).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_WhoeverBuildsOnItAgrees) {
  const auto deep = branch(150);
  send(1, deep);
  EXPECT_TRUE(send(2, mine_on(deep.back(), 1, 2)).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_ATwigOfItIsNoAgreementUntilItIsHeavierItself) {
  const auto deep = branch(150);
  send(1, deep);
  const auto twig = mine_on(deep[100], 50, 4);  // as high as the best chain
  EXPECT_FALSE(send(2, twig).update.tip_changed());
  EXPECT_FALSE(send(2, mine_on(twig.back(), 1, 4)).update.tip_changed()) << "one source each";
}

TEST_F(DeepReorganisation, H19_TheBranchIsKeptWhileItsSourceIsAway) {
  const auto deep = branch(150);
  send(1, deep);
  chain_->forget(1);
  EXPECT_TRUE(send(2, deep).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_TheWayBackNeedsNobodyElseIfNobodyElseWasThere) {
  const auto deep = branch(150);
  send(1, deep, true);
  const auto back = mine_on(best_.back(), 3, 1);
  EXPECT_TRUE(send(2, back).update.is_reorganisation()) << "what one source alone has shown is not settled";
}

TEST_F(DeepReorganisation, H19_WhatTwoSourcesHaveShownIsSettled) {
  const auto deep = branch(150);
  send(1, deep);
  send(2, deep);
  const auto back = mine_on(best_.back(), 3, 1);
  EXPECT_TRUE(send(3, back).update.held);
  EXPECT_TRUE(send(1, back).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_AFreshChainFromOneSourceGivesWayToWork) {
  MemoryChain fresh;
  fresh.accept_from(1, mine_on(regtest().genesis, 200, 5));
  EXPECT_TRUE(fresh.accept_from(2, best_).update.is_reorganisation());
}

TEST_F(DeepReorganisation, H19_HoldsWhateverTheLength) {
  chain_.emplace(regtest(), store_, kFew);
  const auto deep = branch(250);
  for (const SourceId source : {SourceId{1}, SourceId{2}}) {
    std::size_t at = 0;
    AcceptResult result;
    while (at < deep.size()) {
      result = send(source, std::span(deep).subspan(at, std::min<std::size_t>(20, deep.size() - at)));
      ASSERT_EQ(result.error, std::nullopt);
      const auto next = result.update.ask_after.value_or(result.update.last.hash);
      at = 0;
      while (at < deep.size() && deep[at].previous != next) ++at;
    }
    EXPECT_EQ(result.update.held.has_value(), source == 1);
  }
  EXPECT_EQ(chain_->tip().hash, deep.back().hash());
}

TEST_F(DeepReorganisation, H19_ACheckpointNeedsNoSecondSource) {
  const auto deep = branch(150);
  const std::array known = {Checkpoint{.height = 301, .hash = deep.back().hash()}};
  NetworkParams network = regtest();
  network.checkpoints = known;
  chain_.emplace(network, store_);
  EXPECT_TRUE(send(1, deep).update.is_reorganisation());
}

}  // namespace
}  // namespace spv::chain::test
