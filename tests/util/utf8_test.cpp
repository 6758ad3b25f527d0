#include "util/utf8.h"

#include <gtest/gtest.h>

namespace spv::util {
namespace {

TEST(Utf8, ValidUtf8StaysAsItIs) {
  EXPECT_EQ(to_utf8("plain"), "plain");
  EXPECT_EQ(to_utf8("\xC3\xA4 \xE2\x82\xBF \xF0\x9F\x9A\x80"), "\xC3\xA4 \xE2\x82\xBF \xF0\x9F\x9A\x80");
}

TEST(Utf8, WhatIsNotUtf8IsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(to_utf8("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(to_utf8("cut \xE2\x82"), "cut " + mark + mark);
  EXPECT_EQ(to_utf8("\xC0\xAF"), mark + mark) << "overlong";
  EXPECT_EQ(to_utf8("\xE0\x80\xAF"), mark + mark + mark) << "overlong";
  EXPECT_EQ(to_utf8("\xED\xA0\x80"), mark + mark + mark) << "surrogate";
  EXPECT_EQ(to_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark) << "beyond Unicode";
}

TEST(Utf8, ALineHoldsNoControlCharacters) {
  EXPECT_EQ(to_line("a\nb\x1b[2Jc\x7F"), "a b [2Jc ");
  EXPECT_EQ(to_line("\xC2\x9B"
                    "31m"),
            " 31m")
      << "the one-character form of the escape";
}

}  // namespace
}  // namespace spv::util
