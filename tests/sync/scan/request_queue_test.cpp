// What one peer was asked for, in order: which answer is for which request, and what a fence says of the rest.
#include "sync/scan/request_queue.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RequestQueueTest : public testing::Test {
 protected:
  static chain::BlockHash hash(chain::Height height) {
    chain::BlockHash hash;
    hash.bytes[0] = static_cast<std::uint8_t>(height);
    return hash;
  }
  RequestId add(chain::Height first, chain::Height last, std::uint64_t fence, BlockKind kind = BlockKind::Filtered,
                FilterEpoch epoch = 1) {
    std::vector<chain::BlockRef> blocks;
    for (auto height = first; height <= last; ++height) blocks.push_back({height, hash(height)});
    return queue_.add(blocks, kind, epoch, fence, now_);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(chain::Height height, BlockKind kind = BlockKind::Filtered) const {
    return queue_.find(hash(height), kind);
  }

  RequestQueue queue_{3};
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
};

// --- order ----------------------------------------------------------------------------------------------------------

TEST_F(RequestQueueTest, RequestsAreNumberedInTheirOrder) {
  EXPECT_EQ(add(1, 2, 77, BlockKind::Filtered, 5), (RequestId{3, 5, 0, BlockKind::Filtered}));
  EXPECT_EQ(add(9, 9, 78, BlockKind::Whole, 0), (RequestId{3, 0, 2, BlockKind::Whole}));
  EXPECT_EQ(queue_.first(), 0U);
  EXPECT_EQ(queue_.end(), 3U);
  EXPECT_EQ(queue_.at(1).result.request, (RequestId{3, 5, 1, BlockKind::Filtered}));
  EXPECT_EQ(queue_.at(1).result.block, (chain::BlockRef{2, hash(2)}));
}

TEST_F(RequestQueueTest, TheFrontIsTakenAndTheNumbersGoOn) {
  add(1, 2, 77);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_EQ(queue_.take().result.block.height, 1);
  EXPECT_EQ(queue_.first(), 1U);
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(add(3, 3, 78).number, 2U);
  EXPECT_EQ(queue_.at(2).result.block.height, 3);
}

TEST_F(RequestQueueTest, WhatIsUnderWayIsCountedByKind) {
  add(1, 3, 77);
  add(4, 5, 78, BlockKind::Whole);
  EXPECT_EQ(queue_.count(BlockKind::Filtered), 3U);
  EXPECT_EQ(queue_.count(BlockKind::Whole), 2U);
  EXPECT_EQ(queue_.front_kind(), BlockKind::Filtered);
  for (int i = 0; i < 3; ++i) queue_.take();
  EXPECT_EQ(queue_.count(BlockKind::Filtered), 0U);
  EXPECT_EQ(queue_.count(BlockKind::Whole), 2U);
  EXPECT_EQ(queue_.front_kind(), BlockKind::Whole);
}

TEST_F(RequestQueueTest, AnAnswerOfAnotherKindIsNone) {
  add(1, 1, 77);
  EXPECT_EQ(find(1, BlockKind::Whole), std::nullopt);
  EXPECT_EQ(find(1), 0U);
  EXPECT_EQ(find(2), std::nullopt);
}

// --- passing over ---------------------------------------------------------------------------------------------------

TEST_F(RequestQueueTest, AnAnswerMarksItsRequestAlone) {
  add(1, 2, 77);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_TRUE(queue_.at(0).answered);
  EXPECT_FALSE(queue_.at(1).answered);
}

TEST_F(RequestQueueTest, ABlockThatIsPassedOverWasNotServed) {
  add(1, 3, 77);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_EQ(find(3), 2U);
  EXPECT_EQ(queue_.on_answer(2, now_), DisconnectReason::BlocksNotServed);
}

TEST_F(RequestQueueTest, WhatNoLongerCountsMayBePassedOver) {
  add(1, 2, 77);
  queue_.forget();
  EXPECT_FALSE(queue_.on_answer(1, now_));
  EXPECT_EQ(find(1), std::nullopt) << "the node answers in order: it comes no more";
}

TEST_F(RequestQueueTest, WhatIsForgottenIsStillUnderWayAndWhatIsAddedLaterCounts) {
  add(1, 2, 77);
  queue_.forget();
  add(3, 3, 78);
  EXPECT_EQ(queue_.size(), 3U);
  EXPECT_FALSE(queue_.at(0).counts);
  EXPECT_FALSE(queue_.at(1).counts);
  EXPECT_TRUE(queue_.at(2).counts);
}

// --- fences ---------------------------------------------------------------------------------------------------------

TEST_F(RequestQueueTest, AFenceClosesItsBatch) {
  add(1, 2, 77);
  add(3, 4, 78);
  EXPECT_EQ(queue_.on_fence(77, now_), 1U);
  EXPECT_EQ(find(1), std::nullopt) << "what has not come by then never comes";
  EXPECT_EQ(find(3), 2U);
  EXPECT_EQ(queue_.on_fence(78, now_), 3U);
}

TEST_F(RequestQueueTest, AFenceThatIsNotOursSaysNothing) {
  add(1, 1, 77);
  EXPECT_EQ(queue_.on_fence(5, now_), std::nullopt);
  EXPECT_EQ(find(1), 0U);
  EXPECT_EQ(queue_.on_fence(77, now_), 0U);
  EXPECT_EQ(queue_.on_fence(77, now_), std::nullopt) << "nor does one that came before";
}

TEST_F(RequestQueueTest, AFenceClosesTheBatchesBeforeItToo) {
  add(1, 2, 77);
  add(3, 4, 78);
  EXPECT_EQ(queue_.on_fence(78, now_), 3U);
  EXPECT_EQ(find(3), std::nullopt);
  EXPECT_EQ(queue_.on_fence(77, now_), std::nullopt);
}

TEST_F(RequestQueueTest, BeforeItsFenceNoAnswerIsForALaterBatch) {
  add(1, 1, 77);
  add(2, 2, 78);
  EXPECT_EQ(find(2), std::nullopt);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_EQ(find(2), std::nullopt);
  EXPECT_EQ(queue_.on_fence(77, now_), 0U);
  EXPECT_EQ(find(2), 1U);
}

TEST_F(RequestQueueTest, M11_ARepeatedAnswerIsForTheLaterRequestOnlyBehindTheFence) {
  add(1, 1, 77, BlockKind::Filtered, 1);
  add(1, 1, 78, BlockKind::Filtered, 2);
  EXPECT_EQ(find(1), 0U);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_EQ(find(1), std::nullopt) << "a copy made under the first filter";
  EXPECT_EQ(queue_.on_fence(77, now_), 0U);
  EXPECT_EQ(find(1), 1U);
  EXPECT_FALSE(queue_.on_answer(1, now_));
  EXPECT_EQ(find(1), std::nullopt);
}

// --- memory ---------------------------------------------------------------------------------------------------------

TEST_F(RequestQueueTest, WhatIsHeldIsLetGoWithItsBlock) {
  add(1, 2, 77);
  queue_.at(0).result.bytes = 100;
  queue_.at(1).result.bytes = 20;
  queue_.hold(100);
  queue_.hold(20);
  EXPECT_EQ(queue_.held_bytes(), 120U);
  queue_.take();
  EXPECT_EQ(queue_.held_bytes(), 20U);
  queue_.take();
  EXPECT_EQ(queue_.held_bytes(), 0U);
}

// --- time -----------------------------------------------------------------------------------------------------------

TEST_F(RequestQueueTest, SomethingIsDueUntilTheLastFenceCame) {
  EXPECT_EQ(queue_.waits_since(), std::nullopt);
  add(1, 1, 77);
  EXPECT_EQ(queue_.waits_since(), now_.monotonic);
  now_.monotonic += seconds(1);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  queue_.take();
  EXPECT_EQ(queue_.waits_since(), now_.monotonic) << "the fence is still out";
  EXPECT_EQ(queue_.on_fence(77, now_), 0U);
  EXPECT_EQ(queue_.waits_since(), std::nullopt);
}

TEST_F(RequestQueueTest, AskingForMoreIsNoProgress) {
  add(1, 1, 77);
  const auto asked = now_.monotonic;
  now_.monotonic += seconds(1);
  add(2, 2, 78);
  EXPECT_EQ(queue_.waits_since(), asked);
  queue_.on_progress(now_);
  EXPECT_EQ(queue_.waits_since(), now_.monotonic);
}

TEST_F(RequestQueueTest, AnAnswerIsLateWhenPatienceIsAtItsEnd) {
  EXPECT_FALSE(queue_.is_late(now_)) << "nothing was asked for";
  add(1, 2, 77);
  now_.monotonic += queue_.pace(BlockKind::Filtered).patience();
  EXPECT_FALSE(queue_.is_late(now_));
  now_.monotonic += milliseconds(1);
  EXPECT_TRUE(queue_.is_late(now_));
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_FALSE(queue_.is_late(now_));
}

TEST_F(RequestQueueTest, HowLongAnAnswerTakesIsMeasuredForItsKind) {
  add(1, 1, 77, BlockKind::Whole);
  now_.monotonic += milliseconds(30);
  EXPECT_FALSE(queue_.on_answer(0, now_));
  EXPECT_EQ(queue_.pace(BlockKind::Whole).round_trip(), milliseconds(30));
  EXPECT_EQ(queue_.pace(BlockKind::Filtered).round_trip(), std::nullopt);
}

// Seventeen answers make a measurement; one of another kind among them spoils it.
TEST_F(RequestQueueTest, AnAnswerOfAnotherKindBetweenThemEndsAMeasurement) {
  add(1, 16, 77);
  add(17, 17, 78, BlockKind::Whole);
  add(18, 40, 79);
  const auto answer = [&](std::uint64_t number) {
    now_.monotonic += milliseconds(1);
    EXPECT_FALSE(queue_.on_answer(number, now_));
  };
  for (std::uint64_t number = 0; number <= 32; ++number) answer(number);
  EXPECT_EQ(queue_.pace(BlockKind::Filtered).block_time(), std::nullopt);
  answer(33);
  EXPECT_EQ(queue_.pace(BlockKind::Filtered).block_time(), milliseconds(1));
  queue_.forget_pace(BlockKind::Filtered);
  EXPECT_EQ(queue_.pace(BlockKind::Filtered).block_time(), std::nullopt);
}

}  // namespace
}  // namespace spv::sync
