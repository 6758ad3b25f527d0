// The examples of BIP21, and what is refused.
#include "wallet/payment_uri.h"

#include <gtest/gtest.h>

namespace spv::wallet {
namespace {

constexpr const char* kAddress = "175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W";
const std::string kUri = std::string("bitcoin:") + kAddress;

PaymentUri parsed(const std::string& text) {
  const auto uri = parse_payment_uri(text);
  EXPECT_TRUE(uri) << text << ": " << (uri ? "" : uri.error().message);
  return uri ? *uri : PaymentUri{};
}

TEST(PaymentUri, ReadsTheExamplesOfBip21) {
  EXPECT_EQ(parsed(kUri), (PaymentUri{.address = kAddress, .label = {}, .message = {}}));
  EXPECT_EQ(parsed(kUri + "?label=Luke-Jr"), (PaymentUri{.address = kAddress, .label = "Luke-Jr", .message = {}}));
  EXPECT_EQ(parsed(kUri + "?amount=20.3&label=Luke-Jr"),
            (PaymentUri{.address = kAddress, .amount = 2'030'000'000, .label = "Luke-Jr", .message = {}}));
  EXPECT_EQ(
      parsed(kUri + "?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz"),
      (PaymentUri{
          .address = kAddress, .amount = 5'000'000'000, .label = "Luke-Jr", .message = "Donation for project xyz"}));
  EXPECT_EQ(parsed(kUri + "?somethingyoudontunderstand=50&somethingelseyoudontget=999").address, kAddress);
  const auto refused = parse_payment_uri(kUri + "?req-somethingyoudontunderstand=50&req-somethingelseyoudontget=999");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("req-somethingyoudontunderstand"), std::string::npos);
}

TEST(PaymentUri, TheSchemeMayBeOfAnyCase) {
  EXPECT_EQ(parsed("BITCOIN:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4").address,
            "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4");
  EXPECT_TRUE(is_payment_uri("Bitcoin:x"));
  EXPECT_FALSE(is_payment_uri("litecoin:x"));
  EXPECT_FALSE(is_payment_uri("bitcoin"));
}

TEST(PaymentUri, RefusesWhatItCannotPayByTheLetter) {
  for (const char* bad : {"",
                          "bitcoin:",
                          "bitcoin:?amount=1",
                          "175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W",
                          "bitcoin:a b",
                          "bitcoin:a%20b",
                          "bitcoin:a?amount=",
                          "bitcoin:a?amount=1,5",
                          "bitcoin:a?amount=-1",
                          "bitcoin:a?amount=1e3",
                          "bitcoin:a?amount=0x1",
                          "bitcoin:a?amount=1.123456789",
                          "bitcoin:a?amount=21000001",
                          "bitcoin:a?amount=.",
                          "bitcoin:a?amount=1&amount=2",
                          "bitcoin:a?label=%",
                          "bitcoin:a?label=%4",
                          "bitcoin:a?label=%zz",
                          "bitcoin:a?label=%ff",
                          "bitcoin:a?%72eq-x=1",
                          "bitcoin:a?amount=1 "}) {
    EXPECT_FALSE(parse_payment_uri(bad)) << bad;
  }
  EXPECT_FALSE(parse_payment_uri(kUri + "?label=" + std::string(5'000, 'x')));
}

TEST(PaymentUri, WhatIsWrittenIsReadAgain) {
  const PaymentUri uri{
      .address = kAddress, .amount = 100'001, .label = "Café & Søn = 50% + tip", .message = "a/b?c#d\"<>"};
  EXPECT_EQ(to_string(uri), kUri +
                                "?amount=0.00100001&label=Caf%C3%A9%20%26%20S%C3%B8n%20%3D%2050%25%20%2B%20tip"
                                "&message=a%2Fb%3Fc%23d%22%3C%3E");
  EXPECT_EQ(parsed(to_string(uri)), uri);
  EXPECT_EQ(to_string(PaymentUri{.address = "a", .amount = 2'100'000'000'000'000, .label = {}, .message = {}}),
            "bitcoin:a?amount=21000000");
  EXPECT_EQ(to_string(PaymentUri{.address = "a", .amount = 0, .label = {}, .message = {}}), "bitcoin:a?amount=0");
}

TEST(PaymentUri, AmountsAreExact) {
  EXPECT_EQ(parse_btc("0.00000001"), 1);
  EXPECT_EQ(parse_btc("20999999.9769"), 2'099'999'997'690'000);
  EXPECT_EQ(parse_btc("1."), 100'000'000);
  EXPECT_EQ(parse_btc(".5"), 50'000'000);
  EXPECT_EQ(parse_btc("99999999"), std::nullopt);
}

}  // namespace
}  // namespace spv::wallet
