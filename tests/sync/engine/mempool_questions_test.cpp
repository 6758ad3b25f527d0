#include "sync/engine/mempool_questions.h"

#include <gtest/gtest.h>

#include "sync/watch/wallet_group.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;

class MempoolQuestionsTest : public testing::Test {
 protected:
  template <typename Message>
  std::size_t sent() {
    std::size_t count = 0;
    for (const auto& action : out_.take()) {
      count += std::holds_alternative<Message>(std::get<Send>(action).message) ? 1U : 0U;
    }
    return count;
  }
  void time_out() {
    now_.monotonic += seconds(10);
    relay_.tick(now_, out_);
    ASSERT_EQ(relay_.mempool(), MempoolState::TimedOut);
  }

  WalletGroup watcher_{util::Rng(1)};
  TxRelay relay_{watcher_, seconds(10)};
  MempoolQuestions questions_{relay_, false};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
};

TEST_F(MempoolQuestionsTest, EachPeerIsAskedOnce) {
  questions_.ask(1, true, now_, out_);
  questions_.ask(1, true, now_, out_);
  questions_.ask(2, true, now_, out_);
  EXPECT_EQ(sent<p2p::Mempool>(), 2U);
}

TEST_F(MempoolQuestionsTest, APeerWithoutOurFilterIsToldToAnnounceEverythingOnce) {
  questions_.ask(1, false, now_, out_);
  questions_.ask(1, false, now_, out_);
  questions_.ask(2, true, now_, out_);
  EXPECT_EQ(sent<p2p::FilterClear>(), 1U);
  questions_.on_peer_lost(1);
  questions_.ask(1, false, now_, out_);
  EXPECT_EQ(sent<p2p::FilterClear>(), 1U);
}

TEST_F(MempoolQuestionsTest, WhereTheMempoolIsSkippedOnlyAFollowerWantsAnnouncements) {
  TxRelay skips(watcher_, util::Duration::zero());
  MempoolQuestions once(skips, false);
  once.ask(1, false, now_, out_);
  EXPECT_TRUE(out_.take().empty());
  EXPECT_TRUE(once.settle(true, now_, out_));
  MempoolQuestions follower(skips, true);
  follower.ask(1, false, now_, out_);
  EXPECT_EQ(sent<p2p::FilterClear>(), 1U);
}

TEST_F(MempoolQuestionsTest, TheEndWaitsForAnAnswerOnlyIfSomebodyCanBeAsked) {
  EXPECT_TRUE(questions_.settle(false, now_, out_));
  EXPECT_FALSE(questions_.settle(true, now_, out_));
  questions_.ask(1, true, now_, out_);
  EXPECT_FALSE(questions_.settle(true, now_, out_));
  time_out();
  EXPECT_TRUE(questions_.settle(true, now_, out_));
}

TEST_F(MempoolQuestionsTest, AFindAfterTheQuestionNeedsAnotherOne) {
  questions_.on_found(now_);
  questions_.ask(1, true, now_, out_);
  time_out();
  EXPECT_EQ(sent<p2p::Mempool>(), 1U);
  EXPECT_TRUE(questions_.settle(true, now_, out_)) << "found before";
  questions_.on_found(now_);
  EXPECT_FALSE(questions_.settle(true, now_, out_));
  EXPECT_EQ(sent<p2p::Mempool>(), 1U);
}

TEST_F(MempoolQuestionsTest, WhatWasAnnouncedUnderAPartOfTheFilterIsNotAll) {
  questions_.ask(1, true, now_, out_);
  time_out();
  EXPECT_FALSE(questions_.note_sliced(false, now_));
  EXPECT_FALSE(questions_.note_sliced(true, now_));
  EXPECT_TRUE(questions_.settle(true, now_, out_));
  EXPECT_TRUE(questions_.note_sliced(false, now_));
  EXPECT_FALSE(questions_.settle(true, now_, out_));
  EXPECT_FALSE(questions_.note_sliced(false, now_)) << "once";
}

}  // namespace
}  // namespace spv::sync
