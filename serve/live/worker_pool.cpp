#include "serve/live/worker_pool.h"

#include <utility>

namespace spv::serve {

WorkerPool::WorkerPool(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stopping) { run(stopping); });
  }
}

bool WorkerPool::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || waiting_.size() >= most_waiting_) return false;
    waiting_.push_back(std::move(work));
  }
  came_.notify_one();
  return true;
}

void WorkerPool::stop() {
  std::deque<Work> dropped;
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
    threads.swap(threads_);
  }
  for (auto& thread : threads) thread.request_stop();
  // Without the lock, which its answers may want, and before the threads are joined, which may take long.
  dropped.clear();
}

void WorkerPool::run(const std::stop_token& stopping) {
  for (;;) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      if (!came_.wait(lock, stopping, [this] { return !waiting_.empty(); })) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace spv::serve
