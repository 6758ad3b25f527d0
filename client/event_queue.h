// EventQueue: events on their way to the user, from the thread that syncs to any other. Bounded: who does not look
// loses the oldest and is told so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <spv/types.h>

namespace spv::client {

class EventQueue {
 public:
  static constexpr std::size_t kMaxWaiting = 100'000;

  EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  /// A progress takes the place of one that waits.
  void push(Event event);
  std::optional<Event> pop(std::chrono::milliseconds timeout);
  /// From now on nobody waits.
  void interrupt();
  /// A sync begins, or is tried to: its end is owed to whoever reads, and one that nobody took before is no news.
  void owe_end();
  /// Nothing runs: tells those of it who wait, or whom an end is owed; false if there is nobody.
  bool end_waiting();
  /// True once after events came.
  [[nodiscard]] bool take_fresh();
  /// Readable while events wait.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  void append(Event event);
  void signal(bool waiting);

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Event> events_;
  bool fresh_ = false;
  bool interrupted_ = false;
  bool end_owed_ = true;
  bool ends_idle_ = false;  // the last event is the end of nothing
  std::size_t readers_ = 0;
  bool signalled_ = false;
  int fd_ = -1;
};

}  // namespace spv::client
