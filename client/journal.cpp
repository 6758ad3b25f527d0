#include "client/journal.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace spv::client {
namespace {

/// How many events of a wallet are taken over at once.
constexpr std::size_t kAtOnce = 1'000;
/// Another process may write to the log too: nobody else wakes those who wait here.
constexpr std::chrono::milliseconds kLookAgain{500};

store::EventSource source_of(const std::string& name, const OpenWallet& open) {
  return {.wallet = name, .identity = open.file.identity()};
}

}  // namespace

store::EventLog& Journal::log() {
  if (!log_) log_.emplace(path_);
  return *log_;
}

void Journal::take_over(const std::string& name, OpenWallet& open) {
  const auto source = source_of(name, open);
  const std::lock_guard lock(mutex_);
  std::int64_t last = log().last_of(source);
  open.file.continue_events(last);
  for (auto events = open.file.events(last, kAtOnce); !events.empty(); events = open.file.events(last, kAtOnce)) {
    last = events.back().number;
    log().append({{source, std::move(events)}});
    came_.notify_all();
  }
}

void Journal::take_over(const std::vector<Source>& sources) {
  const std::lock_guard lock(mutex_);
  std::vector<store::EventLog::Addition> additions;
  additions.reserve(sources.size());
  for (const auto& [name, open] : sources) {
    auto source = source_of(name, open);
    auto events = open.file.events(log().last_of(source), std::numeric_limits<std::int64_t>::max());
    additions.push_back({std::move(source), std::move(events)});
  }
  log().append(additions);
  came_.notify_all();
}

std::vector<store::LoggedEvent> Journal::read(store::Seq after, std::size_t limit,
                                              const std::optional<std::string>& wallet) {
  const std::lock_guard lock(mutex_);
  return log().read(after, limit, wallet);
}

std::vector<store::LoggedEvent> Journal::wait(store::Seq after, std::size_t limit,
                                              const std::optional<std::string>& wallet,
                                              std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + std::min(timeout, std::chrono::milliseconds(86'400'000));
  std::unique_lock lock(mutex_);
  for (;;) {
    auto found = log().read(after, limit, wallet);
    const auto now = std::chrono::steady_clock::now();
    if (!found.empty() || now >= end) return found;
    came_.wait_until(lock, std::min(end, now + kLookAgain));
  }
}

store::Seq Journal::newest() {
  const std::lock_guard lock(mutex_);
  return log().newest();
}

store::Seq Journal::position(const std::string& consumer) {
  const std::lock_guard lock(mutex_);
  return log().position(consumer);
}

void Journal::acknowledge(const std::string& consumer, store::Seq seq) {
  const std::lock_guard lock(mutex_);
  log().acknowledge(consumer, seq);
}

}  // namespace spv::client
