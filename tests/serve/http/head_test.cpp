#include "serve/http/head.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

std::string with(std::string_view headers) {
  return "POST /v1/x HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n";
}

TEST(HttpHead, EndsAtItsEmptyLineHoweverItIsCut) {
  const std::string head = with("A: b\r\n");
  for (std::size_t cut = 0; cut < head.size(); ++cut) {
    EXPECT_EQ(find_head_end(std::string_view(head).substr(0, cut), 0).size, 0U);
    EXPECT_EQ(find_head_end(head + "rest", cut).size, head.size());
  }
}

TEST(HttpHead, OtherProtocolsAreNoticedAtTheFirstByte) {
  EXPECT_TRUE(find_head_end("\x16\x03\x01", 0).is_malformed);
  EXPECT_TRUE(find_head_end("\r\n", 0).is_malformed);
  EXPECT_TRUE(find_head_end("GET / HTTP/1.1\n", 0).is_malformed);
  EXPECT_FALSE(find_head_end("GET / HTTP/1.1\r\n", 0).is_malformed);
}

TEST(HttpHead, HasWhatMatters) {
  const std::string text = with("content-length: 12\r\nCookie: a=b\r\nLast-Event-ID: 7\r\nExpect: 100-continue\r\n");
  const auto head = parse_head(text);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->method, Method::Post);
  EXPECT_EQ(head->target, "/v1/x");
  EXPECT_EQ(head->host, "localhost");
  EXPECT_EQ(head->content_length, 12U);
  EXPECT_EQ(head->cookie, "a=b");
  EXPECT_EQ(head->last_event_id, "7");
  EXPECT_TRUE(head->expects_continue);
  EXPECT_TRUE(head->keep_alive);
  EXPECT_EQ(head->origin.data(), nullptr);
}

TEST(HttpHead, A4_FormsThatTwoReadersWouldReadDifferentlyAreRefused) {
  for (const char* headers : {"Transfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: identity\r\n",
                              "transfer-encoding:\tchunked\r\n",
                              "Transfer-Encoding: xchunked\r\n",
                              "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                              "Content-Length: 5\r\nContent-Length: 5\r\n",
                              "Content-Length: 5\r\nContent-Length: 6\r\n",
                              "Content-Length: 5, 5\r\n",
                              "Content-Length: +5\r\n",
                              "Content-Length: -5\r\n",
                              "Content-Length: 0x5\r\n",
                              "Content-Length:\r\n",
                              "Content-Length: 5 5\r\n",
                              "Content-Length: 99999999999999999999\r\n",
                              "Content-Length : 5\r\n",
                              " Content-Length: 5\r\n",
                              "A: b\r\n Transfer-Encoding: chunked\r\n",
                              "A: b\r\n\tc\r\n",
                              "Host: evil.example\r\n",
                              "Bad Name: x\r\n",
                              ": x\r\n",
                              "NoColon\r\n",
                              "A: \x01\r\n",
                              "A: b\rc\r\n",
                              "Authorization: a\r\nAuthorization: b\r\n",
                              "Origin: http://a\r\nOrigin: http://b\r\n"}) {
    const auto head = parse_head(with(headers));
    ASSERT_FALSE(head) << headers;
    EXPECT_EQ(head.error().status, 400U) << headers;
    EXPECT_FALSE(head.error().message.empty());
  }
  EXPECT_FALSE(parse_head(with(std::string_view("A: \0\r\n", 6))));
}

TEST(HttpHead, A4_RequestLinesThatAreNotHttp1AreRefused) {
  for (const char* line : {"GET / HTTP/2.0", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET /", "GET  / HTTP/1.1",
                           "GET / http/1.1", "GET / HTTP/1.1 ", "G@T / HTTP/1.1", "GET / HTTP/1.10"})
    EXPECT_FALSE(parse_head(std::string(line) + "\r\nHost: localhost\r\n\r\n")) << line;
  EXPECT_FALSE(parse_head("PRI * HTTP/2.0\r\n\r\n"));
  EXPECT_FALSE(parse_head("GET / HTTP/1.1\r\n\r\n")) << "no Host";
  EXPECT_TRUE(parse_head("GET / HTTP/1.0\r\n\r\n"));
}

TEST(HttpHead, KeepsTheConnectionAsAsked) {
  EXPECT_FALSE(parse_head(with("Connection: close\r\n"))->keep_alive);
  EXPECT_FALSE(parse_head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->keep_alive);
  EXPECT_EQ(parse_head(with("Expect: something\r\n")).error().status, 417U);
}

TEST(HttpHead, MediaTypesAndEncodings) {
  EXPECT_EQ(media_type("Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type(""), "");
  EXPECT_TRUE(takes_gzip("deflate, GZIP;q=0.5, br"));
  EXPECT_FALSE(takes_gzip("gzip;q=0"));
  EXPECT_FALSE(takes_gzip("deflate, xgzip"));
  EXPECT_FALSE(takes_gzip(""));
}

}  // namespace
}  // namespace spv::serve
