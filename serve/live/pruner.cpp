#include "serve/live/pruner.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace spv::serve {
namespace {

constexpr double kSecondsOfADay = 86'400;
constexpr double kMostDays = 365'000;

}  // namespace

std::chrono::seconds keep_time(double days) {
  const double sane = days >= 0 ? std::min(days, kMostDays) : 0;
  return std::chrono::seconds(static_cast<std::int64_t>(sane * kSecondsOfADay));
}

Pruner::Pruner(store::Store& store, Options options, util::LogSink log)
    : store_(store), options_(std::move(options)), log_(std::move(log)) {}

void Pruner::start() {
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void Pruner::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Pruner::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    prune();
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, stopping, options_.every, [] { return false; });
  }
}

void Pruner::prune() {
  try {
    store_.prune_events(options_.now() - options_.keep.count());
    failed_ = false;
  } catch (const std::exception& error) {
    if (std::exchange(failed_, true) || !log_) return;
    log_(util::LogLevel::Warn, "cannot prune old events: " + std::string(error.what()) + "; trying again");
  }
}

}  // namespace spv::serve
