#include "serve/live/metrics.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/live/metric_parser.h"

namespace spv::serve {
namespace {

using test::MetricParser;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Gauges full() {
  Gauges out;
  out.version = "0.1.0 \"quoted\" \\ and\nbroken";
  out.network = "regtest";
  out.scan = {.blocks = 7,
              .transactions_seen = 6,
              .transactions_matched = 5,
              .transactions_relevant = 4,
              .filter_bytes = 36'000,
              .false_positive_rate = 0.00012,
              .false_positive_rate_target = 0.0001};
  out.peers = 8;
  out.height = 840'000;
  out.traffic = {{.cause = "headers", .bytes_in = 80, .bytes_out = 1},
                 {.cause = "blocks", .bytes_in = 9, .bytes_out = 2}};
  out.wallets = {.synced = 3, .catching_up = 1};
  out.feed = {.newest = 100, .streams = 12, .polls = 2, .store_up = true};
  out.webhooks = {{.name = "a.example", .position = 90, .failures = 3, .leads = true},
                  {.name = "b.example", .position = 0, .failures = 0, .leads = false}};
  out.connections = 20;
  return out;
}

TEST(MetricsTest, AreInTheFormatOfPrometheus) {
  Metrics metrics(full);
  metrics.note_commit(0.003);
  metrics.note_request(
      {.method = Method::Get, .route = "/v1/wallets/{name}", .path = {}, .status = 200, .microseconds = 420});
  metrics.note_request({.method = Method::Get, .route = "", .path = {}, .status = 404, .microseconds = 1});
  const auto response = metrics.response();
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  const MetricParser parsed(response.body);
  EXPECT_THAT(parsed.problems, IsEmpty());
  EXPECT_EQ(parsed.value(R"(spv_build_info{version="0.1.0 \"quoted\" \\ and\nbroken",network="regtest"})"), 1);
  EXPECT_EQ(parsed.value("spv_blocks_scanned_total"), 7);
  EXPECT_EQ(parsed.value("spv_transactions_relevant_total"), 4);
  EXPECT_EQ(parsed.value("spv_filter_false_positive_ratio"), 0.00012);
  EXPECT_EQ(parsed.value(R"(spv_peer_received_bytes_total{cause="headers"})"), 80);
  EXPECT_EQ(parsed.value(R"(spv_peer_sent_bytes_total{cause="blocks"})"), 2);
  EXPECT_EQ(parsed.value(R"(spv_wallets{state="catching_up"})"), 1);
  EXPECT_EQ(parsed.value(R"(spv_webhook_events_behind{webhook="a.example"})"), 10);
  EXPECT_EQ(parsed.value(R"(spv_webhook_failures{webhook="a.example"})"), 3);
  EXPECT_THAT(response.body, Not(HasSubstr("b.example"))) << "another process posts there";
  EXPECT_EQ(parsed.value(R"(spv_commit_duration_seconds_bucket{le="0.0025"})"), 0);
  EXPECT_EQ(parsed.value(R"(spv_commit_duration_seconds_bucket{le="0.005"})"), 1);
  EXPECT_EQ(
      parsed.value(R"(spv_http_request_duration_seconds_count{route="/v1/wallets/{name}",method="GET",status="2xx"})"),
      1);
  EXPECT_EQ(parsed.value(R"(spv_http_request_duration_seconds_count{route="other",method="GET",status="4xx"})"), 1);
}

TEST(MetricsTest, LeaveOutWhatIsNotKnown) {
  const Metrics metrics([] { return Gauges{}; });
  const auto text = metrics.response().body;
  EXPECT_THAT(MetricParser(text).problems, IsEmpty());
  EXPECT_THAT(text, Not(HasSubstr("false_positive_ratio")));
  EXPECT_THAT(text, Not(HasSubstr("spv_tip_height")));
  EXPECT_EQ(MetricParser(text).value("spv_store_up"), 0);
}

TEST(MetricsTest, TheParserFindsWhatIsWrong) {
  for (const std::string text : {
           "spv_x 1\n",
           "# HELP spv_x A.\n# TYPE spv_x gauge\nspv_x 1",
           "# HELP spv_x A.\n# TYPE spv_x counter\nspv_x 1\n",
           "# HELP spv_x A.\n# TYPE spv_x gauge\nspv_x 1\nspv_x 2\n",
           "# HELP spv_x A.\n# TYPE spv_x gauge\nspv_y 1\n",
           "# HELP spv_x A.\n# TYPE spv_x gauge\nspv_x{a=\"\"\"} 1\n",
           "# HELP spv_x A.\n# TYPE spv_x histogram\nspv_x_bucket{le=\"1\"} 1\nspv_x_sum 1\nspv_x_count 1\n",
           "# HELP spv_x A.\n# TYPE spv_x histogram\nspv_x_bucket{le=\"1\"} 2\nspv_x_bucket{le=\"+Inf\"} 1\nspv_x_sum "
           "1\nspv_x_count 1\n",
       }) {
    EXPECT_THAT(MetricParser(text).problems, Not(IsEmpty())) << text;
  }
}

TEST(MetricsTest, AreExplainedInTheDocuments) {
  std::ifstream in(SPV_METRICS_DOC);
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  const Metrics metrics(full);
  const MetricParser parsed(metrics.response().body);
  for (const auto& [name, family] : parsed.families) {
    EXPECT_THAT(document, HasSubstr("| `" + name + "` | " + family.type + " |")) << "docs/metrics.md";
  }
}

TEST(MetricsTest, T6_CountFromSeveralThreads) {
  Metrics metrics([] { return Gauges{}; });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&metrics, i] {
      for (unsigned k = 0; k < 5'000; ++k) {
        metrics.note_commit(1);
        metrics.note_request(
            {.method = Method::Get, .route = i % 2 == 0 ? "/a" : "/b", .path = {}, .status = 200 + 100 * (k % 3)});
        if (k % 1'000 != 0) continue;
        EXPECT_THAT(MetricParser(metrics.response().body).problems, IsEmpty());
      }
    });
  }
  threads.clear();
  const MetricParser parsed(metrics.response().body);
  EXPECT_EQ(parsed.value("spv_commit_duration_seconds_count"), 20'000);
  EXPECT_EQ(parsed.value("spv_commit_duration_seconds_sum"), 20'000);
}

TEST(MetricsTest, RoutesFromOutsideDoNotFillTheMemory) {
  Metrics metrics([] { return Gauges{}; });
  for (int i = 0; i < 5'000; ++i) {
    const std::string route = "/" + std::to_string(i);
    metrics.note_request({.method = Method::Get, .route = route, .path = {}, .status = 200});
  }
  EXPECT_LT(metrics.response().body.size(), 1'500'000U);
}

TEST(HistogramTest, AValueAtTheEndOfARangeIsInIt) {
  static constexpr std::array kBounds{1.0, 2.0};
  Histogram histogram(kBounds);
  for (const double each : {0.0, 1.0, 1.5, 2.0, 2.1, std::numeric_limits<double>::infinity()}) histogram.observe(each);
  EXPECT_THAT(histogram.value().counts, testing::ElementsAre(2, 2, 2));
}

}  // namespace
}  // namespace spv::serve
