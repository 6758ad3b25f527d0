#include "sync/relay/mempool_wait.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::seconds;

class MempoolWaitTest : public testing::Test {
 protected:
  MempoolWait wait_{seconds(10), seconds(5)};
  util::TimePoint now_ = util::TimePoint{} + seconds(100);
};

TEST_F(MempoolWaitTest, NoTimeMeansThatNobodyIsAsked) {
  EXPECT_EQ(MempoolWait(seconds(0), seconds(5)).state(), MempoolState::Skipped);
  EXPECT_EQ(wait_.state(), MempoolState::Idle);
  EXPECT_EQ(wait_.deadline(false), std::nullopt);
}

TEST_F(MempoolWaitTest, TheFirstPeerThatIsAskedBeginsIt) {
  EXPECT_TRUE(wait_.ask(1, now_));
  EXPECT_FALSE(wait_.ask(2, now_ + seconds(3)));
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  EXPECT_EQ(wait_.asked_at(), now_);
  EXPECT_EQ(wait_.deadline(false), now_ + seconds(10));
  EXPECT_TRUE(wait_.has_asked(2));
  EXPECT_FALSE(wait_.has_asked(3));
}

TEST_F(MempoolWaitTest, AllMustAnswerAndAllMustBeFetched) {
  wait_.ask(1, now_);
  wait_.ask(2, now_);
  wait_.on_announced(1);
  wait_.on_announced(3);
  wait_.settle(false);
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  wait_.on_announced(2);
  wait_.settle(true);
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  wait_.settle(false);
  EXPECT_EQ(wait_.state(), MempoolState::Answered);
}

TEST_F(MempoolWaitTest, ALostPeerIsNotWaitedForButSomebodyMustAnswer) {
  wait_.ask(1, now_);
  wait_.ask(2, now_);
  wait_.on_announced(1);
  wait_.on_peer_lost(2);
  wait_.on_peer_lost(1);
  wait_.settle(false);
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  wait_.ask(3, now_);
  wait_.on_announced(3);
  wait_.settle(false);
  EXPECT_EQ(wait_.state(), MempoolState::Answered);
}

TEST_F(MempoolWaitTest, WhatIsBeingFetchedMakesItLonger) {
  wait_.ask(1, now_);
  wait_.tick(true, now_ + seconds(10));
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  EXPECT_EQ(wait_.deadline(true), now_ + seconds(15));
  wait_.tick(true, now_ + seconds(15));
  EXPECT_EQ(wait_.state(), MempoolState::TimedOut);
}

TEST_F(MempoolWaitTest, AnEndThatIsNoticedLateIsPutOffOnce) {
  wait_.ask(1, now_);
  wait_.tick(false, now_ + seconds(20));
  EXPECT_EQ(wait_.state(), MempoolState::Asked);
  EXPECT_EQ(wait_.deadline(false), now_ + seconds(20) + MempoolWait::kLateTick);
  wait_.tick(false, now_ + seconds(40));
  EXPECT_EQ(wait_.state(), MempoolState::TimedOut);
}

TEST_F(MempoolWaitTest, ItCanBeExtendedButNotCutShort) {
  wait_.ask(1, now_);
  wait_.extend_to(now_ + seconds(3));
  EXPECT_EQ(wait_.deadline(false), now_ + seconds(10));
  wait_.extend_to(now_ + seconds(30));
  EXPECT_EQ(wait_.deadline(false), now_ + seconds(30));
}

TEST_F(MempoolWaitTest, ARestartBeginsAnewWithTheSamePeers) {
  wait_.ask(1, now_);
  wait_.on_announced(1);
  wait_.settle(false);
  EXPECT_EQ(wait_.restart(), std::set<PeerId>{1});
  EXPECT_TRUE(wait_.ask(1, now_ + seconds(60)));
  wait_.settle(false);
  EXPECT_EQ(wait_.state(), MempoolState::Asked) << "the old answer does not count";
  EXPECT_EQ(wait_.deadline(false), now_ + seconds(70));
}

}  // namespace
}  // namespace spv::sync
