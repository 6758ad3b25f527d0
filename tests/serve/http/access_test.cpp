#include "serve/http/access.h"

#include <set>

#include <gtest/gtest.h>

#include "serve/http/cookies.h"
#include "tests/serve/http/raw_client.h"

namespace spv::serve {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using Verdict = Access::Verdict;
const util::TimePoint kStart{hours(1'000)};

Access make_access() {
  Access access({.token = "0123456789abcdef",
                 .host_names = {"wallet.example", "other.example:8443"},
                 .entropy = test::counted_entropy()});
  access.listening_on("127.0.0.1", 8'338);
  return access;
}

std::string cookie_of(const std::string& set_cookie) { return set_cookie.substr(0, set_cookie.find(';')); }

TEST(HttpAccess, A1_OnlyHostsThatWeServeAreKnown) {
  const Access access = make_access();
  for (const char* host : {"127.0.0.1", "127.0.0.1:8338", "localhost", "LOCALHOST:8338", "wallet.example",
                           "Wallet.Example:80", "wallet.example:1234", "other.example:8443"})
    EXPECT_TRUE(access.knows_host(host, "127.0.0.1")) << host;
  for (const char* host : {"evil.example",
                           "evil.example:8338",
                           "127.0.0.1.evil.example",
                           "localhost.evil.example",
                           "127.0.0.2",
                           "127.1",
                           "localhost:80",
                           "127.0.0.1:8339",
                           "other.example",
                           "other.example:80",
                           "",
                           ":",
                           "localhost:",
                           "localhost:08338x",
                           "a@localhost",
                           "localhost/",
                           "[::1]",
                           "[localhost",
                           "localhost:99999",
                           "wallet.example.",
                           "2130706433"})
    EXPECT_FALSE(access.knows_host(host, "127.0.0.1")) << host;
}

TEST(HttpAccess, A1_OnAllAddressesTheOneThatWasReachedIsKnown) {
  Access access = make_access();
  access.listening_on("0.0.0.0", 8'338);
  EXPECT_TRUE(access.knows_host("192.0.2.7:8338", "192.0.2.7"));
  EXPECT_FALSE(access.knows_host("192.0.2.8:8338", "192.0.2.7"));
  EXPECT_FALSE(access.knows_host("evil.example", "192.0.2.7"));
  access.listening_on("::1", 8'338);
  EXPECT_TRUE(access.knows_host("[::1]:8338", "::1"));
  EXPECT_TRUE(access.knows_host("[0:0:0:0:0:0:0:1]", "::1"));
}

TEST(HttpAccess, A2_OnlyOurOwnOriginMayChangeSomethingByCookie) {
  const Access access = make_access();
  const auto is_own = [&](std::string_view origin, std::string_view host) {
    return access.is_own_origin({.host = host, .origin = origin});
  };
  EXPECT_TRUE(is_own("http://127.0.0.1:8338", "127.0.0.1:8338"));
  EXPECT_TRUE(is_own("http://localhost:8338", "localhost:8338"));
  EXPECT_TRUE(is_own("https://wallet.example", "wallet.example"));
  EXPECT_TRUE(is_own("https://wallet.example", "127.0.0.1:8338")) << "a proxy in front";
  EXPECT_TRUE(is_own("https://other.example:8443", "127.0.0.1:8338"));
  for (const char* origin : {"", "null", "http://evil.example", "http://127.0.0.1:8339", "http://localhost:3000",
                             "http://127.0.0.1", "https://127.0.0.1", "http://127.0.0.1:8338.evil.example",
                             "http://127.0.0.1:8338@evil.example", "https://wallet.example:444", "file://",
                             "ftp://127.0.0.1:8338", "https://other.example", "http://127.0.0.1:8338/"})
    EXPECT_FALSE(is_own(origin, "127.0.0.1:8338")) << origin;
}

TEST(HttpAccess, TheTokenOpensAndNothingElseDoes) {
  Access access = make_access();
  EXPECT_EQ(access.check({.authorization = "Bearer 0123456789abcdef"}, kStart), Verdict::Token);
  EXPECT_EQ(access.check({.authorization = "bearer  0123456789abcdef"}, kStart), Verdict::Token);
  EXPECT_EQ(access.check({}, kStart), Verdict::None);
  for (const char* value : {"Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeF",
                            "Bearer 0123456789abcdef0", "Basic 0123456789abcdef", "0123456789abcdef"})
    EXPECT_EQ(access.check({.authorization = value}, kStart), Verdict::Wrong) << value;
}

TEST(HttpAccess, A7_GuessesAreLimitedAndTheRightTokenIsNotLockedOut) {
  Access access = make_access();
  int wrong = 0;
  for (int i = 0; i < 10'000; ++i)
    if (access.check({.authorization = "Bearer " + std::to_string(i)}, kStart) == Verdict::Wrong) ++wrong;
  EXPECT_EQ(wrong, 20);
  EXPECT_EQ(access.check({.authorization = "Bearer 0123456789abcdef"}, kStart), Verdict::Token);
  std::string set_cookie;
  EXPECT_EQ(access.open_session("guess", kStart, set_cookie), Verdict::TooMany);
  EXPECT_EQ(set_cookie, "");
  EXPECT_EQ(access.open_session("guess", kStart + seconds(1), set_cookie), Verdict::Wrong);
  EXPECT_EQ(access.open_session("guess", kStart + seconds(1), set_cookie), Verdict::TooMany);
}

TEST(HttpAccess, ASessionLastsUntilItIsClosedOrIdle) {
  Access access = make_access();
  std::string set_cookie;
  ASSERT_EQ(access.open_session("0123456789abcdef", kStart, set_cookie), Verdict::Token);
  EXPECT_NE(set_cookie.find("; HttpOnly; SameSite=Strict; Path=/"), std::string::npos);
  const std::string cookie = cookie_of(set_cookie);
  EXPECT_EQ(cookie.size(), std::string("spv_session_8338=").size() + 64);
  EXPECT_EQ(access.check({.cookie = "a=b; " + cookie}, kStart + hours(11)), Verdict::Session);
  EXPECT_EQ(access.check({.cookie = cookie}, kStart + hours(22)), Verdict::Session);
  EXPECT_EQ(access.check({.cookie = cookie}, kStart + hours(34) + seconds(1)), Verdict::None);
  ASSERT_EQ(access.open_session("0123456789abcdef", kStart, set_cookie), Verdict::Token);
  EXPECT_NE(cookie_of(set_cookie), cookie);
  EXPECT_NE(access.close_session(cookie_of(set_cookie)).find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(access.check({.cookie = cookie_of(set_cookie)}, kStart), Verdict::None);
}

TEST(HttpAccess, AWrongTokenIsNotHelpedByACookie) {
  Access access = make_access();
  std::string set_cookie;
  ASSERT_EQ(access.open_session("0123456789abcdef", kStart, set_cookie), Verdict::Token);
  EXPECT_EQ(access.check({.authorization = "Bearer wrong", .cookie = cookie_of(set_cookie)}, kStart), Verdict::Wrong);
}

TEST(Sessions, A7_AreBoundedAndOnlyTheirHashesAreKept) {
  std::uint8_t next = 0;
  Sessions sessions([&](std::span<std::uint8_t> out) { std::ranges::fill(out, next++); });
  std::vector<std::string> secrets;
  for (std::size_t i = 0; i < Sessions::kMost; ++i) secrets.push_back(sessions.open(kStart + seconds(i)));
  EXPECT_TRUE(sessions.use(secrets[0], kStart + seconds(1'000)));
  secrets.push_back(sessions.open(kStart + seconds(1'000)));
  EXPECT_EQ(sessions.size(), Sessions::kMost);
  EXPECT_TRUE(sessions.use(secrets[0], kStart + seconds(1'000)));
  EXPECT_FALSE(sessions.use(secrets[1], kStart + seconds(1'000))) << "used longest ago";
  EXPECT_FALSE(sessions.use("", kStart));
}

TEST(Cookies, AreFoundByTheirWholeName) {
  EXPECT_EQ(find_cookie("a=1; b=2;c=3", "b"), "2");
  EXPECT_EQ(find_cookie("a=1; b=2;c=3", "c"), "3");
  EXPECT_EQ(find_cookie("ab=1", "b"), std::nullopt);
  EXPECT_EQ(find_cookie("ba=1; b", "b"), std::nullopt);
  EXPECT_EQ(find_cookie("b=", "b"), "");
  EXPECT_EQ(find_cookie("", "b"), std::nullopt);
  EXPECT_EQ(find_cookie(";;=;b=x=y", "b"), "x=y");
}

TEST(Access, TokensThatCannotBeSentAreRefused) {
  EXPECT_NE(complaint_about_token(""), "");
  EXPECT_NE(complaint_about_token("with a blank"), "");
  EXPECT_NE(complaint_about_token(std::string(1'025, 'a')), "");
  EXPECT_EQ(complaint_about_token("0123456789abcdef"), "");
}

}  // namespace
}  // namespace spv::serve
