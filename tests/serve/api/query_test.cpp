#include "serve/api/query.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

template <typename T>
std::string refusal(const Parsed<T>& parsed) {
  return parsed ? "" : parsed.error().message;
}

TEST(Query, APageHasItsDefaults) {
  const auto page = parse_page_query({});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->limit, 100U);
  EXPECT_FALSE(page->after);
  EXPECT_EQ(parse_page_query({{"limit", "1000"}, {"after", "x"}})->limit, 1'000U);
  EXPECT_EQ(parse_page_query({{"after", "x"}})->after, "x");
}

TEST(Query, LimitsAreKept) {
  for (const char* bad : {"0", "1001", "-1", "+5", "", "ten", "5 ", "1e2", "99999999999999999999"}) {
    EXPECT_EQ(refusal(parse_page_query({{"limit", bad}})), "limit must be a whole number from 1 to 1000") << bad;
    EXPECT_EQ(refusal(parse_events_query({{"limit", bad}})), "limit must be a whole number from 1 to 1000") << bad;
  }
  EXPECT_EQ(parse_events_query({{"wait", "60"}})->wait, std::chrono::seconds(60));
  EXPECT_EQ(refusal(parse_events_query({{"wait", "61"}})), "wait must be a whole number from 0 to 60");
}

TEST(Query, WhatIsUnknownOrTwiceIsRefused) {
  EXPECT_EQ(refusal(parse_page_query({{"offset", "5"}})), "unknown query field 'offset'");
  EXPECT_EQ(refusal(parse_page_query({{"limit", "5"}, {"limit", "6"}})), "query field 'limit' is there twice");
  EXPECT_EQ(refusal(parse_stream_query({{"wait", "5"}})), "unknown query field 'wait'");
  EXPECT_FALSE(refuse_query({}));
  EXPECT_EQ(refuse_query({{"x", ""}})->message, "unknown query field 'x'");
}

TEST(Query, EventsAreOfOneWalletOrAll) {
  const auto asked = parse_events_query({{"after", "17"}, {"wallet", "shop"}, {"limit", "5"}, {"wait", "30"}});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->after, 17);
  EXPECT_EQ(asked->wallet, "shop");
  EXPECT_FALSE(parse_events_query({})->after) << "from the oldest kept";
  EXPECT_EQ(parse_events_query({{"after", "0"}})->after, 0);
  for (const char* bad : {"-1", "", "x", "9223372036854775808"}) {
    EXPECT_EQ(refusal(parse_events_query({{"after", bad}})), "after must be the number of an event, or 0") << bad;
  }
  EXPECT_EQ(refusal(parse_events_query({{"wallet", "../x"}})), "'../x' is not a wallet name");
}

}  // namespace
}  // namespace spv::serve
