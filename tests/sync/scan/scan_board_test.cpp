// Who is asked for what, what waits for its turn, and what a found coin puts back.
#include "sync/scan/scan_board.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "util/rng.h"

namespace spv::sync {
namespace {

using Heights = std::vector<chain::Height>;
using std::chrono::milliseconds;

class ScanBoardTest : public testing::Test {
 protected:
  ScanBoardTest() { board_.restart(10); }

  /// Lets a peer ask for up to `count` blocks under a filter; gives their heights.
  Heights ask(PeerId peer, std::size_t count, FilterEpoch epoch, chain::Height last = 1'000'000) {
    auto blocks = board_.pick(peer, count, last, now_);
    board_.asked(blocks, {peer, epoch, numbers_[peer]}, now_.monotonic + kPatience);
    for (const auto height : blocks) requests_[{peer, height}] = {peer, epoch, numbers_[peer]++};
    return blocks;
  }
  /// The answer to the peer's latest request for a block.
  void answer(PeerId peer, chain::Height height, std::size_t bytes = 0) {
    ScannedBlock block;
    block.request = requests_.at({peer, height});
    block.block.height = height;
    block.bytes = bytes;
    board_.answered(std::move(block));
  }
  Heights take_all() {
    Heights heights;
    while (auto block = board_.take()) heights.push_back(block->block.height);
    return heights;
  }
  /// Takes blocks up to this one, in which a coin is found.
  std::size_t find_at(chain::Height height) {
    while (auto block = board_.take()) {
      if (block->block.height == height)
        return board_.revoke(*block, kNobody, [](const ScannedBlock&) { return false; });
    }
    ADD_FAILURE() << height << " is not there";
    return 0;
  }

  static constexpr auto kPatience = milliseconds(700);
  static constexpr FilterEpoch kNobody = 1'000;  // no filter that was loaded so far
  ScanBoard board_;
  std::map<PeerId, std::uint64_t> numbers_;
  std::map<std::pair<PeerId, chain::Height>, RequestId> requests_;
  std::set<std::uint64_t> answered_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(ScanBoardTest, BlocksGoOutAscendingToWhoeverAsks) {
  EXPECT_EQ(ask(1, 2, 1), (Heights{10, 11}));
  EXPECT_EQ(ask(2, 3, 2), (Heights{12, 13, 14}));
  EXPECT_EQ(ask(1, 1, 1), (Heights{15}));
}

TEST_F(ScanBoardTest, NoPeerIsAskedForMoreThanItHas) {
  EXPECT_EQ(ask(1, 5, 1, 11), (Heights{10, 11}));
  EXPECT_EQ(ask(1, 5, 1, 11), Heights{});
  EXPECT_EQ(board_.unasked(11), 0U);
  EXPECT_EQ(board_.unasked(13), 2U);
}

TEST_F(ScanBoardTest, BlocksAreDeliveredInOrderWhoeverAnswersFirst) {
  ask(1, 2, 1);
  ask(2, 2, 2);
  answer(2, 13);
  answer(2, 12);
  EXPECT_EQ(take_all(), Heights{});
  answer(1, 10);
  EXPECT_EQ(take_all(), (Heights{10}));
  answer(1, 11);
  EXPECT_EQ(take_all(), (Heights{11, 12, 13}));
}

TEST_F(ScanBoardTest, WhatALostPeerOwesIsAskedForElsewhereAndWhatItBroughtStays) {
  ask(1, 4, 1);
  answer(1, 10);
  answer(1, 11);
  board_.lost(1);
  EXPECT_EQ(board_.unasked(13), 2U);
  EXPECT_EQ(ask(2, 9, 2, 13), (Heights{12, 13}));
  answer(2, 12);
  EXPECT_EQ(take_all(), (Heights{10, 11, 12}));
}

TEST_F(ScanBoardTest, AnswersThatNobodyWaitsForAreDropped) {
  ask(1, 2, 1);
  const auto old = requests_.at({1, 10});
  board_.lost(1);
  ask(2, 2, 2);
  ScannedBlock stray;
  stray.request = old;
  stray.block.height = 10;
  board_.answered(stray);
  EXPECT_EQ(take_all(), Heights{});
  stray.block.height = 999;
  board_.answered(stray);
}

TEST_F(ScanBoardTest, ACoinPutsBackWhatAnotherPeerWasAskedForAboveIt) {
  ask(1, 2, 1);   // 10, 11
  ask(2, 2, 2);   // 12, 13
  ask(1, 2, 1);   // 14, 15
  answer(2, 12);  // answered without the coin
  answer(1, 10);
  EXPECT_EQ(find_at(10), 2U);
  answer(1, 11);
  answer(2, 13);  // comes, but no longer counts
  EXPECT_EQ(take_all(), (Heights{11}));
  EXPECT_EQ(ask(2, 5, 3, 15), (Heights{12, 13}));
  answer(2, 12);
  EXPECT_EQ(take_all(), (Heights{12}));
}

TEST_F(ScanBoardTest, WhatThePeerServesAfterTheCoinUnderTheSameFilterStays) {
  ask(1, 6, 1);
  for (chain::Height h = 10; h <= 15; ++h) answer(1, h);
  EXPECT_EQ(find_at(12), 0U);
  EXPECT_EQ(take_all(), (Heights{13, 14, 15}));
}

TEST_F(ScanBoardTest, ANewFilterAtTheSamePeerDoesNotHoldACoinThatWasStillUnderWay) {
  ask(1, 2, 1);
  ask(1, 2, 2);
  answer(1, 10);
  EXPECT_EQ(find_at(10), 2U);
  EXPECT_EQ(ask(1, 9, 3, 13), (Heights{12, 13}));
}

// A peer that takes over an early block has served later ones before it, and not known of the coin then.
TEST_F(ScanBoardTest, WhatThePeerServedBeforeTheCoinIsPutBack) {
  ask(1, 2, 1);  // 10, 11
  ask(2, 2, 2);  // 12, 13
  board_.lost(1);
  ask(2, 2, 2);  // 10, 11, after 12 and 13
  for (chain::Height h = 10; h <= 13; ++h) answer(2, h);
  EXPECT_EQ(find_at(10), 2U);
  EXPECT_EQ(take_all(), (Heights{11}));
}

// The board does not look at every block for every coin; a plain model that does comes to the same.
TEST_F(ScanBoardTest, WhatACoinPutsBackIsWhatALookAtEveryBlockFinds) {
  util::Rng rng(std::uint64_t{11});
  std::size_t put_back = 0;
  for (int round = 0; round < 300; ++round) {
    board_ = {};
    board_.restart(10);
    std::map<chain::Height, RequestId> asked;  // the only request for a block that still counts
    FilterEpoch newest = 3;
    std::map<PeerId, FilterEpoch> epochs{{1, 1}, {2, 2}, {3, 3}};
    const auto peers = static_cast<PeerId>(1 + rng.below(3));
    for (int step = 0; step < 60; ++step) {
      const auto peer = static_cast<PeerId>(1 + rng.below(peers));
      const auto choice = rng.below(10);
      if (choice == 0) epochs[peer] = ++newest;
      if (choice < 4) {
        for (const auto height : ask(peer, 1 + rng.below(6), epochs[peer])) asked[height] = requests_[{peer, height}];
      } else if (choice == 4) {
        board_.lost(peer);
        std::erase_if(asked, [&](const auto& item) {
          return item.second.peer == peer && !answered_.contains(item.second.number * 8 + peer);
        });
      } else if (!asked.empty()) {
        auto some =
            std::next(asked.begin(), static_cast<std::ptrdiff_t>(rng.below(std::min<std::size_t>(asked.size(), 3))));
        answer(some->second.peer, some->first);
        answered_.insert(some->second.number * 8 + some->second.peer);
      }
      while (auto block = board_.take()) {
        asked.erase(block->block.height);
        if (rng.below(3) != 0) continue;
        const auto knows_not = [&](const auto& item) {
          const RequestId& request = item.second;
          return request.epoch != block->request.epoch || request.number < block->request.number;
        };
        const std::size_t expected = std::erase_if(asked, knows_not);
        ASSERT_EQ(board_.revoke(*block, kNobody, [](const ScannedBlock&) { return false; }), expected) << round;
        put_back += expected;
      }
      const auto oldest = std::ranges::min_element(asked, {}, [](const auto& item) { return item.second.epoch; });
      const FilterEpoch limit = 1 + rng.below(newest + 1);
      ASSERT_EQ(board_.has_older_than(limit), oldest != asked.end() && oldest->second.epoch < limit) << round;
      ASSERT_EQ(board_.unasked(board_.end() - 1),
                static_cast<std::size_t>(board_.end() - board_.next()) - asked.size());
    }
  }
  EXPECT_GT(put_back, 1'000U);
}

TEST_F(ScanBoardTest, KnowsWhetherAnythingBelongsToAnOlderFilter) {
  ask(1, 1, 1);
  ask(2, 1, 2);
  EXPECT_TRUE(board_.has_older_than(2));
  EXPECT_FALSE(board_.has_older_than(1));
  answer(1, 10);
  EXPECT_TRUE(board_.has_older_than(2)) << "it waits for its turn";
  EXPECT_EQ(take_all(), (Heights{10}));
  EXPECT_FALSE(board_.has_older_than(2));
}

TEST_F(ScanBoardTest, AnOverdueBlockIsAskedForElsewhereAndTheFirstAnswerCounts) {
  ask(1, 2, 1);
  EXPECT_EQ(board_.overdue_at(), now_.monotonic + kPatience);
  now_.monotonic += kPatience;
  EXPECT_EQ(ask(1, 2, 1, 11), Heights{}) << "not from the one that owes it";
  EXPECT_EQ(ask(2, 2, 2, 11), (Heights{10, 11}));
  EXPECT_EQ(ask(3, 2, 3, 11), Heights{}) << "the second is not overdue yet";
  EXPECT_EQ(board_.overdue_at(), now_.monotonic + kPatience);
  answer(2, 10);
  answer(1, 10);
  answer(1, 11);
  EXPECT_EQ(take_all(), (Heights{10, 11}));
}

TEST_F(ScanBoardTest, E2_SeveralThatAreSlowDoNotKeepABlockFromOthers) {
  for (PeerId peer = 1; peer <= ScanBoard::kMaxAsks; ++peer) {
    EXPECT_EQ(ask(peer, 1, peer, 10), Heights{10});
    now_.monotonic += kPatience;
  }
  EXPECT_FALSE(board_.overdue_at().has_value()) << "enough are asked";
  EXPECT_EQ(ask(9, 1, 9, 10), Heights{});
}

TEST_F(ScanBoardTest, AnswersRunAheadOnlySoFar) {
  ask(1, 1, 1);
  EXPECT_EQ(ask(2, 100'000, 2).size(), static_cast<std::size_t>(ScanBoard::kMaxAhead));
  EXPECT_EQ(ask(2, 1, 2), Heights{});
}

TEST_F(ScanBoardTest, AnswersThatWaitHoldOnlySoManyBytes) {
  ask(1, 1, 1);
  ask(2, 10, 2);
  answer(2, 11, ScanBoard::kMaxAheadBytes + 1);
  EXPECT_EQ(ask(2, 1, 2), Heights{});
  answer(1, 10);
  EXPECT_EQ(take_all(), (Heights{10, 11}));
  EXPECT_EQ(ask(2, 1, 2).size(), 1U);
}

TEST_F(ScanBoardTest, AWholeBlockIsAskedForAgainOnlyIfItHasMissedTheCoin) {
  const auto whole = [](PeerId peer, chain::Height height) {
    ScannedBlock block;
    block.request = {peer, 0, static_cast<std::uint64_t>(height), BlockKind::Whole};
    block.block.height = height;
    return block;
  };
  for (chain::Height height = 10; height < 15; ++height) {
    board_.asked({height}, whole(1, height).request, now_.monotonic + kPatience);
  }
  for (const chain::Height height : {10, 12, 13}) board_.answered(whole(1, height));
  const auto found = board_.take();
  ASSERT_TRUE(found.has_value());
  const auto missed = [](const ScannedBlock& answer) { return answer.block.height == 13; };
  // What is under way is matched when it comes, by all that is known then.
  EXPECT_EQ(board_.revoke(*found, kNobody, missed), 1U);
  EXPECT_EQ(ask(2, 5, 7, 14), Heights{13});
  board_.answered(whole(1, 11));
  EXPECT_EQ(take_all(), (Heights{11, 12}));
  answer(2, 13);
  EXPECT_EQ(take_all(), Heights{13});
}

TEST_F(ScanBoardTest, WhatWasAskedForWithACoinThatWasSeenAheadStands) {
  EXPECT_EQ(ask(1, 2, 1), (Heights{10, 11}));
  EXPECT_EQ(ask(2, 2, 2), (Heights{12, 13}));
  EXPECT_EQ(ask(2, 2, 5), (Heights{14, 15}));  // after the coin in 11 was seen: the filter holds it
  for (const chain::Height height : {10, 11}) answer(1, height);
  for (const chain::Height height : {12, 14}) answer(2, height);
  ASSERT_TRUE(board_.take().has_value());
  const auto found = board_.take();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(board_.revoke(*found, 5, [](const ScannedBlock&) { return false; }), 2U);
  EXPECT_EQ(ask(1, 5, 6, 15), (Heights{12, 13}));
  for (const chain::Height height : {12, 13}) answer(1, height);
  EXPECT_EQ(take_all(), (Heights{12, 13, 14}));
}

TEST_F(ScanBoardTest, ACoinFromAWholeBlockIsUnknownToEveryFilter) {
  board_.asked({10}, {1, 0, 0, BlockKind::Whole}, now_.monotonic + kPatience);
  EXPECT_EQ(ask(2, 2, 5), (Heights{11, 12}));
  ScannedBlock first;
  first.request = {1, 0, 0, BlockKind::Whole};
  first.block.height = 10;
  board_.answered(first);
  ASSERT_TRUE(board_.take().has_value());
  const auto never = [](const ScannedBlock&) { return false; };
  EXPECT_EQ(board_.revoke(first, std::nullopt, never), 0U);  // the filters hold it already
  EXPECT_EQ(board_.revoke(first, kNobody, never), 2U);
}

TEST_F(ScanBoardTest, WhatCompactFiltersHaveMatchedIsAskedForInOneWayOnlyUntilThatIsForgotten) {
  board_.asked({10, 11}, {.peer = 1, .epoch = 0, .number = 0, .kind = BlockKind::Compact}, now_.monotonic + kPatience);
  ScannedBlock block;
  block.request = {.peer = 1, .epoch = 0, .number = 0, .kind = BlockKind::Compact};
  block.block.height = 10;
  block.needs_whole = true;
  board_.answered(std::move(block));
  EXPECT_EQ(board_.pick(2, 1, 10, now_), Heights{});
  EXPECT_EQ(board_.pick_matched(2, 5, 11, now_), Heights{10});
  board_.forget_matches();
  EXPECT_EQ(board_.pick_matched(2, 5, 11, now_), Heights{});
  EXPECT_EQ(board_.pick(2, 1, 10, now_), Heights{10});
}

}  // namespace
}  // namespace spv::sync
