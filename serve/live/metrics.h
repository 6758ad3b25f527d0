// Metrics: what GET /metrics shows. docs/metrics.md explains each of them.
//
// What happens often is counted here (requests, commits). All else is read when somebody asks: the program fills in
// Gauges.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "serve/http/request_record.h"
#include "serve/http/response.h"
#include "serve/live/event_feed.h"
#include "serve/live/histogram.h"
#include "serve/live/metric_catalogue.h"
#include "serve/live/webhooks.h"

namespace spv::serve {

/// The state of the program at one moment. What is not known is left out of the answer.
struct Gauges {
  struct Traffic {
    std::string cause;  // "headers", "blocks", "filters", …
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
  };
  struct Scan {
    std::uint64_t blocks = 0;                 // scanned since the start
    std::uint64_t transactions_seen = 0;      // delivered by peers
    std::uint64_t transactions_matched = 0;   // of these, what the filter really matches
    std::uint64_t transactions_relevant = 0;  // of these, what concerns a wallet
    std::uint64_t filter_bytes = 0;           // sent to peers
    std::optional<double> false_positive_rate;
    std::optional<double> false_positive_rate_target;
  };
  struct Wallets {
    std::size_t synced = 0;
    std::size_t catching_up = 0;
  };
  std::string version;
  std::string network;
  Scan scan;
  std::size_t peers = 0;
  std::optional<std::int64_t> height;  // of the tip
  std::vector<Traffic> traffic;
  Wallets wallets;
  FeedStats feed;                       // of EventFeed::stats()
  std::vector<WebhookStatus> webhooks;  // of Webhooks::status()
  std::size_t connections = 0;
  struct Electrum {
    std::size_t clients = 0;
    std::size_t subscriptions = 0;
  };
  std::optional<Electrum> electrum;  // if it is on
};

class Metrics {
 public:
  /// Called by response(), on its thread.
  explicit Metrics(std::function<Gauges()> read) : read_(std::move(read)) {}

  // From any thread.
  /// A commit to the store took this long.
  void note_commit(double seconds) { commits_.observe(seconds); }
  /// Made for ServerOptions::measure. Streams are counted, but how long they are open is not measured.
  void note_request(const RequestRecord& record);
  /// The answer to GET /metrics.
  [[nodiscard]] Response response() const;

 private:
  /// Route, method and status class.
  using Key = std::tuple<std::string, Method, unsigned>;

  [[nodiscard]] Histogram& requests_of(const RequestRecord& record);
  void write_requests(MetricText& text) const;

  std::function<Gauges()> read_;
  Histogram commits_{metric::kSeconds};
  mutable std::shared_mutex mutex_;
  std::map<Key, std::unique_ptr<Histogram>, std::less<>> requests_;
};

}  // namespace spv::serve
