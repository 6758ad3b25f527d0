// The server as hostile clients and sites see it (docs/security.md, A).
#include <atomic>
#include <thread>

#include "tests/serve/http/server_fixture.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;
using HttpHostile = ServerTest;

std::string with_host(std::string_view host) {
  return "GET /v1/a HTTP/1.1\r\nHost: " + std::string(host) + "\r\nAuthorization: Bearer " + std::string(kToken) +
         "\r\n\r\n";
}

TEST_F(HttpHostile, A1_ANameThatLeadsToUsIsRefusedEvenWithTheToken) {
  const auto running = start();
  EXPECT_EQ(status_of(with_host("localhost")), 200U);
  EXPECT_EQ(status_of(with_host(host())), 200U);
  EXPECT_EQ(status_of(with_host("127.0.0.1")), 200U);
  EXPECT_EQ(status_of(with_host("wallet.example")), 200U);
  for (const char* name : {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost:1", "[::1]", ""})
    EXPECT_EQ(status_of(with_host(name)), 403U) << name;
  EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403U) << "open, but not for them";
  EXPECT_EQ(status_before_close("GET /healthz HTTP/1.1\r\n\r\n"), 400U);
  EXPECT_EQ(status_before_close("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400U);
}

TEST_F(HttpHostile, A2_AnotherSiteChangesNothingWithOurCookie) {
  const auto running = start();
  RawClient client = connect();
  const auto opened = client.ask(post("/v1/session", R"({"token":")" + std::string(kToken) + R"("})"));
  const std::string set_cookie = opened->header("set-cookie");
  const auto ask = [&](std::string_view method, std::string_view headers) {
    return status_of(std::string(method) + " /v1/a HTTP/1.1\r\nHost: " + host() + "\r\nCookie: " +
                     set_cookie.substr(0, set_cookie.find(';')) + "\r\n" + std::string(headers) + "\r\n");
  };
  EXPECT_NE(set_cookie.find("SameSite=Strict"), std::string::npos);
  EXPECT_EQ(ask("GET", ""), 200U);
  EXPECT_EQ(ask("DELETE", "Origin: http://" + host() + "\r\n"), 200U);
  for (const char* headers : {"", "Origin: null\r\n", "Origin: http://evil.example\r\n", "Origin: http://127.0.0.1\r\n",
                              "Origin: http://127.0.0.1:3000\r\n"})
    for (const char* method : {"POST", "PUT", "DELETE"}) EXPECT_EQ(ask(method, headers), 403U) << method << headers;
}

TEST_F(HttpHostile, A2_NoOtherSiteIsAllowedToReadAnything) {
  const auto running = start();
  RawClient client = connect();
  const auto preflight = client.ask(
      "OPTIONS /v1/a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
      "Access-Control-Request-Method: DELETE\r\n\r\n");
  EXPECT_EQ(preflight->status, 405U);
  EXPECT_NE(preflight->header("allow"), "");
  const auto answer = client.ask(get("/v1/a", "Origin: http://evil.example\r\n"));
  for (const auto& headers : {preflight->headers, answer->headers})
    for (const auto& [name, value] : headers) EXPECT_FALSE(name.starts_with("access-control-")) << name;
}

TEST_F(HttpHostile, A2_AFormOfAnotherSiteIsNotJson) {
  const auto running = start();
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""}) {
    const std::string header = *type == 0 ? "" : "Content-Type: " + std::string(type) + "\r\n";
    EXPECT_EQ(status_before_close("POST /v1/session HTTP/1.1\r\nHost: localhost\r\n" + header +
                                  "Content-Length: 2\r\n\r\n{}"),
              415U)
        << type;
  }
}

TEST_F(HttpHostile, A3_AHeadThatTricklesInIsCutOffAtItsDeadline) {
  options_.limits.request_time = milliseconds(300);
  options_.limits.linger_time = milliseconds(300);
  const auto running = start();
  RawClient client = connect();
  client.send("GET / HTTP/1.1\r\nA: ");
  // Fewer bytes than a head may have: only the time can end it.
  for (int i = 0; i < 8'000 && client.send("x") && (i < 100 || server_->open_connections() > 0); ++i)
    std::this_thread::sleep_for(milliseconds(2));
  const auto answer = client.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408U);
}

TEST_F(HttpHostile, A3_HeadAndBodyHaveOneDeadline) {
  options_.limits.request_time = milliseconds(200);
  options_.limits.idle_time = milliseconds(60'000);
  const auto running = start();
  for (const std::string& part : {std::string("GET / HT"), post("/", "{}").substr(0, post("/", "{}").size() - 1)}) {
    RawClient client = connect();
    EXPECT_EQ(client.ask(part)->status, 408U);
    EXPECT_TRUE(client.is_closed());
  }
  RawClient silent = connect();
  EXPECT_TRUE(silent.is_closed());
  RawClient second = connect();
  EXPECT_EQ(second.ask(get("/"))->status, 200U);
  EXPECT_EQ(second.ask("GET / HT")->status, 408U) << "on a connection that was idle";
}

TEST_F(HttpHostile, A3_AnIdleConnectionIsClosed) {
  options_.limits.idle_time = milliseconds(100);
  const auto running = start();
  RawClient client = connect();
  EXPECT_EQ(client.ask(get("/"))->status, 200U);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpHostile, A3_AnAnswerThatNobodyReadsIsGivenUp) {
  options_.limits.write_time = milliseconds(200);
  handler_.script = [](serve::Request, serve::Reply reply) { reply.send({.body = std::string(20'000'000, 'x')}); };
  const auto running = start();
  RawClient client = connect(4'096);
  client.send(get("/"));
  EXPECT_TRUE(becomes_true([&] { return server_->open_connections() == 1; }));
  EXPECT_TRUE(becomes_true([&] { return server_->open_connections() == 0; }));
}

TEST_F(HttpHostile, A4_SmuggledRequestsAreNeverReached) {
  std::atomic<int> handled{0};
  handler_.script = [&](serve::Request, serve::Reply reply) {
    ++handled;
    reply.send({});
  };
  const auto running = start();
  const std::string hidden = get("/hidden");
  for (const std::string& headers :
       {std::string("Transfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        std::string("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), std::string("Transfer-Encoding: x\r\n"),
        std::string("Content-Length: 0\r\nContent-Length: ") + std::to_string(hidden.size()) + "\r\n",
        std::string("Content-Length: 0\r\nContent-Length: 0\r\n"), std::string("Content-Length: 0, 5\r\n"),
        std::string("Content-Length : 5\r\n"), std::string("X: y\r\n Content-Length: 5\r\n"),
        std::string("X: y\nContent-Length: 5\r\n")}) {
    RawClient client = connect();
    client.send(get("/v1/a", headers) + "0\r\n\r\n" + hidden);
    EXPECT_EQ(client.read()->status, 400U) << headers;
    EXPECT_EQ(client.read_to_end(), "") << "one answer, and the end";
  }
  EXPECT_EQ(handled, 0);
}

TEST_F(HttpHostile, A4_TheBodyOfARefusedRequestIsNotTheNextRequest) {
  std::atomic<int> handled{0};
  handler_.script = [&](serve::Request, serve::Reply reply) {
    ++handled;
    reply.send({});
  };
  const auto running = start();
  const std::string hidden = get("/hidden");
  RawClient client = connect();
  client.send("POST /v1/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(hidden.size()) +
              "\r\n\r\n" + hidden);
  EXPECT_EQ(client.read()->status, 401U);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(handled, 0);
}

TEST_F(HttpHostile, A5_PathsThatLeadElsewhereAreRefused) {
  const auto running = start();
  for (const char* path : {"/../etc/passwd", "/%2e%2e/etc/passwd", "/a/..%2f..%2fetc", "/%00", "/%", "/a%0d%0aX:y",
                           "/%ff", "*", "relative", "http://localhost/"})
    EXPECT_EQ(status_before_close(get(path)), 400U) << path;
}

TEST_F(HttpHostile, A6_AHeadAboveEightKilobytesIsRefused) {
  const auto running = start();
  const std::string frame = get("/", "A: \r\n");
  EXPECT_EQ(status_of(get("/", "A: " + std::string(8'192 - frame.size(), 'x') + "\r\n")), 200U);
  EXPECT_EQ(status_before_close(get("/", "A: " + std::string(8'193 - frame.size(), 'x') + "\r\n")), 431U);
  EXPECT_EQ(status_before_close("GET /" + std::string(100'000, 'x')), 431U);
}

TEST_F(HttpHostile, A6_ABodyAboveAMebibyteIsRefusedBeforeItComes) {
  const auto running = start();
  EXPECT_EQ(status_of(post("/", std::string(1'048'576, 'x'))), 200U);
  EXPECT_EQ(status_before_close("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kToken) +
                                "\r\nContent-Length: 1048577\r\n\r\n"),
            413U);
  RawClient client = connect();
  client.send(post("/", std::string(1'500'000, 'x')));
  EXPECT_EQ(client.read()->status, 413U) << "a client that sends without waiting reads it too";
  EXPECT_EQ(status_before_close("POST /v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                "Content-Length: 100000\r\n\r\n"),
            413U)
      << "without a token much less";
}

TEST_F(HttpHostile, A6_ABodyIsNotReadBeforeTheTokenIsChecked) {
  const auto running = start();
  EXPECT_EQ(status_before_close("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"), 401U);
}

TEST_F(HttpHostile, A6_OneConnectionTooManyIsTurnedAwayAndTheRestServed) {
  options_.limits.connections = 20;
  const auto running = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(connect());
    ASSERT_EQ(clients.back().ask(get("/"))->status, 200U);
  }
  for (int i = 0; i < 300; ++i) {
    RawClient extra = connect();
    const auto answer = extra.read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->status, 503U);
    EXPECT_NE(answer->header("retry-after"), "");
    EXPECT_TRUE(extra.is_closed());
  }
  for (auto& client : clients) EXPECT_EQ(client.ask(get("/"))->status, 200U);
  clients.pop_back();
  EXPECT_TRUE(becomes_true([&] { return status_of(get("/")) == 200; }));
}

TEST_F(HttpHostile, A6_AFloodOfConnectionsLeavesNothingBehind) {
  options_.limits.connections = 50;
  const auto running = start();
  for (int round = 0; round < 20; ++round) {
    std::vector<RawClient> flood;
    for (int i = 0; i < 200; ++i) flood.push_back(connect());
    for (std::size_t i = 0; i < flood.size(); i += 2) flood[i].send("GET / HT");
  }
  EXPECT_TRUE(becomes_true([&] { return server_->open_connections() == 0; }));
  EXPECT_TRUE(becomes_true([&] { return status_of(get("/")) == 200; }));
}

TEST_F(HttpHostile, A6_WhatAClientSendsAheadIsBounded) {
  std::vector<serve::Reply> kept;
  handler_.script = [&](serve::Request, serve::Reply reply) { kept.push_back(std::move(reply)); };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/") + std::string(4'000, 'G'));
  // More than the sockets' buffers hold: it is not taken.
  std::thread sender([&] { client.send(std::string(50'000'000, 'G')); });
  ASSERT_TRUE(becomes_true([&] { return server_->open_connections() == 1; }));
  EXPECT_LT(stop_and_wait(), milliseconds(20'000));
  sender.join();
}

TEST_F(HttpHostile, A7_WrongTokensAre401AndThen429) {
  const auto running = start();
  const auto guess = [&](int i) {
    return status_of("GET /v1/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess" + std::to_string(i) +
                     "\r\n\r\n");
  };
  EXPECT_EQ(guess(0), 401U);
  int limited = 0;
  for (int i = 1; i < 200; ++i)
    if (guess(i) == 429) ++limited;
  EXPECT_GT(limited, 50);
  EXPECT_EQ(status_of(get("/v1/a")), 200U) << "the right one is not locked out";
  RawClient client = connect();
  const auto none = client.ask("GET /v1/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(none->status, 401U);
  EXPECT_EQ(none->header("www-authenticate"), "Bearer");
  EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200U);
  EXPECT_EQ(status_of("POST /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 401U);
}

TEST_F(HttpHostile, A9_NoTextOfAHandlerBecomesAHeader) {
  handler_.script = [](serve::Request, serve::Reply reply) {
    reply.send({.headers = {{"X-Bad", "a\r\nSet-Cookie: evil=1"}, {"X\r\nSet-Cookie", "evil=2"}, {"X-Good", "a"}}});
  };
  const auto running = start();
  RawClient client = connect();
  const auto answer = client.ask(get("/"));
  EXPECT_EQ(answer->headers.count("set-cookie"), 0U);
  EXPECT_EQ(answer->header("x-good"), "a");
}

TEST_F(HttpHostile, A6_GarbageEndsTheConnection) {
  const auto running = start();
  for (const std::string& bytes : {std::string("\x16\x03\x01\x02\x00\x01", 6), std::string("\r\n\r\n"),
                                   std::string("GET / HTTP/1.1\nHost: x\n\n"), std::string(10'000, '\0')})
    EXPECT_EQ(status_before_close(bytes), 400U);
}

}  // namespace
}  // namespace spv::test
