// stop(): ends what can be ended in order, and everything in time.
#include <atomic>

#include "tests/serve/http/server_fixture.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;

class HttpStop : public ServerTest {
 protected:
  // 2 s by the limits, and as much again for a machine that is busy.
  static constexpr milliseconds kBound{4'000};
};

TEST_F(HttpStop, WithoutClientsIsImmediate) {
  const auto running = start();
  EXPECT_LT(stop_and_wait(), kBound);
}

TEST_F(HttpStop, CallsBackWhenNothingIsOpen) {
  const auto running = start();
  RawClient client = connect();
  client.ask(get("/"));
  std::atomic<int> done{0};
  server_->stop([&] { ++done; });
  EXPECT_TRUE(client.is_closed()) << "an idle connection is closed at once";
  EXPECT_LT(stop_and_wait(), kBound);
  EXPECT_EQ(done, 1);
}

TEST_F(HttpStop, AnAnswerUnderWayIsStillGiven) {
  std::vector<serve::Reply> kept;
  std::mutex mutex;
  handler_.script = [&](serve::Request, serve::Reply reply) {
    const std::scoped_lock lock(mutex);
    kept.push_back(std::move(reply));
  };
  options_.limits.stop_time = milliseconds(30'000);
  const auto running = start();
  RawClient client = connect();
  client.send(get("/"));
  ASSERT_TRUE(becomes_true([&] {
    const std::scoped_lock lock(mutex);
    return kept.size() == 1;
  }));
  server_->stop();
  kept[0].send({.body = "done"});
  const auto answer = client.read();
  EXPECT_EQ(answer->body, "done");
  EXPECT_EQ(answer->header("connection"), "close");
}

TEST_F(HttpStop, A3_StuckClientsDoNotHoldItUp) {
  std::vector<serve::Reply> kept;
  std::vector<std::shared_ptr<serve::Stream>> streams;
  std::atomic<int> handled{0};
  handler_.script = [&](serve::Request request, serve::Reply reply) {
    ++handled;
    if (request.path == "/never") return kept.push_back(std::move(reply));
    if (request.path == "/large") return reply.send({.body = std::string(20'000'000, 'x')});
    if (request.path == "/ok") return reply.send({});
    streams.push_back(reply.stream({}));
    streams.back()->write(std::make_shared<const std::string>(20'000'000, 'x'));
  };
  const auto running = start();
  std::vector<RawClient> clients;
  for (const std::string& bytes :
       {std::string(), std::string("GET / HT"), post("/x", "{").substr(0, 120), get("/never"), get("/large"),
        get("/stream"), get("/stream"), get("/ok", "Connection: close\r\n")}) {
    clients.push_back(connect(4'096));
    clients.back().send(bytes);
  }
  ASSERT_TRUE(becomes_true([&] { return server_->open_streams() == 2 && handled >= 5; }));
  EXPECT_LT(stop_and_wait(), kBound);
  EXPECT_EQ(server_->open_connections(), 0U);
  EXPECT_EQ(server_->open_streams(), 0U);
  EXPECT_EQ(clients[3].read()->status, 503U);
}

}  // namespace
}  // namespace spv::test
