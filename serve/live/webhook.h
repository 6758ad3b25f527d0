// Webhook: posts the events to one URL, in a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "serve/live/webhooks.h"

namespace spv::serve {

class Webhook {
 public:
  /// The setup outlives it.
  Webhook(const WebhookUrl& url, std::string name, const WebhookSetup& setup);

  void start();
  /// Does not wait.
  void request_stop() { thread_.request_stop(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] WebhookStatus status() const;

 private:
  void run(const std::stop_token& stopping);
  /// How long to pause before the next step. Throws StoreError.
  [[nodiscard]] std::chrono::milliseconds step(const std::stop_token& stopping);
  void find_position();
  /// Of what was posted while the store was away.
  void acknowledge();
  void warn_of_pruned(store::Seq first);
  [[nodiscard]] util::Expected<void, std::string> post(const std::vector<store::LoggedEvent>& events,
                                                       const std::stop_token& stopping);
  [[nodiscard]] std::chrono::milliseconds note_failure(const std::string& why);
  void note_success();
  void log(util::LogLevel level, const std::string& text) const;
  void pause(std::chrono::milliseconds time, const std::stop_token& stopping);

  const WebhookSetup& setup_;
  const std::string name_;
  const std::string consumer_;
  HttpPost http_;
  // Of the thread.
  std::optional<store::Seq> acknowledged_;  // nothing: not read yet
  bool store_failed_ = false;

  std::atomic<store::Seq> position_{0};
  std::atomic<unsigned> failures_{0};
  std::atomic<bool> leads_{false};
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

}  // namespace spv::serve
