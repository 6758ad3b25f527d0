// Webhooks: posts events to URLs, in order, until each is answered by 2xx. The position of each URL is in the store, so
// that nothing is left out after a restart; a batch that was under way may be posted twice.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/live/back_off.h"
#include "serve/live/http_post.h"
#include "serve/live/rendered_event.h"
#include "serve/live/webhook_key.h"
#include "serve/live/webhook_url.h"
#include "store/store.h"
#include "util/log.h"

namespace spv::serve {

struct WebhookOptions {
  std::size_t batch = 100;
  BackOff back_off;
  PostLimits limits;
  /// How long it waits on the store at a time, and how often it looks whether this process leads.
  std::chrono::milliseconds look_every{1'000};
};

/// What all webhooks need. The functions are called from other threads.
struct WebhookSetup {
  store::Store& store;  // outlives them
  RenderEvent render;
  std::optional<WebhookKey> key;   // absent: nothing is signed
  std::function<bool()> leads;     // only the process that leads posts
  std::function<double()> jitter;  // in [0, 1)
  util::LogSink log;
  WebhookOptions options = {};
};

struct WebhookStatus {
  std::string name;         // the host; numbered if several URLs have the same
  store::Seq position = 0;  // all up to here was answered by 2xx
  unsigned failures = 0;    // since the last success
  bool leads = false;       // this process posts; the position of another process is not known
};

class Webhook;

class Webhooks {
 public:
  Webhooks(const std::vector<WebhookUrl>& urls, WebhookSetup setup);
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;
  /// Stops.
  ~Webhooks();

  void start();
  /// Within two seconds if the store answers, whatever the receivers do.
  void stop();
  /// From any thread.
  [[nodiscard]] std::vector<WebhookStatus> status() const;

 private:
  const WebhookSetup setup_;
  std::vector<std::unique_ptr<Webhook>> hooks_;
};

}  // namespace spv::serve
