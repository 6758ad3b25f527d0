#include "serve/api/forwarder.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

TEST(Forwarder, ARequestArrivesAsItWasAsked) {
  Request request;
  request.method = Method::Post;
  request.path = "/v1/wallets/a%2Db/rescan";
  request.body = "{\"from\":5}";
  const auto arrived = from_errand(to_errand(request));
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->method, Method::Post);
  EXPECT_EQ(arrived->segments, (std::vector<std::string>{"v1", "wallets", "a-b", "rescan"}));
  EXPECT_EQ(arrived->body, request.body);
  EXPECT_TRUE(arrived->forwarded) << "nobody passes it on again";
}

TEST(Forwarder, WhatIsNotARequestIsRefused) {
  for (const char* bad :
       {"", "[]", "{}", R"({"method":"POST","path":"/x"})", R"({"method":"BREW","path":"/","body":""})",
        R"({"method":"GET","path":"/../x","body":""})", R"({"method":7,"path":"/","body":""})"}) {
    EXPECT_FALSE(from_errand(bad)) << bad;
  }
}

TEST(Forwarder, AnAnswerComesBackAsItWasGiven) {
  const auto answer =
      from_errand_answer(to_errand_answer({.status = 201, .body = R"({"address":"x"})", .headers = {}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201U);
  EXPECT_EQ(answer->body, R"({"address":"x"})");
  const auto later = from_errand_answer(to_errand_answer(error_response(503, "busy", "no")));
  ASSERT_TRUE(later);
  EXPECT_FALSE(later->headers.empty()) << "Retry-After";
  for (const char* bad :
       {"", "{}", R"({"status":99,"type":"","body":""})", R"({"status":"200","type":"","body":""})"}) {
    EXPECT_FALSE(from_errand_answer(bad)) << bad;
  }
}

}  // namespace
}  // namespace spv::serve
