// The server as an honest client sees it.
#include <atomic>
#include <thread>

#include "tests/serve/http/server_fixture.h"

namespace spv::test {
namespace {

using HttpServer = ServerTest;

TEST_F(HttpServer, AnswersWithTheHeadersThatEveryAnswerHas) {
  const auto running = start();
  RawClient client = connect();
  const auto answer = client.ask(get("/v1/a?b=c"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200U);
  EXPECT_EQ(answer->body, "GET /v1/a ");
  EXPECT_EQ(answer->header("content-length"), "10");
  EXPECT_EQ(answer->header("content-type"), "text/plain");
  EXPECT_EQ(answer->header("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer->header("cache-control"), "no-store");
  EXPECT_EQ(answer->header("referrer-policy"), "no-referrer");
  EXPECT_EQ(answer->headers.count("access-control-allow-origin"), 0U);
  EXPECT_EQ(client.ask(post("/v1/b", "{}"))->body, "POST /v1/b {}");
}

TEST_F(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  const auto running = start();
  RawClient client = connect();
  std::string all;
  for (int i = 0; i < 300; ++i)
    all += i % 3 == 0 ? post("/" + std::to_string(i), std::string(500, 'x')) : get("/" + std::to_string(i));
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 300; ++i) {
    const auto answer = client.read();
    ASSERT_TRUE(answer) << i;
    EXPECT_TRUE(answer->body.find(" /" + std::to_string(i) + ' ') != std::string::npos) << answer->body;
  }
  sender.join();
}

TEST_F(HttpServer, PipelinedRequestsWaitForAnAnswerThatComesLater) {
  std::vector<serve::Reply> kept;
  std::mutex mutex;
  handler_.script = [&](serve::Request request, serve::Reply reply) {
    if (request.path != "/late") return reply.send({.body = request.path});
    const std::scoped_lock lock(mutex);
    kept.push_back(std::move(reply));
  };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/late") + get("/next"));
  ASSERT_TRUE(becomes_true([&] {
    const std::scoped_lock lock(mutex);
    return kept.size() == 1;
  }));
  kept[0].send({.body = "late"});  // from this thread
  EXPECT_EQ(client.read()->body, "late");
  EXPECT_EQ(client.read()->body, "/next");
}

TEST_F(HttpServer, ARequestMayComeByteByByte) {
  const auto running = start();
  RawClient client = connect();
  for (const char c : post("/v1/slow", R"({"a":1})")) client.send({&c, 1});
  EXPECT_EQ(client.read()->body, R"(POST /v1/slow {"a":1})");
}

TEST_F(HttpServer, HeadIsAGetWithoutABody) {
  const auto running = start();
  RawClient client = connect();
  client.send("HEAD /v1/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kToken) + "\r\n\r\n" +
              get("/next"));
  const auto answer = client.read(true);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200U);
  EXPECT_EQ(answer->header("content-length"), "10");
  EXPECT_EQ(client.read()->body, "GET /next ");
}

TEST_F(HttpServer, HttpOneDotZeroIsAnsweredAndClosed) {
  const auto running = start();
  RawClient client = connect();
  client.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = client.read_to_end();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK\r\n")) << all;
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(HttpServer, ConnectionCloseIsDone) {
  const auto running = start();
  RawClient client = connect();
  EXPECT_EQ(client.ask(get("/a", "Connection: close\r\n"))->header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServer, ContinueIsSaidBeforeABody) {
  const auto running = start();
  RawClient client = connect();
  const std::string whole = post("/v1/a", "{}", "Expect: 100-continue\r\n");
  client.send(whole.substr(0, whole.size() - 2));
  EXPECT_EQ(client.read(true)->status, 100U);
  client.send("{}");
  EXPECT_EQ(client.read()->body, "POST /v1/a {}");
}

TEST_F(HttpServer, ALargeAnswerArrivesWhole) {
  const std::string large(20'000'000, 'x');
  handler_.script = [&](serve::Request, serve::Reply reply) { reply.send({.body = large}); };
  const auto running = start();
  RawClient client = connect();
  EXPECT_EQ(client.ask(get("/"))->body, large);
  EXPECT_EQ(client.ask(get("/"))->body.size(), large.size());
}

TEST_F(HttpServer, AnswersWithoutABodyHaveNone) {
  handler_.script = [](serve::Request request, serve::Reply reply) {
    reply.send({.status = request.path == "/304" ? 304U : 204U, .body = "not sent"});
  };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/204") + get("/304"));
  for (const unsigned status : {204U, 304U}) {
    const auto answer = client.read();
    EXPECT_EQ(answer->status, status);
    EXPECT_EQ(answer->headers.count("content-length"), 0U);
  }
}

TEST_F(HttpServer, AReplyThatIsDroppedIs503) {
  handler_.script = [](serve::Request request, const serve::Reply& reply) {
    if (request.path == "/throw") throw std::runtime_error("the disk is full");
    EXPECT_FALSE(reply.answered());
  };
  std::string failure;
  options_.report_failure = [&](std::string_view what) { failure = what; };
  const auto running = start();
  RawClient client = connect();
  const auto answer = client.ask(get("/"));
  EXPECT_EQ(answer->status, 503U);
  EXPECT_NE(answer->header("retry-after"), "");
  EXPECT_NE(answer->body.find(R"("code":"unavailable")"), std::string::npos);
  EXPECT_EQ(client.ask(get("/throw"))->status, 503U);
  stop_and_wait();
  EXPECT_EQ(failure, "the disk is full");
}

TEST_F(HttpServer, TellsAHandlerThatItsClientHasGone) {
  std::atomic<int> gone{0};
  std::vector<serve::Reply> kept;
  handler_.script = [&](serve::Request, serve::Reply reply) {
    reply.on_gone([&] { ++gone; });
    kept.push_back(std::move(reply));
  };
  const auto running = start();
  {
    RawClient client = connect();
    client.send(get("/poll"));
    ASSERT_TRUE(becomes_true([&] { return server_->open_connections() == 1; }));
  }
  EXPECT_TRUE(becomes_true([&] { return gone == 1; }));
  stop_and_wait();
  EXPECT_EQ(gone, 1);
}

TEST_F(HttpServer, T5_AReplyMayOutliveTheServer) {
  std::vector<serve::Reply> kept;
  std::atomic<bool> is_handled{false};
  handler_.script = [&](serve::Request, serve::Reply reply) {
    kept.push_back(std::move(reply));
    is_handled = true;
  };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/poll"));
  ASSERT_TRUE(becomes_true([&] { return is_handled.load(); }));
  EXPECT_EQ((stop_and_wait(), client.read()->status), 503U);
  server_.reset();
  kept[0].send({});
  EXPECT_TRUE(kept[0].answered());
}

TEST_F(HttpServer, TheLogHasNoNamesQueriesOrTokens) {
  handler_.script = [](serve::Request request, serve::Reply reply) {
    if (request.segments.size() == 3) reply.set_route("/v1/wallets/{name}");
    reply.send({.body = "x"});
  };
  const auto running = start();
  RawClient client = connect();
  for (const char* path : {"/v1/wallets/alice?secret=1", "/v1/wallets/alice/transactions/ab12", "/Alice"})
    client.ask(get(path));
  EXPECT_EQ(status_of("GET /v1/wallets/alice HTTP/1.1\r\nHost: localhost\r\n\r\n"), 401U);
  stop_and_wait();
  const auto lines = log_lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("GET /v1/wallets/{name} 200 ")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("GET /v1/wallets/*/* 200 ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("GET /* 200 ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("GET /v1/wallets/* 401 ")) << lines[3];
}

TEST_F(HttpServer, ATakenPortIsAnErrorThatSaysSo) {
  const auto running = start();
  boost::asio::io_context io;
  serve::Access access(access_options_);
  serve::ServerOptions options;
  options.port = port();
  serve::Server second(io, options, access, handler_);
  const auto place = second.listen();
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error(), "cannot listen on " + host() + ": Address already in use");
  options.host = "no such address";
  serve::Server third(io, options, access, handler_);
  EXPECT_NE(third.listen().error().find("use an IP address"), std::string::npos);
}

TEST_F(HttpServer, ASessionBeginsWithTheTokenAndEnds) {
  const auto running = start();
  const std::string own = "Origin: http://localhost\r\nHost: localhost\r\n";
  const auto ask = [&](std::string_view line, std::string_view headers, std::string_view body = {}) {
    RawClient client = connect();
    return client.ask(std::string(line) + " HTTP/1.1\r\n" + own + std::string(headers) +
                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  };
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(ask("POST /v1/session", json, R"({"token":"wrong"})")->status, 401U);
  EXPECT_EQ(ask("POST /v1/session", json, R"({"token":1})")->status, 400U);
  EXPECT_EQ(ask("POST /v1/session", json, R"({"token")")->status, 400U);
  EXPECT_NE(ask("POST /v1/session", json, R"({"token":"a","b":1})")->body.find("unknown field: b"), std::string::npos);
  EXPECT_EQ(ask("POST /v1/session", "", "{}")->status, 415U);
  const auto opened = ask("POST /v1/session", json, R"({"token":")" + std::string(kToken) + R"("})");
  ASSERT_EQ(opened->status, 204U);
  const std::string set_cookie = opened->header("set-cookie");
  const std::string cookie = "Cookie: " + set_cookie.substr(0, set_cookie.find(';')) + "\r\n";
  EXPECT_EQ(ask("GET /v1/a", cookie)->status, 200U);
  EXPECT_EQ(ask("PUT /v1/a", cookie)->status, 200U);
  EXPECT_EQ(ask("GET /v1/session", cookie)->header("allow"), "POST, DELETE");
  EXPECT_EQ(ask("DELETE /v1/session", cookie)->status, 204U);
  EXPECT_EQ(ask("GET /v1/a", cookie)->status, 401U);
}

}  // namespace
}  // namespace spv::test
