#include "client/event_queue.h"

#include <algorithm>
#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace spv::client {
namespace {

/// Beyond it a clock's number might overflow.
constexpr std::chrono::milliseconds kLongestWait = std::chrono::years(1);

}  // namespace

EventQueue::EventQueue() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

EventQueue::~EventQueue() { close(fd_); }

void EventQueue::push(Event event) {
  {
    const std::lock_guard lock(mutex_);
    append(std::move(event));
  }
  came_.notify_one();
}

void EventQueue::append(Event event) {
  if (std::holds_alternative<ProgressEvent>(event)) {
    std::erase_if(events_, [](const Event& held) { return std::holds_alternative<ProgressEvent>(held); });
  }
  if (events_.size() >= kMaxWaiting) {
    events_.clear();
    events_.emplace_back(WarningEvent{"events were dropped because they were not read; read the history again"});
  }
  if (std::holds_alternative<StoppedEvent>(event)) end_owed_ = false;
  ends_idle_ = false;
  events_.push_back(std::move(event));
  fresh_ = true;
  signal(true);
}

std::optional<Event> EventQueue::pop(std::chrono::milliseconds timeout) {
  timeout = std::min(timeout, kLongestWait);
  std::unique_lock lock(mutex_);
  const std::size_t waits = timeout > timeout.zero() ? 1 : 0;
  readers_ += waits;
  came_.wait_for(lock, timeout, [this] { return !events_.empty() || interrupted_; });
  readers_ -= waits;
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  if (events_.empty()) signal(false);
  return event;
}

void EventQueue::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  came_.notify_all();
}

void EventQueue::owe_end() {
  const std::lock_guard lock(mutex_);
  end_owed_ = true;
  if (!std::exchange(ends_idle_, false) || events_.empty()) return;
  events_.pop_back();
  if (events_.empty()) signal(false);
}

bool EventQueue::end_waiting() {
  {
    const std::lock_guard lock(mutex_);
    const bool is_told = !events_.empty() && std::holds_alternative<StoppedEvent>(events_.back());
    if (is_told || (!end_owed_ && readers_ == 0)) return false;
    append(StoppedEvent{0, "stop() was called; nothing was running"});
    ends_idle_ = true;
  }
  came_.notify_all();
  return true;
}

bool EventQueue::take_fresh() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fresh_, false);
}

// The counter is one or zero, so neither call can block.
void EventQueue::signal(bool waiting) {
  if (std::exchange(signalled_, waiting) == waiting) return;
  std::uint64_t one = 1;
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): see above
  const auto done = waiting ? write(fd_, &one, sizeof one) : read(fd_, &one, sizeof one);
  static_cast<void>(done);
}

}  // namespace spv::client
