#include "client/guarded.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spv::client {
namespace {

TEST(Guarded, T1_LetsOneAtATimeChangeTheValue) {
  Guarded<int> count(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1'000; ++n) {
        const auto held = count.lock();
        const int before = *held;
        std::this_thread::yield();
        *held = before + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(*count.lock(), 4'000);
}

TEST(Guarded, MakesTheValueFromItsArguments) {
  Guarded<std::string> text(std::size_t{3}, 'x');
  EXPECT_EQ(text.lock()->size(), 3);
  text.lock()->append("y");
  EXPECT_EQ(*text.lock(), "xxxy");
}

TEST(Guarded, CanBeLockedTwiceByOneThreadWithAMutexThatAllowsIt) {
  Guarded<int, std::recursive_mutex> value(1);
  const auto outer = value.lock();
  *value.lock() = 2;
  EXPECT_EQ(*outer, 2);
}

}  // namespace
}  // namespace spv::client
