#include "serve/live/worker_pool.h"

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

/// Work that waits until it is let go, and says when it has begun.
class Blocker {
 public:
  WorkerPool::Work work() {
    return [this] {
      begun_.set_value();
      go_.get_future().wait();
      ended_ = true;
    };
  }
  void wait_until_begun() { begun_.get_future().wait(); }
  void let_go() { go_.set_value(); }
  bool has_ended() const { return ended_; }

 private:
  std::promise<void> begun_;
  std::promise<void> go_;
  std::atomic<bool> ended_ = false;
};

TEST(WorkerPool, T4_TakesNoMoreThanMayWait) {
  Blocker blocker;
  std::atomic<int> done = 0;
  std::promise<void> last;
  std::promise<void> after;
  {
    WorkerPool pool(1, 2);
    ASSERT_TRUE(pool.post(blocker.work()));
    blocker.wait_until_begun();
    EXPECT_TRUE(pool.post([&] { ++done; }));
    EXPECT_TRUE(pool.post([&] {
      ++done;
      last.set_value();
    }));
    EXPECT_FALSE(pool.post([&] { ++done; }));
    blocker.let_go();
    last.get_future().wait();
    EXPECT_TRUE(pool.post([&] { after.set_value(); }));
    after.get_future().wait();
  }
  EXPECT_EQ(done, 2);
}

TEST(WorkerPool, T5_StopDropsWhatWaitsAndLetsTheRestEnd) {
  Blocker blocker;
  WorkerPool pool(1, 10);
  ASSERT_TRUE(pool.post(blocker.work()));
  blocker.wait_until_begun();
  bool was_run = false;
  const auto held = std::make_shared<int>(0);
  ASSERT_TRUE(pool.post([&was_run, held] { was_run = true; }));
  std::thread stopper([&] { pool.stop(); });
  while (held.use_count() > 1) std::this_thread::yield();  // until the work that waits is dropped
  EXPECT_FALSE(blocker.has_ended());
  EXPECT_FALSE(pool.post([] {}));
  blocker.let_go();
  stopper.join();
  EXPECT_TRUE(blocker.has_ended());
  EXPECT_FALSE(was_run);
  pool.stop();
}

TEST(WorkerPool, T6_DoesWorkOfManyThreadsOnce) {
  constexpr int posters = 4;
  constexpr int each = 500;
  std::vector<std::atomic<int>> done(posters * each);
  std::atomic<int> left = posters * each;
  std::promise<void> all;
  WorkerPool pool(3, posters * each);
  std::vector<std::thread> threads;
  for (int poster = 0; poster < posters; ++poster) {
    threads.emplace_back([&, poster] {
      for (int n = 0; n < each; ++n) {
        EXPECT_TRUE(pool.post([&, at = static_cast<std::size_t>(poster * each + n)] {
          ++done[at];
          if (--left == 0) all.set_value();
        }));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  all.get_future().wait();
  pool.stop();
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(WorkerPool, WorkMayPostWork) {
  std::promise<bool> posted;
  std::promise<void> second;
  WorkerPool pool(1, 1);
  ASSERT_TRUE(pool.post([&] { posted.set_value(pool.post([&] { second.set_value(); })); }));
  EXPECT_TRUE(posted.get_future().get());
  second.get_future().wait();
}

}  // namespace
}  // namespace spv::serve
