#include "serve/http/target.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

TEST(HttpTarget, IsTakenApartAndDecoded) {
  const auto target = parse_target("/v1/wallets/a%2Db/history?limit=10&after=x%26y&flag&name=a+b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/wallets/a%2Db/history");
  EXPECT_EQ(target->segments, (std::vector<std::string>{"v1", "wallets", "a-b", "history"}));
  using Query = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(target->query, (Query{{"limit", "10"}, {"after", "x&y"}, {"flag", ""}, {"name", "a b"}}));
  EXPECT_TRUE(parse_target("/")->segments.empty());
  EXPECT_EQ(parse_target("/v1/")->segments, (std::vector<std::string>{"v1", ""}));
  EXPECT_EQ(parse_target("/%C3%BC+")->segments, (std::vector<std::string>{"\xC3\xBC+"}));
}

TEST(HttpTarget, A5_NothingThatLeadsElsewhereIsTaken) {
  for (const char* text :
       {"/..", "/../etc/passwd", "/v1/../../x", "/%2e%2e/x", "/%2E./x", "/.", "/v1/%2e", "/a%2fb", "/a%2Fb",
        "/v1/wallets/%2fetc", "http://evil.example/", "*", "", "v1", "/a b", "/a#b", "/a\x01", "/\x80"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

TEST(HttpTarget, A5_BadEncodingsAreRefused) {
  for (const char* text : {"/%", "/%4", "/%zz", "/%00", "/a%0d%0ab", "/%7f", "/%ff", "/%c0%af", "/%ed%a0%80",
                           "/%f4%90%80%80", "/%c2", "/%c2%80", "/a?b=%", "/a?b=%00", "/a?%ff=1"})
    EXPECT_FALSE(parse_target(text)) << text;
}

TEST(HttpTarget, A5_ParametersAreBounded) {
  std::string text = "/a?b";
  for (int i = 1; i < 64; ++i) text += "&b";
  EXPECT_TRUE(parse_target(text));
  EXPECT_FALSE(parse_target(text + "&b"));
}

}  // namespace
}  // namespace spv::serve
