#include "wallet/key_ring.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"

namespace spv::wallet {
namespace {

KeyRing ring(std::uint32_t gap_limit = 5) {
  const auto config = test::sample_config(gap_limit);
  return {config.key_chains, gap_limit, Wallet::fresh_state(config).key_chains};
}

KeyRing single_address_ring() {
  const auto descriptor = test::parse_descriptors("raw(00140102030405060708090a0b0c0d0e0f1011121314)").at(0);
  return {{{.descriptor = descriptor, .change = false}}, 5, {KeyRing::fresh_state(descriptor, 5)}};
}

TEST(KeyRing, WatchesTheLookAheadOfEachChain) {
  const KeyRing keys = ring();
  EXPECT_EQ(keys.state(0).watched, 50U);
  EXPECT_EQ(keys.scripts(1).size(), 50U);
  EXPECT_EQ(keys.find(test::receive_script(49)), (KeyId{0, 49}));
  EXPECT_EQ(keys.find(test::change_script(0)), (KeyId{1, 0}));
  EXPECT_FALSE(keys.find(test::receive_script(50)));
  EXPECT_FALSE(keys.find(test::foreign_script()));
  EXPECT_FALSE(keys.find({}));
}

TEST(KeyRing, StaysAsWideWhileTheGapLimitIsCovered) {
  KeyRing keys = ring();
  const auto use = keys.mark_used({0, 44});  // 45 to 49 are five more
  EXPECT_TRUE(use.changed);
  EXPECT_FALSE(use.widened);
  EXPECT_EQ(keys.state(0), (KeyChainState{.watched = 50, .last_used = 44, .next_unissued = 0}));
}

TEST(KeyRing, DoublesWhenTheGapLimitIsNotCovered) {
  KeyRing keys = ring();
  EXPECT_TRUE(keys.mark_used({0, 45}).widened);
  EXPECT_EQ(keys.state(0).watched, 100U);
  EXPECT_EQ(keys.find(test::receive_script(99)), (KeyId{0, 99}));
  EXPECT_FALSE(keys.find(test::change_script(50))) << "the other chain is as it was";
  EXPECT_TRUE(keys.mark_used({0, 98}).widened);
  EXPECT_EQ(keys.state(0).watched, 200U);
}

TEST(KeyRing, ReachesTheWholeLookAheadBeyondAUsedIndex) {
  const auto config = test::sample_config(5);
  KeyRing keys(config.key_chains, 5, {{.watched = 60, .last_used = {}, .next_unissued = 0}, {}});
  EXPECT_EQ(keys.state(1).watched, 50U) << "less than the look-ahead is mended";
  EXPECT_TRUE(keys.mark_used({0, 59}).widened);
  EXPECT_EQ(keys.state(0).watched, 120U);
  EXPECT_EQ(KeyRing::max_watched(keys.descriptor(0), 5, 59), 130U);
}

TEST(KeyRing, UsingAnIndexAgainOrALowerOneIsNoChange) {
  KeyRing keys = ring();
  keys.mark_used({0, 7});
  EXPECT_FALSE(keys.mark_used({0, 7}).changed);
  EXPECT_FALSE(keys.mark_used({0, 3}).changed);
  EXPECT_EQ(keys.state(0).last_used, 7U);
}

TEST(KeyRing, ADescriptorWithoutWildcardHasOneScript) {
  KeyRing keys = single_address_ring();
  EXPECT_EQ(keys.state(0).watched, 1U);
  const auto use = keys.mark_used({0, 0});
  EXPECT_TRUE(use.changed);
  EXPECT_FALSE(use.widened);
  EXPECT_EQ(keys.state(0).watched, 1U);
}

TEST(KeyRing, ADescriptorWithoutWildcardIssuesItsScriptOnceAndAlwaysShowsIt) {
  KeyRing keys = single_address_ring();
  EXPECT_EQ(keys.issue(0, true)->index, 0U);
  EXPECT_FALSE(keys.issue(0, true));
  keys.mark_used({0, 0});
  EXPECT_EQ(keys.issue(0, false)->index, 0U);
}

TEST(KeyRing, W14_NeverIssuesAnIndexTwice) {
  KeyRing keys = ring();
  std::set<std::uint32_t> issued;
  std::uint32_t used = 0;
  for (int i = 0; i < 60; ++i) {
    const auto issue = keys.issue(0, true);
    if (!issue) {
      keys.mark_used({0, used += 2});
      continue;
    }
    EXPECT_TRUE(issue->changed);
    EXPECT_TRUE(issued.insert(issue->index).second) << issue->index;
  }
  EXPECT_GT(issued.size(), 30U);
}

TEST(KeyRing, W14_IssuesAboveAllThatWasUsedOrIssuedBeforeARestart) {
  const auto config = test::sample_config(5);
  KeyRing used(config.key_chains, 5, {{.watched = 50, .last_used = 7, .next_unissued = 3}, {}});
  EXPECT_EQ(used.issue(0, true)->index, 8U);
  KeyRing issued(config.key_chains, 5, {{.watched = 50, .last_used = 7, .next_unissued = 10}, {}});
  EXPECT_EQ(issued.issue(0, true)->index, 10U);
}

TEST(KeyRing, IssuesNoMoreThanTheGapLimitAboveTheLastUsed) {
  KeyRing keys = ring();
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(keys.issue(0, true)->index, i);
  EXPECT_FALSE(keys.issue(0, true));
  EXPECT_EQ(keys.issue(0, false)->index, 4U) << "the current one is still there";
  keys.mark_used({0, 0});
  EXPECT_EQ(keys.issue(0, true)->index, 5U);
  EXPECT_FALSE(keys.issue(0, true));
}

TEST(KeyRing, HandsOutBeyondTheGapLimitAndWatchesWhatItHandsOut) {
  KeyRing keys = ring();
  bool widened = false;
  for (std::uint32_t i = 0; i < 120; ++i) {
    const auto issue = keys.issue_next(0);
    ASSERT_TRUE(issue);
    EXPECT_EQ(issue->index, i);
    EXPECT_GE(keys.state(0).watched, i + 1 + 5) << "the gap limit beyond it";
    widened = widened || issue->widened;
  }
  EXPECT_TRUE(widened);
  EXPECT_EQ(keys.find(test::receive_script(119)), (KeyId{0, 119}));
  EXPECT_LE(keys.state(0).watched, KeyRing::max_watched(keys.descriptor(0), 5, {}, 120)) << "a store takes it";
  EXPECT_GT(keys.state(0).watched, KeyRing::max_watched(keys.descriptor(0), 5, {}, 0));
}

TEST(KeyRing, WatchesWhatAnotherProgramHasHandedOut) {
  KeyRing keys = ring();
  const auto use = keys.hand_out_to({0, 300});
  EXPECT_TRUE(use.changed);
  EXPECT_TRUE(use.widened);
  EXPECT_GE(keys.state(0).watched, 301U + 5U) << "the gap limit beyond it";
  EXPECT_LE(keys.state(0).watched, KeyRing::max_watched(keys.descriptor(0), 5, {}, 301)) << "a store takes it";
  EXPECT_EQ(keys.issue_next(0)->index, 301U) << "nobody else gets those below";
  EXPECT_FALSE(keys.hand_out_to({0, 200}).changed);
  EXPECT_FALSE(keys.hand_out_to({0, KeyRing::kMaxIssuedAhead}).changed) << "a wild number changes nothing";
}

TEST(KeyRing, NoMoreThanALimitIsHandedOutUnused) {
  EXPECT_EQ(KeyRing::max_watched(ring().descriptor(0), 5, {}, 0xFFFF'FFFF),
            2 * (std::uint64_t{KeyRing::kMaxIssuedAhead} + 5))
      << "a wild number in a file is damage";
}

TEST(KeyRing, TheCurrentIndexStaysUntilItIsUsed) {
  KeyRing keys = ring();
  const auto first = keys.issue(0, false);
  EXPECT_EQ(first->index, 0U);
  EXPECT_TRUE(first->changed) << "it is shown, so it is issued";
  EXPECT_EQ(keys.issue(0, false)->index, 0U);
  EXPECT_FALSE(keys.issue(0, false)->changed);
  EXPECT_EQ(keys.issue(0, true)->index, 1U) << "--new moves on";
  EXPECT_EQ(keys.issue(0, false)->index, 1U);
  keys.mark_used({0, 1});
  EXPECT_EQ(keys.issue(0, false)->index, 2U);
  keys.mark_used({0, 4});
  EXPECT_EQ(keys.issue(0, false)->index, 5U);
}

// The first and the fourth receive script as addresses, then the chain that has both.
KeyRing shared_ring() {
  auto chains = test::sample_config(5).key_chains;
  for (const std::uint32_t index : {0U, 3U}) {
    const auto fixed = test::parse_descriptors("raw(" + util::to_hex(test::receive_script(index)) + ")").at(0);
    chains.insert(chains.begin() + (index == 0 ? 0 : 1), {.descriptor = fixed, .change = false});
  }
  std::vector<KeyChainState> states;
  for (const auto& chain : chains) states.push_back(KeyRing::fresh_state(chain.descriptor, 5));
  return {chains, 5, states};
}

TEST(KeyRing, AScriptOfSeveralChainsIsFoundInEachTheOneWithAWildcardFirst) {
  const KeyRing keys = shared_ring();
  EXPECT_TRUE(keys.has_shared_scripts());
  EXPECT_FALSE(ring().has_shared_scripts());
  EXPECT_EQ(keys.find(test::receive_script(0)), (KeyId{2, 0}));
  EXPECT_EQ(keys.find_all(test::receive_script(0)), (std::vector<KeyId>{{2, 0}, {0, 0}}));
  EXPECT_EQ(keys.find_all(test::receive_script(3)), (std::vector<KeyId>{{2, 3}, {1, 0}}));
  EXPECT_EQ(keys.find_all(test::receive_script(1)), (std::vector<KeyId>{{2, 1}}));
  EXPECT_TRUE(keys.find_all(test::foreign_script()).empty());
}

TEST(KeyRing, FindsTheFirstChainOfAKind) {
  EXPECT_EQ(ring().chain_for(false), 0U);
  EXPECT_EQ(ring().chain_for(true), 1U);
  EXPECT_FALSE(single_address_ring().chain_for(true));
}

}  // namespace
}  // namespace spv::wallet
