#include "cli/wallet/birthday.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

/// 2026-11-18 03:33:20 UTC
constexpr util::UnixTime kBirthdayNow = 1'794'972'800;

class BirthdayTest : public testing::Test {
 protected:
  static void set_zone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  BirthdayTest() { set_zone("UTC0"); }
  ~BirthdayTest() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static Birthday parse(const std::string& text) {
    return parse_birthday(text, chain::params(chain::Network::Regtest), kBirthdayNow);
  }
};

TEST_F(BirthdayTest, ADateInTheFutureIsRefused) {
  EXPECT_EQ(parse("2026-11-18").time, kBirthdayNow - kBirthdayNow % 86'400);
  EXPECT_THROW(parse("2026-11-19"), UsageError);
  EXPECT_THROW(parse("2099-01-01"), UsageError);
}

TEST_F(BirthdayTest, TodayIsNotTheFutureWhereverOneIs) {
  set_zone("XXX-21");  // where it is already the 19th
  EXPECT_TRUE(parse("2026-11-19").time);
  EXPECT_THROW(parse("2026-11-20"), UsageError);
  set_zone("XXX11");  // where it is still the 17th
  EXPECT_TRUE(parse("2026-11-18").time) << "by UTC it has begun";
}

TEST_F(BirthdayTest, ATimestampInTheFutureIsRefused) {
  EXPECT_EQ(birthday_of_timestamp(std::nullopt, kBirthdayNow).time, std::nullopt);
  EXPECT_EQ(birthday_of_timestamp(1'700'000'000, kBirthdayNow).time, 1'700'000'000);
  EXPECT_EQ(birthday_of_timestamp(kBirthdayNow + 600, kBirthdayNow).time, kBirthdayNow + 600) << "clocks differ";
  EXPECT_THROW(birthday_of_timestamp(kBirthdayNow + 601, kBirthdayNow), CommandError);
}

TEST_F(BirthdayTest, AHeightMayBeAnyAndNonsenseIsRefused) {
  EXPECT_EQ(parse("5000").height, 5'000);
  for (const char* text : {"-1", "", "tomorrow", "2026-02-30", "99999999999"})
    EXPECT_THROW(parse(text), UsageError) << text;
}

}  // namespace
}  // namespace spv::cli
