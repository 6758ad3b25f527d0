// Bell: wakes threads that wait for something to happen. Who waits notes count() first, then looks, then waits: what
// happens in between is not missed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace spv::store::postgres {

class Bell {
 public:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] std::uint64_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void ring() {
    const std::lock_guard lock(mutex_);
    ++count_;
    rung_.notify_all();
  }
  /// Returns when it was rung since `seen`, or is to stop, at the latest at `until`.
  void wait(std::uint64_t seen, Time until, const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    rung_.wait_until(lock, stop, until, [&] { return count_ != seen; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any rung_;
  std::uint64_t count_ = 0;
};

}  // namespace spv::store::postgres
