// EventWatch: the one thread that waits on the store for new events, for all clients together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "serve/live/rendered_event.h"
#include "store/store.h"
#include "util/log.h"

namespace spv::serve {

/// What the thread has found out.
struct EventNews {
  bool store_up = true;
  std::optional<store::Seq> restart;  // the events begin anew above this number: at the start, or with other names
  store::Seq oldest = 0;              // the first event that is kept; where none is, the number of the next one
  std::vector<RenderedEvent> events;  // all that came since the last news
};

class EventWatch {
 public:
  struct Options {
    std::size_t backlog = 0;  // how many of the last events are told at the start
    /// How long it waits on the store at a time, and how often it looks for the oldest event.
    std::chrono::milliseconds look_every{1'000};
    std::chrono::milliseconds retry_after{1'000};
  };
  /// Called from the thread. The next news comes only after taken().
  using Deliver = std::function<void(EventNews)>;

  EventWatch(store::Store& store, RenderEvent render, Deliver deliver, util::LogSink log, Options options);
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  /// Stops.
  ~EventWatch() { stop(); }

  void start();
  /// From any thread but its own.
  void taken();
  /// Waits for the thread, which does not wait on the store any longer.
  void stop();

 private:
  void run(const std::stop_token& stopping);
  /// Throws StoreError.
  [[nodiscard]] EventNews first_look();
  [[nodiscard]] EventNews next_look(const std::stop_token& stopping);
  void note_failure(const std::string& error);
  void note_success();
  void hand_over(EventNews news, const std::stop_token& stopping);

  store::Store& store_;
  RenderEvent render_;
  Deliver deliver_;
  util::LogSink log_;
  Options options_;
  // Of the thread.
  std::optional<store::Seq> position_;
  store::Seq oldest_ = 0;
  std::uint64_t renames_ = 0;  // as they were before the first of the events was read
  std::chrono::steady_clock::time_point looked_for_oldest_{};
  bool up_ = true;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool taken_ = true;
  std::jthread thread_;
};

}  // namespace spv::serve
