#include "serve/api/broadcasts.h"

#include <gtest/gtest.h>

#include "tests/serve/api/answer_sink.h"

namespace spv::serve {
namespace {

using namespace std::chrono_literals;

constexpr util::TimePoint kNow{100s};

BroadcastEvent event(BroadcastState state, bool final, std::uint32_t peers = 0) {
  return {.wallet = "", .txid = "aa", .state = state, .peers_accepted = peers, .final = final};
}

class BroadcastsTest : public testing::Test {
 protected:
  std::shared_ptr<AnswerSink> expect() {
    auto sink = std::make_shared<AnswerSink>();
    number_ = broadcasts_.expect("aa", Reply(sink), kNow);
    return sink;
  }
  Broadcasts broadcasts_;
  std::uint64_t number_ = 0;
};

TEST_F(BroadcastsTest, AnswersWhenAPeerThatItWasNotSentToHasIt) {
  const auto one = expect();
  const auto two = expect();
  broadcasts_.on(event(BroadcastState::Fetched, false));
  EXPECT_FALSE(one->answer);
  broadcasts_.on(event(BroadcastState::Accepted, false, 2));
  ASSERT_TRUE(one->answer);
  EXPECT_EQ(one->answer->body, R"({"txid":"aa","state":"accepted","peers_accepted":2})");
  EXPECT_TRUE(two->answer) << "who asks twice is answered twice";
}

TEST_F(BroadcastsTest, AnswersWithTheEvidenceAtTheEnd) {
  const auto fetched = expect();
  broadcasts_.on(event(BroadcastState::Fetched, true));
  EXPECT_EQ(fetched->answer->body, R"({"txid":"aa","state":"fetched","peers_accepted":0})");
  const auto announced = expect();
  broadcasts_.on(event(BroadcastState::Announced, true));
  EXPECT_EQ(announced->answer->body, R"({"txid":"aa","state":"uncertain","peers_accepted":0})");
}

TEST_F(BroadcastsTest, NobodyWaitsForEver) {
  const auto sink = expect();
  broadcasts_.on(event(BroadcastState::Fetched, false));
  broadcasts_.sweep(kNow + Broadcasts::kLongestWait - 1s);
  EXPECT_FALSE(sink->answer);
  broadcasts_.sweep(kNow + Broadcasts::kLongestWait);
  EXPECT_EQ(sink->answer->body, R"({"txid":"aa","state":"fetched","peers_accepted":0})");
}

TEST_F(BroadcastsTest, WhatWasNotSentGivesTheReplyBack) {
  const auto sink = expect();
  auto reply = broadcasts_.cancel("aa", number_);
  ASSERT_TRUE(reply);
  reply->send(error_response(422, "refused", "no"));
  EXPECT_EQ(sink->answer->status, 422U);
  EXPECT_FALSE(broadcasts_.cancel("aa", number_));
  broadcasts_.on(event(BroadcastState::Accepted, true));
  EXPECT_EQ(sink->answer->status, 422U);
}

TEST_F(BroadcastsTest, OthersAreNotConcerned) {
  const auto sink = expect();
  auto other = event(BroadcastState::Accepted, true);
  other.txid = "bb";
  broadcasts_.on(other);
  EXPECT_FALSE(sink->answer);
  broadcasts_.drop_all();
  EXPECT_EQ(sink->answer->status, 503U) << "the server ends";
}

}  // namespace
}  // namespace spv::serve
