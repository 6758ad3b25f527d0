#include "serve/live/event_watch.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "serve/live/event_page.h"

namespace spv::serve {
namespace {

constexpr std::size_t kAtOnce = 512;

}  // namespace

EventWatch::EventWatch(store::Store& store, RenderEvent render, Deliver deliver, util::LogSink log, Options options)
    : store_(store),
      render_(std::move(render)),
      deliver_(std::move(deliver)),
      log_(std::move(log)),
      options_(options) {}

void EventWatch::start() {
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void EventWatch::taken() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = true;
  }
  changed_.notify_all();
}

void EventWatch::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EventWatch::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    try {
      auto news = position_ ? next_look(stopping) : first_look();
      const bool changed =
          !up_ || news.restart || !news.events.empty() || news.oldest != std::exchange(oldest_, news.oldest);
      note_success();
      if (changed) hand_over(std::move(news), stopping);
    } catch (const std::exception& error) {
      const bool was_up = up_;
      note_failure(error.what());
      if (was_up) hand_over({.store_up = false, .restart = {}, .oldest = oldest_, .events = {}}, stopping);
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stopping, options_.retry_after, [] { return false; });
    }
  }
}

EventNews EventWatch::first_look() {
  renames_ = store_.renames();
  const store::Seq newest = store_.newest_event();
  const store::Seq oldest = oldest_kept(store_);
  position_ = std::max<store::Seq>(0, newest - static_cast<store::Seq>(options_.backlog));
  return {.restart = position_, .oldest = oldest, .events = {}};
}

EventNews EventWatch::next_look(const std::stop_token& stopping) {
  const auto found = store_.wait_events(*position_, kAtOnce, std::nullopt, options_.look_every, stopping);
  if (store_.renames() != renames_) return first_look();
  EventNews news{.restart = {}, .oldest = oldest_, .events = {}};
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_for_oldest_ >= options_.look_every) {
    news.oldest = oldest_kept(store_);
    looked_for_oldest_ = now;
  }
  news.events.reserve(found.size());
  for (const auto& each : found) {
    if (is_for_clients(each)) news.events.push_back(render_event(each, render_));
  }
  if (!found.empty()) position_ = found.back().seq;
  return news;
}

void EventWatch::note_failure(const std::string& error) {
  if (std::exchange(up_, false) && log_) log_(util::LogLevel::Warn, "events: " + error + "; trying again");
}

void EventWatch::note_success() {
  if (!std::exchange(up_, true) && log_) log_(util::LogLevel::Info, "events: the store answers again");
}

void EventWatch::hand_over(EventNews news, const std::stop_token& stopping) {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  deliver_(std::move(news));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stopping, [this] { return taken_; });
}

}  // namespace spv::serve
