// Events: the way of an event to the user, who pulls it from the queue or has it pushed to a subscriber.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <spv/types.h>
#include <thread>

#include "client/event_queue.h"
#include "client/guarded.h"

namespace spv::client {

class Events {
 public:
  /// Callable under any lock; nobody is called back before deliver().
  void push(Event event) { queue_.push(std::move(event)); }
  [[nodiscard]] EventQueue& queue() { return queue_; }

  /// When these return, the callback before is not called any more. A callback may replace itself.
  void on_wake(std::function<void()> wake);
  void subscribe(std::function<void(const Event&)> subscriber);
  /// Calls back whoever wants it, if events came since the last time. The caller holds no lock that a callback may
  /// take.
  void deliver();
  /// Pushes and delivers.
  void tell(Event event);
  /// True within a callback.
  [[nodiscard]] bool in_callback() const { return calling_ == std::this_thread::get_id(); }

 private:
  struct Callbacks {
    std::function<void()> wake;
    std::function<void(const Event&)> subscriber;
  };

  EventQueue queue_;
  Guarded<Callbacks, std::recursive_mutex> callbacks_;  // locked while they are called
  std::atomic<std::thread::id> calling_{};
};

}  // namespace spv::client
