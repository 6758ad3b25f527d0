#include "client/events.h"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace spv::client {
namespace {

using namespace std::chrono_literals;

TEST(Events, WaitInTheQueueWhereNobodySubscribes) {
  Events events;
  int woken = 0;
  events.on_wake([&] { ++woken; });
  events.push(TipEvent{1, "a"});
  EXPECT_EQ(woken, 0) << "not before they are delivered: the caller may hold a lock";
  events.deliver();
  EXPECT_EQ(woken, 1);
  events.deliver();
  EXPECT_EQ(woken, 1) << "nothing came since";
  EXPECT_EQ(std::get<TipEvent>(*events.queue().pop(0ms)).height, 1);
}

TEST(Events, GoToTheSubscriberInTheirOrder) {
  Events events;
  std::vector<int> heights;
  bool within = false;
  events.subscribe([&](const Event& event) {
    heights.push_back(std::get<TipEvent>(event).height);
    within = events.in_callback();
  });
  events.push(TipEvent{1, ""});
  events.tell(TipEvent{2, ""});
  EXPECT_EQ(heights, (std::vector{1, 2}));
  EXPECT_TRUE(within);
  EXPECT_FALSE(events.in_callback());
  EXPECT_FALSE(events.queue().pop(0ms));
}

TEST(Events, OutliveACallbackThatThrowsOrReplacesItself) {
  Events events;
  int later = 0;
  events.subscribe([&](const Event&) {
    events.subscribe([&](const Event&) { ++later; });
    throw std::runtime_error("the user's");
  });
  events.push(TipEvent{1, ""});
  events.tell(TipEvent{2, ""});
  EXPECT_EQ(later, 1);
  EXPECT_FALSE(events.in_callback());
}

TEST(Events, T3_WaitForACallbackThatRunsBeforeItIsReplaced) {
  Events events;
  std::atomic<bool> entered = false;
  std::atomic<bool> left = false;
  events.on_wake([&] {
    entered = true;
    std::this_thread::sleep_for(50ms);
    left = true;
  });
  std::thread other([&] { events.tell(TipEvent{1, ""}); });
  while (!entered) std::this_thread::yield();
  events.on_wake({});
  EXPECT_TRUE(left);
  EXPECT_FALSE(events.in_callback()) << "another thread is, or was";
  other.join();
}

}  // namespace
}  // namespace spv::client
