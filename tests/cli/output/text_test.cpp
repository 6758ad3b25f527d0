#include "cli/output/text.h"

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

TEST(Text, CountsTheColumnsOfATerminal) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("a…é"), 3U);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1U) << "a mark above a letter";
  EXPECT_EQ(columns_of("家賃"), 4U);
  EXPECT_EQ(first_columns("家賃x", 3), "家");
  EXPECT_EQ(first_columns("abc", 5), "abc");
  EXPECT_EQ(first_columns("abc", 0), "");
}

}  // namespace
}  // namespace spv::cli
