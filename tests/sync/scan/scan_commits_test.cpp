// When a commit is due, and that the user hears of nothing before it.
#include "sync/scan/scan_commits.h"

#include <gtest/gtest.h>

#include "tests/support/recording_watcher.h"

namespace spv::sync {
namespace {

using std::chrono::microseconds;

class ScanCommitsTest : public testing::Test {
 protected:
  static WatchEffect seen(std::size_t count) {
    WatchEffect effect;
    for (std::size_t i = 0; i < count; ++i) effect.seen.push_back({{}, static_cast<chain::Amount>(i), {}});
    return effect;
  }
  std::vector<Action> flush() {
    commits_.flush(now_, out_);
    return out_.take();
  }
  static chain::Amount told(const Action& action) {
    return std::get<TransactionSeen>(std::get<Notify>(action).event).net;
  }

  test::RecordingWatcher watcher_;
  ScanCommits commits_{watcher_};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(ScanCommitsTest, TheFirstCommitIsDueAtOnceAndTheNextASecondLater) {
  EXPECT_TRUE(commits_.is_due(now_));
  flush();
  EXPECT_FALSE(commits_.is_due(now_));
  now_.monotonic += ScanCommits::kInterval - microseconds(1);
  EXPECT_FALSE(commits_.is_due(now_));
  now_.monotonic += microseconds(1);
  EXPECT_TRUE(commits_.is_due(now_));
}

TEST_F(ScanCommitsTest, ACommitIsDueSoonerWhereManyTransactionsWait) {
  flush();
  commits_.note(seen(ScanCommits::kMaxPendingTransactions - 1));
  EXPECT_FALSE(commits_.is_due(now_));
  commits_.note(seen(1));
  EXPECT_TRUE(commits_.is_due(now_));
  flush();
  EXPECT_FALSE(commits_.is_due(now_));
}

TEST_F(ScanCommitsTest, TheUserHearsBehindTheCommitInTheOrderOfTheFindsAndOnce) {
  watcher_.changes.push_back({.wallet = 7, .changes = {}});
  commits_.note(seen(2));
  commits_.note(seen(1));
  const auto actions = flush();
  ASSERT_EQ(actions.size(), 4U);
  ASSERT_EQ(std::get<Persist>(actions[0]).wallets.size(), 1U);
  EXPECT_EQ(std::get<Persist>(actions[0]).wallets[0].wallet, 7U);
  EXPECT_EQ(told(actions[1]), 0);
  EXPECT_EQ(told(actions[2]), 1);
  EXPECT_EQ(told(actions[3]), 0);
  EXPECT_TRUE(flush().empty());
}

TEST_F(ScanCommitsTest, WithoutAChangeNothingIsCommitted) {
  commits_.note(seen(1));
  const auto actions = flush();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(told(actions[0]), 0);
}

TEST_F(ScanCommitsTest, TheVersionIsThatOfTheLastCommit) {
  EXPECT_EQ(commits_.version(), 0U);
  watcher_.transactions_version = 5;
  EXPECT_EQ(commits_.version(), 0U) << "it is not committed yet";
  flush();
  EXPECT_EQ(commits_.version(), 5U);
}

}  // namespace
}  // namespace spv::sync
