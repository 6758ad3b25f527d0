#include "util/expected.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace spv::util {
namespace {

enum class ParseError { Empty, TooLong };

Expected<std::string, ParseError> parse(const std::string& text) {
  if (text.empty()) return Unexpected{ParseError::Empty};
  if (text.size() > 3) return Unexpected{ParseError::TooLong};
  return text;
}

Expected<void, ParseError> check(const std::string& text) {
  if (text.empty()) return Unexpected{ParseError::Empty};
  return {};
}

TEST(Expected, HoldsAValue) {
  const auto result = parse("abc");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, "abc");
  EXPECT_EQ(result->size(), 3U);
}

TEST(Expected, HoldsTheReasonWhyThereIsNone) {
  EXPECT_EQ(parse("").error(), ParseError::Empty);
  const auto result = parse("abcd");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), ParseError::TooLong);
}

TEST(Expected, MovesTheValueOut) {
  Expected<std::unique_ptr<int>, ParseError> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Expected, ValueAndErrorMayBeOfOneType) {
  const Expected<int, int> value = 1;
  const Expected<int, int> error = Unexpected{1};
  EXPECT_TRUE(value.has_value());
  EXPECT_FALSE(error.has_value());
}

TEST(Expected, OfVoidSaysOnlyWhetherItWorked) {
  EXPECT_TRUE(check("a"));
  ASSERT_FALSE(check(""));
  EXPECT_EQ(check("").error(), ParseError::Empty);
}

TEST(ExpectedDeathTest, ReadingTheWrongSideStopsTheProgram) {
  EXPECT_DEATH(static_cast<void>(parse("").value()), "Expected holds an error");
  EXPECT_DEATH(static_cast<void>(parse("abc").error()), "Expected holds a value");
  EXPECT_DEATH(static_cast<void>(check("abc").error()), "Expected holds no error");
}

TEST(EnsureDeathTest, SaysWhyAndWhere) {
  ensure(true, "goes on");
  EXPECT_DEATH(ensure(false, "the reason"), "internal error: the reason \\(.*expected_test\\.cpp:[0-9]+\\)");
}

}  // namespace
}  // namespace spv::util
