#include "serve/live/webhook_url.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/live/back_off.h"
#include "serve/live/webhook_key.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace spv::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WebhookUrlTest, TakesUrlsApart) {
  const auto plain = parse_webhook_url("http://example.com");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->is_https);
  EXPECT_EQ(plain->host, "example.com");
  EXPECT_EQ(plain->port, 80);
  EXPECT_EQ(plain->target, "/");
  EXPECT_EQ(plain->authority(), "example.com");

  const auto full = parse_webhook_url("https://hooks.example.com:8443/in/s3cret?x=1&y=@");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->is_https);
  EXPECT_EQ(full->port, 8'443);
  EXPECT_EQ(full->target, "/in/s3cret?x=1&y=@");
  EXPECT_EQ(full->authority(), "hooks.example.com:8443");

  const auto ipv6 = parse_webhook_url("https://[::1]?x");
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(ipv6->host, "::1");
  EXPECT_EQ(ipv6->port, 443);
  EXPECT_EQ(ipv6->target, "/?x");
  EXPECT_EQ(ipv6->authority(), "[::1]");
}

TEST(WebhookUrlTest, RefusesWhatIsNotOneAndDoesNotRepeatIt) {
  for (const std::string text :
       {"", "example.com/s3cret", "ftp://example.com/s3cret", "http://", "http:///s3cret", "http://a b/s3cret",
        "http://a:0/s3cret", "http://a:65536/s3cret", "http://a:/s3cret", "http://a:8x/s3cret", "http://[::1/s3cret",
        "http://[::1]8/s3cret", "http://[zz]/s3cret", "http://a/s3cret#x", "http://a/s3cret\r\nX: y", "HTTP://a/s3cret",
        "http://a/s3cret\x7f", "http://user:s3cret@a/", "http://s3cret@a/"}) {
    const auto url = parse_webhook_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error(), Not(HasSubstr("s3cret")));
  }
  EXPECT_FALSE(parse_webhook_url("http://a/" + std::string(3'000, 'x')));
  EXPECT_THAT(parse_webhook_url("http://me:pw@a/").error(), HasSubstr("user name or password"));
}

TEST(WebhookUrlTest, EachHasItsConsumer) {
  // printf %s http://example.com/hook | sha256sum
  EXPECT_EQ(parse_webhook_url("http://example.com/hook")->consumer(), "webhook.a58446a7d361ec4d09d926b7c1c8a5dd");
  EXPECT_NE(parse_webhook_url("http://example.com/hook2")->consumer(),
            parse_webhook_url("http://example.com/hook")->consumer());
}

TEST(WebhookUrlTest, NoneIsGivenTwice) {
  EXPECT_EQ(parse_webhook_urls({"http://a/1", "http://a/2"})->size(), 2U);
  EXPECT_THAT(parse_webhook_urls({"http://a/1", "http://a/1"}).error(), HasSubstr("twice"));
  EXPECT_FALSE(parse_webhook_urls({"http://a/1", "nothing"}));
  EXPECT_FALSE(parse_webhook_urls(std::vector<std::string>(17, "http://a/1")));
}

WebhookKey key_of(std::string_view text) { return WebhookKey(util::SecretBytes(text.begin(), text.end())); }

TEST(WebhookKeyTest, SignsAsRfc4231Says) {
  EXPECT_EQ(WebhookKey(util::SecretBytes(20, 0x0B)).signature("Hi There"),
            "sha256=b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(key_of("Jefe").signature("what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      WebhookKey(util::SecretBytes(131, 0xAA)).signature("Test Using Larger Than Block-Size Key - Hash Key First"),
      "sha256=60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(WebhookKeyTest, SignsAsOpensslDoes) {
  const std::string body = R"({"events":[{"seq":1}]})";
  const auto said = test::run({"openssl", "dgst", "-sha256", "-hmac", "a key"}, {.input = body});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(key_of("a key").signature(body).substr(7)));
}

TEST(WebhookKeyTest, IsTheFileWithoutANewlineAtTheEnd) {
  const test::TempDir dir;
  const auto read = [&](const std::string& text) {
    std::ofstream(dir.file("key"), std::ios::binary) << text;
    return WebhookKey::read(dir.file("key"));
  };
  const auto wanted = key_of("s3cret").signature("x");
  EXPECT_EQ(read("s3cret")->signature("x"), wanted);
  EXPECT_EQ(read("s3cret\n")->signature("x"), wanted);
  EXPECT_EQ(read("s3cret\n\n")->signature("x"), key_of("s3cret\n").signature("x"));
  EXPECT_EQ(read(std::string("a\0b", 3))->signature("x"), key_of(std::string("a\0b", 3)).signature("x"));
  EXPECT_THAT(read("").error(), HasSubstr("empty"));
  EXPECT_THAT(read("\n").error(), HasSubstr("empty"));
  EXPECT_TRUE(read(std::string(4'096, 'x')));
  EXPECT_THAT(read(std::string(4'097, 'x')).error(), HasSubstr("longer"));
  EXPECT_THAT(WebhookKey::read(dir.file("missing")).error(), HasSubstr("cannot be read"));
  EXPECT_FALSE(WebhookKey::read(dir.path()));
}

TEST(BackOffTest, DoublesUpToItsLimitLessTheJitter) {
  using std::chrono::seconds;
  const BackOff back_off;
  EXPECT_EQ(back_off.delay(1, 0), seconds(1));
  EXPECT_EQ(back_off.delay(2, 0), seconds(2));
  EXPECT_EQ(back_off.delay(9, 0), seconds(256));
  EXPECT_EQ(back_off.delay(10, 0), seconds(300));
  EXPECT_EQ(back_off.delay(4'000'000'000, 0), seconds(300));
  EXPECT_EQ(back_off.delay(10, 0.5).count(), 262'500);
}

}  // namespace
}  // namespace spv::serve
