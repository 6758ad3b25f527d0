#include "serve/live/webhook.h"

#include <exception>
#include <utility>

namespace spv::serve {
namespace {

constexpr std::chrono::milliseconds kNoPause{0};

std::string seconds(std::chrono::milliseconds time) { return std::to_string((time.count() + 999) / 1'000) + " s"; }

}  // namespace

Webhook::Webhook(const WebhookUrl& url, std::string name, const WebhookSetup& setup)
    : setup_(setup), name_(std::move(name)), consumer_(url.consumer()), http_(url, setup.options.limits) {}

void Webhook::start() {
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

WebhookStatus Webhook::status() const {
  return {.name = name_, .position = position_, .failures = failures_, .leads = leads_};
}

void Webhook::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    try {
      const auto time = step(stopping);
      if (std::exchange(store_failed_, false)) log(util::LogLevel::Info, "the store answers again");
      pause(time, stopping);
    } catch (const std::exception& error) {
      if (!std::exchange(store_failed_, true)) log(util::LogLevel::Warn, std::string(error.what()) + "; trying again");
      pause(setup_.options.look_every, stopping);
    }
  }
}

std::chrono::milliseconds Webhook::step(const std::stop_token& stopping) {
  leads_ = setup_.leads();
  if (!leads_) {
    acknowledged_.reset();  // another process goes on from there
    return setup_.options.look_every;
  }
  find_position();
  acknowledge();
  const auto events =
      setup_.store.wait_events(position_, setup_.options.batch, std::nullopt, setup_.options.look_every, stopping);
  if (events.empty() || stopping.stop_requested() || !setup_.leads()) return kNoPause;
  warn_of_pruned(events.front().seq);
  const auto posted = post(events, stopping);
  if (stopping.stop_requested() && !posted) return kNoPause;
  if (!posted) return note_failure(posted.error());
  position_ = events.back().seq;
  note_success();
  acknowledge();
  return kNoPause;
}

void Webhook::find_position() {
  if (acknowledged_) return;
  acknowledged_ = setup_.store.position(consumer_);
  position_ = *acknowledged_;
}

void Webhook::acknowledge() {
  if (position_ <= *acknowledged_) return;
  setup_.store.acknowledge(consumer_, position_);
  acknowledged_ = position_;
}

void Webhook::warn_of_pruned(store::Seq first) {
  // A new URL has missed nothing.
  if (position_ == 0 || first == position_ + 1 || failures_ > 0) return;
  const auto oldest = setup_.store.oldest_event();
  if (!oldest || *oldest <= position_ + 1) return;
  log(util::LogLevel::Warn, "events " + std::to_string(position_ + 1) + " to " + std::to_string(*oldest - 1) +
                                " were pruned before they could be posted (see --keep-events)");
}

util::Expected<void, std::string> Webhook::post(const std::vector<store::LoggedEvent>& events,
                                                const std::stop_token& stopping) {
  std::string body = R"({"events":[)";
  for (const auto& each : events) {
    if (!is_for_clients(each)) continue;
    if (body.back() != '[') body += ',';
    body += setup_.render(each);
  }
  if (body.back() == '[') return {};
  body += "]}";
  std::optional<std::string> signature;
  if (setup_.key) signature = setup_.key->signature(body);
  return http_.post(body, signature, stopping);
}

std::chrono::milliseconds Webhook::note_failure(const std::string& why) {
  const unsigned failures = ++failures_;
  const auto time = setup_.options.back_off.delay(failures, setup_.jitter());
  // Once is enough; the metrics show how it goes on.
  log(failures == 1 ? util::LogLevel::Warn : util::LogLevel::Debug, why + "; trying again in " + seconds(time));
  return time;
}

void Webhook::note_success() {
  const unsigned failures = failures_.exchange(0);
  if (failures > 0) log(util::LogLevel::Info, "answers again after " + std::to_string(failures) + " failed posts");
}

void Webhook::log(util::LogLevel level, const std::string& text) const {
  if (setup_.log) setup_.log(level, "webhook " + name_ + ": " + text);
}

void Webhook::pause(std::chrono::milliseconds time, const std::stop_token& stopping) {
  if (time <= kNoPause) return;
  std::unique_lock lock(mutex_);
  never_.wait_for(lock, stopping, time, [] { return false; });
}

}  // namespace spv::serve
