#include "store/postgres/database_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spv::store::postgres {
namespace {

using testing::HasSubstr;

DatabaseUrl parsed(std::string_view text) {
  auto url = parse_database_url(text);
  EXPECT_TRUE(url.has_value()) << url.error().message;
  return url.has_value() ? *url : DatabaseUrl{};
}

std::string refusal(std::string_view text) {
  const auto url = parse_database_url(text);
  EXPECT_FALSE(url.has_value()) << text;
  return url.has_value() ? "" : url.error().message;
}

TEST(DatabaseUrl, HasAllParts) {
  const DatabaseUrl expected{.user = "alice",
                             .password = "open sesame",
                             .host = "db.example.com",
                             .port = "6543",
                             .name = "wallets",
                             .parameters = {{"sslmode", "verify-full"}, {"application_name", "spv 1"}}};
  EXPECT_EQ(parsed("postgresql://alice:open%20sesame@db.example.com:6543/"
                   "wallets?sslmode=verify-full&application_name=spv%201"),
            expected);
}

TEST(DatabaseUrl, NeedsLittleButTheName) {
  EXPECT_EQ(parsed("postgres:///spv"),
            (DatabaseUrl{.user = "", .password = "", .host = "", .port = "", .name = "spv", .parameters = {}}));
  EXPECT_EQ(parsed("postgresql://host/spv").host, "host");
  EXPECT_EQ(parsed("postgresql://alice@/spv").user, "alice");
  EXPECT_THAT(refusal("postgresql://host"), HasSubstr("names no database"));
  EXPECT_THAT(refusal("postgresql://host/"), HasSubstr("names no database"));
  EXPECT_THAT(refusal("postgresql://host?sslmode=require"), HasSubstr("names no database"));
}

TEST(DatabaseUrl, ReadsEveryFormOfAHost) {
  EXPECT_EQ(parsed("postgresql://[::1]:5433/spv").host, "::1");
  EXPECT_EQ(parsed("postgresql://[::1]:5433/spv").port, "5433");
  EXPECT_EQ(parsed("postgresql://%2Frun%2Fpostgresql/spv").host, "/run/postgresql");
  EXPECT_EQ(parsed("postgresql:///spv?host=/run/postgresql&port=5433").host, "/run/postgresql");
  EXPECT_EQ(parsed("postgresql:///spv?host=/run/postgresql&port=5433").port, "5433");
  EXPECT_EQ(parsed("postgresql://a:1,b:2/spv").host, "a,b");
  EXPECT_EQ(parsed("postgresql://a:1,b:2/spv").port, "1,2");
  EXPECT_EQ(parsed("postgresql://a,b/spv").port, "");
}

TEST(DatabaseUrl, TakesAnAtSignInThePassword) {
  const auto url = parsed("postgresql://alice:p@ss@host/spv");
  EXPECT_EQ(url.password, "p@ss");
  EXPECT_EQ(url.host, "host");
}

TEST(DatabaseUrl, RefusesWhatIsNoUrlOfADatabase) {
  EXPECT_THAT(refusal(""), HasSubstr("begins with postgresql://"));
  EXPECT_THAT(refusal("mysql://host/spv"), HasSubstr("begins with postgresql://"));
  EXPECT_THAT(refusal("postgresql://host:port/spv"), HasSubstr("a host or a port"));
  EXPECT_THAT(refusal("postgresql://host:0/spv"), HasSubstr("a host or a port"));
  EXPECT_THAT(refusal("postgresql://host:65536/spv"), HasSubstr("a host or a port"));
  EXPECT_THAT(refusal("postgresql://[::1/spv"), HasSubstr("a host or a port"));
  EXPECT_THAT(refusal("postgresql://[::1]5432/spv"), HasSubstr("a host or a port"));
  EXPECT_THAT(refusal("postgresql:///spv?port=none"), HasSubstr("a port"));
  EXPECT_THAT(refusal("postgresql://a%4@host/spv"), HasSubstr("percent"));
  EXPECT_THAT(refusal("postgresql://a:%zz@host/spv"), HasSubstr("percent"));
  EXPECT_THAT(refusal("postgresql://a:%00@host/spv"), HasSubstr("percent"));
  EXPECT_THAT(refusal("postgresql://host/spv?sslmode"), HasSubstr("without a value"));
  EXPECT_THAT(refusal("postgresql://host/spv?sslmod=require"), HasSubstr("not known"));
  EXPECT_THAT(refusal("postgresql://host/spv?client_encoding=LATIN1"), HasSubstr("not known"));
  EXPECT_THAT(refusal("postgresql://host/spv?sslmode=require&sslmode=disable"), HasSubstr("sslmode twice"));
  EXPECT_THAT(refusal("postgresql://host/spv\n"), HasSubstr("control characters"));
  EXPECT_THAT(refusal("postgresql://host/" + std::string(5'000, 'a')), HasSubstr("too long"));
}

TEST(DatabaseUrl, ShowsNoPassword) {
  EXPECT_EQ(redacted(parsed("postgresql://alice:secret@host:5433/spv?sslmode=require")),
            "postgresql://alice:***@host:5433/spv?sslmode=require");
  EXPECT_EQ(redacted(parsed("postgresql://alice@host/spv?password=secret")), "postgresql://alice:***@host/spv");
  EXPECT_EQ(redacted(parsed("postgresql://host/spv?sslpassword=secret&sslkey=/k")),
            "postgresql://host/spv?sslpassword=***&sslkey=/k");
  EXPECT_EQ(redacted(parsed("postgresql://a:secret@%2Frun/spv")), "postgresql://a:***@/spv?host=/run");
  EXPECT_EQ(redacted(parsed("postgresql://a:secret@[::1]:1/spv")), "postgresql://a:***@/spv?host=::1&port=1");
}

// A password with a character that must be encoded falls apart into parts of the URL.
TEST(DatabaseUrl, RepeatsNoPartOfAPasswordThatWasNotEncoded) {
  for (const std::string_view text :
       {"postgresql://alice:SECRET/SECRET@host/spv", "postgresql://alice:12/SECRET@host/spv",
        "postgresql://alice:12/SECRET@host", "postgresql://alice:12/SECRET:SECRET/spv",
        "postgresql://alice:SECRET?SECRET@host/spv", "postgresql://alice:12/x?SECRET=SECRET@host/spv",
        "postgresql://alice:SECRET#SECRET@host/spv", "postgresql://alice:%SECRET@host/spv",
        "postgresql://alice:SEC RET@host/spv", "postgresql://alice:[SECRET@host:SECRET/spv"}) {
    const std::string message = refusal(text);
    EXPECT_THAT(message, testing::Not(HasSubstr("SECRET"))) << text;
    EXPECT_THAT(message, HasSubstr("percent-encoded")) << text;
  }
}

TEST(DatabaseUrl, TakesSecretsOutOfMessages) {
  const auto url = parsed("postgresql://alice:secret@host/spv?sslpassword=hidden");
  EXPECT_EQ(redact("refused: secret, secret and hidden", url), "refused: ***, *** and ***");
  EXPECT_EQ(redact("nothing to see", parsed("postgresql://host/spv")), "nothing to see");
  EXPECT_EQ(redact("a*b", parsed("postgresql://u:%2A@host/spv")), "a***b");
}

}  // namespace
}  // namespace spv::store::postgres
