#include "serve/live/pruner.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/live/memory_store.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;

template <typename Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(2));
  return condition();
}

TEST(PrunerTest, CountsDaysWithDecimals) {
  EXPECT_EQ(serve::keep_time(90).count(), 7'776'000);
  EXPECT_EQ(serve::keep_time(0.5).count(), 43'200);
  EXPECT_EQ(serve::keep_time(0).count(), 0);
  EXPECT_EQ(serve::keep_time(-1).count(), 0);
  EXPECT_EQ(serve::keep_time(1e300).count(), 31'536'000'000);
}

TEST(PrunerTest, PrunesAtTheStartAndThenAgain) {
  MemoryStore store;
  std::atomic<util::UnixTime> now = 10'000;
  for (util::UnixTime time = 9'000; time <= 10'000; time += 100) store.append("mine", wallet::TxEvent{}, time);
  serve::Pruner pruner(
      store, {.keep = std::chrono::seconds(500), .every = milliseconds(10), .now = [&] { return now.load(); }},
      nullptr);
  pruner.start();
  ASSERT_TRUE(comes_true([&] { return store.oldest_event() == 6; })) << "that of 9,500 is kept";
  now = 10'300;
  ASSERT_TRUE(comes_true([&] { return store.oldest_event() == 9; }));
}

TEST(PrunerTest, GoesOnAfterTheStoreWasAway) {
  MemoryStore store;
  store.append("mine", wallet::TxEvent{}, 1);
  store.set_away(true);
  std::atomic<int> warnings = 0;
  const auto log = [&](util::LogLevel level, std::string_view line) {
    EXPECT_EQ(level, util::LogLevel::Warn);
    EXPECT_THAT(std::string(line), testing::HasSubstr("cannot prune old events: the database is away"));
    ++warnings;
  };
  serve::Pruner pruner(store, {.keep = std::chrono::seconds(1), .every = milliseconds(5), .now = [] { return 100; }},
                       log);
  pruner.start();
  const int asked = store.asked;
  ASSERT_TRUE(comes_true([&] { return store.asked > asked + 5; }));
  EXPECT_EQ(warnings, 1) << "says it once";
  store.set_away(false);
  ASSERT_TRUE(comes_true([&] { return !store.oldest_event(); }));
}

TEST(PrunerTest, StopsAtOnceInTheMiddleOfItsMinute) {
  MemoryStore store;
  serve::Pruner pruner(store, {.keep = std::chrono::seconds(1), .now = [] { return 100; }}, nullptr);
  pruner.start();
  ASSERT_TRUE(comes_true([&] { return store.prunings == 1; }));
  const auto began = std::chrono::steady_clock::now();
  pruner.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace spv::test
