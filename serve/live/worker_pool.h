// WorkerPool: a few threads for work that blocks, with a queue that has a limit.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace spv::serve {

class WorkerPool {
 public:
  using Work = std::function<void()>;

  WorkerPool(std::size_t threads, std::size_t most_waiting);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  /// Stops.
  ~WorkerPool() { stop(); }

  /// From any thread. False if too much waits already, or after stop(). The work must not throw.
  [[nodiscard]] bool post(Work work);
  /// What has not begun is dropped; waits for what has.
  void stop();

 private:
  void run(const std::stop_token& stopping);

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::deque<Work> waiting_;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace spv::serve
