#include "cli/options/amount.h"

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

TEST(Amount, IsBtcOrSatoshis) {
  EXPECT_EQ(parse_amount("1"), 100'000'000);
  EXPECT_EQ(parse_amount("0.001"), 100'000);
  EXPECT_EQ(parse_amount("0.00000001"), 1);
  EXPECT_EQ(parse_amount("21000000"), 2'100'000'000'000'000);
  EXPECT_EQ(parse_amount("123sat"), 123);
  EXPECT_EQ(parse_amount("0"), 0);
  EXPECT_EQ(parse_amount(".5"), 50'000'000);
  EXPECT_EQ(parse_amount("1."), 100'000'000);
}

TEST(Amount, NothingElseIsOne) {
  for (const char* text : {"",
                           ".",
                           "1.2.3",
                           "..5",
                           "-.5",
                           "-1",
                           "+1",
                           "1e3",
                           "1,5",
                           " 1",
                           "1 ",
                           "0.000000001",
                           "21000000.00000001",
                           "99999999999999999999",
                           "sat",
                           "1.5sat",
                           "-1sat",
                           "0x10",
                           "1btc",
                           "2100000000000001sat"}) {
    EXPECT_FALSE(parse_amount(text)) << text;
  }
}

}  // namespace
}  // namespace spv::cli
