// FeedTest: an event feed on a loop that the test itself runs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/request.h"
#include "serve/live/event_feed.h"
#include "tests/serve/live/fake_client.h"

namespace spv::test {

inline std::string seq_json(const store::LoggedEvent& event) {
  std::string out = R"({"seq":)" + std::to_string(event.seq);
  if (!event.wallet.empty()) out += R"(,"wallet":")" + event.wallet + '"';
  return out + "}";
}

using Query = std::vector<std::pair<std::string, std::string>>;

class FeedTest : public testing::Test {
 protected:
  /// Before the store of the test goes.
  void TearDown() override { feed_.reset(); }
  void start(store::Store& store, serve::FeedOptions options = {}) {
    options.look_every = std::chrono::milliseconds(50);
    feed_.emplace(io_, store, seq_json, nullptr, options);
    feed_->start();
  }
  /// Runs the loop until it is so.
  template <typename Condition>
  bool run_until(const Condition& condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io_.restart();
      if (io_.run_one_for(std::chrono::milliseconds(5)) > 0) io_.poll();
    }
    return true;
  }
  bool wait_for_newest(store::Seq seq) {
    return run_until([&] { return feed_->stats().newest >= seq && feed_->stats().store_up; });
  }

  std::shared_ptr<FakeClient> list(Query query) {
    auto client = std::make_shared<FakeClient>();
    serve::Request request;
    request.query = std::move(query);
    feed_->list(request, serve::Reply(client));
    return client;
  }
  std::shared_ptr<FakeClient> stream(Query query, std::optional<std::string> last_event_id = std::nullopt,
                                     const std::function<void(FakeStream&)>& prepare = {}) {
    auto client = std::make_shared<FakeClient>();
    if (prepare) prepare(*client->out);
    serve::Request request;
    request.query = std::move(query);
    request.last_event_id = std::move(last_event_id);
    feed_->stream(request, serve::Reply(client));
    return client;
  }
  serve::Response answer_of(Query query) {
    const auto client = list(std::move(query));
    EXPECT_TRUE(run_until([&] { return client->answer.has_value(); }));
    return client->answer.value_or(serve::Response{});
  }
  static std::vector<store::Seq> range(store::Seq from, store::Seq to) {
    std::vector<store::Seq> out;
    for (store::Seq seq = from; seq <= to; ++seq) out.push_back(seq);
    return out;
  }

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = boost::asio::make_work_guard(io_);
  std::optional<serve::EventFeed> feed_;
};

}  // namespace spv::test
