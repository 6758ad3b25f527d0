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
  }
}

TEST(Query, WhatIsUnknownOrTwiceIsRefused) {
  EXPECT_EQ(refusal(parse_page_query({{"offset", "5"}})), "unknown query field 'offset'");
  EXPECT_EQ(refusal(parse_page_query({{"limit", "5"}, {"limit", "6"}})), "query field 'limit' is there twice");
  EXPECT_FALSE(refuse_query({}));
  EXPECT_EQ(refuse_query({{"x", ""}})->message, "unknown query field 'x'");
}

}  // namespace
}  // namespace spv::serve
