// poll_until(): waits for a fact.
#pragma once

#include <chrono>
#include <thread>

namespace spv::test {

/// Whether the condition becomes true in time; looks every few milliseconds.
template <typename Condition>
bool poll_until(Condition condition, std::chrono::steady_clock::duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace spv::test
