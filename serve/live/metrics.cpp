#include "serve/live/metrics.h"

#include <algorithm>
#include <mutex>

#include "serve/live/metric_text.h"

namespace spv::serve {
namespace {

constexpr std::size_t kMostKeys = 500;
constexpr std::string_view kOtherRoute = "other";
constexpr double kMicrosecondsPerSecond = 1'000'000;

void write_program(MetricText& text, const Gauges& gauges) {
  text.begin(metric::kBuildInfo);
  text.sample(1, {{"version", gauges.version}, {"network", gauges.network}});
  text.single(metric::kStoreUp, gauges.feed.store_up ? 1 : 0);
  text.single(metric::kConnections, static_cast<double>(gauges.connections));
  if (gauges.electrum) {
    text.single(metric::kElectrumClients, static_cast<double>(gauges.electrum->clients));
    text.single(metric::kElectrumScripts, static_cast<double>(gauges.electrum->subscriptions));
  }
  text.begin(metric::kWallets);
  text.sample(static_cast<double>(gauges.wallets.synced), {{"state", "synced"}});
  text.sample(static_cast<double>(gauges.wallets.catching_up), {{"state", "catching_up"}});
}

void write_peers(MetricText& text, const Gauges& gauges) {
  if (gauges.height) text.single(metric::kHeight, static_cast<double>(*gauges.height));
  text.single(metric::kPeers, static_cast<double>(gauges.peers));
  text.begin(metric::kReceived);
  for (const auto& each : gauges.traffic) text.sample(static_cast<double>(each.bytes_in), {{"cause", each.cause}});
  text.begin(metric::kSent);
  for (const auto& each : gauges.traffic) text.sample(static_cast<double>(each.bytes_out), {{"cause", each.cause}});
}

void write_scan(MetricText& text, const Gauges::Scan& scan) {
  text.single(metric::kBlocks, static_cast<double>(scan.blocks));
  text.single(metric::kSeen, static_cast<double>(scan.transactions_seen));
  text.single(metric::kMatched, static_cast<double>(scan.transactions_matched));
  text.single(metric::kRelevant, static_cast<double>(scan.transactions_relevant));
  text.single(metric::kFilterBytes, static_cast<double>(scan.filter_bytes));
  if (scan.false_positive_rate) text.single(metric::kFalsePositives, *scan.false_positive_rate);
  if (scan.false_positive_rate_target) text.single(metric::kTarget, *scan.false_positive_rate_target);
}

void write_events(MetricText& text, const Gauges& gauges) {
  text.single(metric::kNewest, static_cast<double>(gauges.feed.newest));
  text.single(metric::kStreams, static_cast<double>(gauges.feed.streams));
  text.single(metric::kPolls, static_cast<double>(gauges.feed.polls));
  text.begin(metric::kBehind);
  for (const auto& each : gauges.webhooks) {
    const auto behind = std::max<store::Seq>(0, gauges.feed.newest - each.position);
    if (each.leads) text.sample(static_cast<double>(behind), {{"webhook", each.name}});
  }
  text.begin(metric::kFailures);
  for (const auto& each : gauges.webhooks) {
    if (each.leads) text.sample(each.failures, {{"webhook", each.name}});
  }
}

}  // namespace

void Metrics::note_request(const RequestRecord& record) {
  requests_of(record).observe(static_cast<double>(record.microseconds) / kMicrosecondsPerSecond);
}

Histogram& Metrics::requests_of(const RequestRecord& record) {
  std::tuple<std::string_view, Method, unsigned> key(record.route.empty() ? kOtherRoute : record.route, record.method,
                                                     record.status / 100);
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = requests_.find(key); known != requests_.end()) return *known->second;
  }
  const std::unique_lock lock(mutex_);
  // Routes are few; should they ever come from outside, they do not fill the memory.
  if (requests_.size() >= kMostKeys) std::get<0>(key) = kOtherRoute;
  const auto& [route, method, status] = key;
  auto& entry = requests_[Key(route, method, status)];
  if (!entry) entry = std::make_unique<Histogram>(metric::kSeconds);
  return *entry;
}

void Metrics::write_requests(MetricText& text) const {
  text.begin(metric::kRequests);
  const std::shared_lock lock(mutex_);
  for (const auto& [key, histogram] : requests_) {
    const auto& [route, method, status] = key;
    const std::string status_class = std::to_string(status) + "xx";
    text.histogram(histogram->value(), {{"route", route}, {"method", to_string(method)}, {"status", status_class}});
  }
}

Response Metrics::response() const {
  const Gauges gauges = read_();
  MetricText text;
  write_program(text, gauges);
  write_peers(text, gauges);
  write_scan(text, gauges.scan);
  write_events(text, gauges);
  text.begin(metric::kCommits);
  text.histogram(commits_.value());
  write_requests(text);
  return {.content_type = std::string(MetricText::kContentType), .body = std::move(text).take(), .headers = {}};
}

}  // namespace spv::serve
