// Pruner: forgets events that are older than they have to be kept, at the start and every minute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "store/store.h"
#include "util/log.h"
#include "util/time.h"

namespace spv::serve {

/// `--keep-events DAYS`; more than a thousand years is for ever.
std::chrono::seconds keep_time(double days);

class Pruner {
 public:
  struct Options {
    std::chrono::seconds keep;
    std::chrono::milliseconds every{60'000};
    std::function<util::UnixTime()> now;  // called from its thread
  };
  /// The store outlives it.
  Pruner(store::Store& store, Options options, util::LogSink log);
  Pruner(const Pruner&) = delete;
  Pruner& operator=(const Pruner&) = delete;
  /// Stops.
  ~Pruner() { stop(); }

  void start();
  void stop();

 private:
  void run(const std::stop_token& stopping);
  void prune();

  store::Store& store_;
  const Options options_;
  const util::LogSink log_;
  bool failed_ = false;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

}  // namespace spv::serve
