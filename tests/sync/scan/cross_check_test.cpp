#include "sync/scan/cross_check.h"

#include <cmath>

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

chain::Txid txid(std::uint8_t byte) {
  chain::Txid out;
  out.bytes[0] = byte;
  return out;
}

ScannedBlock block(chain::Height height, PeerId peer, std::uint32_t transactions = 5) {
  ScannedBlock out;
  out.block.height = height;
  out.request = {peer, 1, static_cast<std::uint64_t>(height)};
  out.transactions = transactions;
  return out;
}

/// Asks peer 2 for all that peer 1 served, and gives its answer for one of them.
CrossCheck::Verdict judged(CrossCheck& check, chain::Height height, const std::set<chain::Txid>& ours,
                           std::uint32_t transactions = 5) {
  const auto blocks = check.pick(2, 100, 1'000);
  check.asked(blocks, {2, 1, static_cast<std::uint64_t>(blocks.front().height)});
  const auto answer = block(height, 2, transactions);
  EXPECT_TRUE(check.wants(answer));
  return check.judge(answer, ours);
}

TEST(CrossCheckTest, EqualAnswersConfirmABlock) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1), {txid(1)});
  const auto verdict = judged(check, 10, {txid(1)});
  EXPECT_FALSE(verdict.faults.first || verdict.faults.second);
  EXPECT_TRUE(verdict.attested);
  EXPECT_FALSE(check.waits_for(2, 100));
}

TEST(CrossCheckTest, E6_WhoeverLeftSomethingOutIsNamed) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1), {});
  const auto first = judged(check, 10, {txid(1)});
  EXPECT_EQ(first.faults.first, DisconnectReason::Omission);
  EXPECT_FALSE(first.faults.second);
  EXPECT_EQ(first.first, 1U);
  check.on_applied(block(11, 1), {txid(1), txid(2)});
  const auto second = judged(check, 11, {txid(2)});
  EXPECT_FALSE(second.faults.first);
  EXPECT_EQ(second.faults.second, DisconnectReason::Omission);
  EXPECT_FALSE(first.attested || second.attested);
}

// A loose transaction that comes in between can show that what a peer delivered is ours.
TEST(CrossCheckTest, WhatTurnsOutToBeOursLaterWasNotLeftOut) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  auto served = block(10, 1);
  served.matched.push_back({.index = 1, .txid = txid(1), .tx = {}});
  check.on_applied(served, {});
  const auto verdict = judged(check, 10, {txid(1)});
  EXPECT_FALSE(verdict.faults.first || verdict.faults.second);
}

/// The whole block, from peer 3.
CrossCheck::Verdict decided(CrossCheck& check, chain::Height height, const std::set<chain::Txid>& ours,
                            std::uint32_t transactions) {
  const auto blocks = check.disputed(1'000);
  EXPECT_EQ(blocks.size(), 1U);
  auto whole = block(height, 3, transactions);
  whole.request.kind = BlockKind::Whole;
  check.asked(blocks, whole.request);
  EXPECT_TRUE(check.wants(whole));
  return check.judge(whole, ours);
}

TEST(CrossCheckTest, M14_WhereTwoShapesContradictTheWholeBlockDecides) {
  for (const std::uint32_t truth : {5U, 4U, 3U}) {
    CrossCheck check(CrossCheckMode::Full, util::Rng(1));
    check.on_applied(block(10, 1, 5), {});
    const auto open = judged(check, 10, {}, 4);
    EXPECT_FALSE(open.faults.first || open.faults.second);
    EXPECT_TRUE(check.has_disputes());
    EXPECT_TRUE(check.pick(3, 10, 100).empty());
    const auto verdict = decided(check, 10, {}, truth);
    EXPECT_EQ(verdict.first, 1U);
    EXPECT_EQ(verdict.second, 2U);
    EXPECT_EQ(verdict.faults.first.has_value(), truth != 5);
    EXPECT_EQ(verdict.faults.second.has_value(), truth != 4);
    EXPECT_FALSE(check.has_disputes());
  }
}

TEST(CrossCheckTest, M14_TheWholeBlockShowsWhatBothHaveLeftOut) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1, 5), {});
  judged(check, 10, {}, 4);
  const auto verdict = decided(check, 10, {txid(1)}, 5);
  EXPECT_EQ(verdict.faults.first, DisconnectReason::Omission);
  EXPECT_EQ(verdict.faults.second, DisconnectReason::BadProof);
}

TEST(CrossCheckTest, ADisputeOutlivesThePeerThatWasToSettleIt) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1, 5), {});
  judged(check, 10, {}, 4);
  check.asked(check.disputed(100), {3, 0, 10, BlockKind::Whole});
  EXPECT_TRUE(check.disputed(100).empty());
  check.lost(3);
  EXPECT_EQ(check.disputed(100).size(), 1U);
  EXPECT_TRUE(check.disputed(9).empty());
}

TEST(CrossCheckTest, M14_WhoeverHasDeliveredATransactionHasTheTrueShape) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  auto proved = block(10, 1, 5);
  proved.matched.emplace_back();
  check.on_applied(proved, {txid(1)});
  const auto verdict = judged(check, 10, {}, 1);
  EXPECT_FALSE(verdict.faults.first);
  EXPECT_EQ(verdict.faults.second, DisconnectReason::BadProof);
}

TEST(CrossCheckTest, NoPeerChecksItselfOrWhatItDoesNotHave) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1), {});
  EXPECT_TRUE(check.pick(1, 10, 100).empty());
  EXPECT_TRUE(check.pick(2, 10, 9).empty());
  EXPECT_FALSE(check.waits_for(1, 100));
  EXPECT_FALSE(check.waits_for(2, 9));
  EXPECT_EQ(check.pick(2, 10, 10).size(), 1U);
  EXPECT_TRUE(check.waits_for(2, 10));
}

TEST(CrossCheckTest, WhatALostPeerWasAskedForGoesToAnother) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  check.on_applied(block(10, 1), {});
  check.asked(check.pick(2, 10, 100), {2, 1, 10});
  EXPECT_TRUE(check.pick(3, 10, 100).empty());
  check.lost(2);
  EXPECT_EQ(check.pick(3, 10, 100).size(), 1U);
  EXPECT_FALSE(check.wants(block(10, 2)));
}

TEST(CrossCheckTest, BlocksAboveAForkAreForgotten) {
  CrossCheck check(CrossCheckMode::Full, util::Rng(1));
  for (chain::Height height = 10; height < 20; ++height) check.on_applied(block(height, 1), {});
  check.asked(check.pick(2, 100, 100), {2, 1, 10});
  check.restart(14);
  EXPECT_EQ(check.pick(2, 100, 100).size(), 5U);
}

// The stated probability: all blocks with something of ours, and one in twenty of the others (three sigma).
TEST(CrossCheckTest, E6_TheSampleIsOneInTwentyAndEveryBlockOfOurs) {
  CrossCheck check(CrossCheckMode::Sample, util::Rng(7));
  constexpr chain::Height kBlocks = 100'000;
  for (chain::Height height = 0; height < kBlocks; ++height) check.on_applied(block(height, 1), {});
  const auto chosen = static_cast<double>(check.pick(2, kBlocks, kBlocks).size());
  EXPECT_NEAR(chosen, kBlocks * CrossCheck::kSampleShare, 3 * std::sqrt(kBlocks * 0.05 * 0.95));
  CrossCheck ours(CrossCheckMode::Sample, util::Rng(7));
  for (chain::Height height = 0; height < 1'000; ++height) ours.on_applied(block(height, 1), {txid(1)});
  EXPECT_EQ(ours.pick(2, 5'000, 5'000).size(), 1'000U);
  CrossCheck found_before(CrossCheckMode::Sample, util::Rng(7));
  for (chain::Height height = 0; height < 1'000; ++height) found_before.on_applied(block(height, 1), {}, true);
  EXPECT_EQ(found_before.pick(2, 5'000, 5'000).size(), 1'000U) << "where another slice has found something";
}

TEST(CrossCheckTest, OffChecksNothingAndWhatWaitsInVainIsBounded) {
  CrossCheck off(CrossCheckMode::Off, util::Rng(1));
  off.on_applied(block(10, 1), {txid(1)});
  EXPECT_TRUE(off.pick(2, 10, 100).empty());
  CrossCheck full(CrossCheckMode::Full, util::Rng(1));
  for (chain::Height height = 0; height < 20'000; ++height) full.on_applied(block(height, 1), {});
  EXPECT_EQ(full.pick(2, 50'000, 50'000).size(), CrossCheck::kMaxWaiting);
}

}  // namespace
}  // namespace spv::sync
