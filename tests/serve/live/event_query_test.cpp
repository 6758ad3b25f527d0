#include "serve/live/event_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spv::serve {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

Request request(Query query) {
  Request out;
  out.query = std::move(query);
  return out;
}

TEST(EventQueryTest, HasDefaults) {
  const auto query = parse_list_query(request({}));
  ASSERT_TRUE(query);
  EXPECT_FALSE(query->after);
  EXPECT_FALSE(query->wallet);
  EXPECT_EQ(query->limit, 100U);
  EXPECT_EQ(query->wait.count(), 0);
}

TEST(EventQueryTest, TakesAllFieldsAtTheirLimits) {
  const auto query =
      parse_list_query(request({{"after", "0"}, {"wallet", "a.b-c_9"}, {"limit", "1000"}, {"wait", "60"}}));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->after, 0);
  EXPECT_EQ(query->wallet, "a.b-c_9");
  EXPECT_EQ(query->limit, 1'000U);
  EXPECT_EQ(query->wait.count(), 60);
}

TEST(EventQueryTest, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"after", "-1"},   {"after", ""},     {"after", "1x"},   {"after", "99999999999999999999"},
      {"after", " 1"},   {"limit", "0"},    {"limit", "1001"}, {"wait", "61"},
      {"wait", "-1"},    {"wait", "1.5"},   {"wallet", ""},    {"wallet", "../x"},
      {"wallet", "a b"}, {"colour", "red"},
  };
  for (const auto& [name, text] : wrong) {
    const auto query = parse_list_query(request({{name, text}}));
    ASSERT_FALSE(query) << name << "=" << text;
    EXPECT_EQ(query.error().status, 400U);
    EXPECT_THAT(query.error().body, testing::HasSubstr(name));
  }
  EXPECT_FALSE(parse_list_query(request({{"after", "1"}, {"after", "2"}})));
}

TEST(EventQueryTest, OfAStreamHasNoLimitAndNoWait) {
  EXPECT_FALSE(parse_stream_query(request({{"limit", "5"}})));
  EXPECT_FALSE(parse_stream_query(request({{"wait", "5"}})));
  EXPECT_TRUE(parse_stream_query(request({{"after", "5"}, {"wallet", "a"}})));
}

TEST(EventQueryTest, TheLastEventIdBeatsAfter) {
  auto with_id = request({{"after", "5"}});
  with_id.last_event_id = "17";
  EXPECT_EQ(parse_stream_query(with_id)->after, 17);
  with_id.last_event_id = "";
  EXPECT_EQ(parse_stream_query(with_id)->after, 5) << "a browser that has seen none yet";
  with_id.last_event_id = "x";
  ASSERT_FALSE(parse_stream_query(with_id));
  EXPECT_THAT(parse_stream_query(with_id).error().body, testing::HasSubstr("Last-Event-ID"));
}

}  // namespace
}  // namespace spv::serve
