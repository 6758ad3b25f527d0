#include "util/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::util {
namespace {

TEST(Hex, IsLowerCaseWithTwoCharactersAByte) { EXPECT_EQ(to_hex(Bytes{0x00, 0x0F, 0xAB, 0xFF}), "000fabff"); }

TEST(Hex, IsReadInEitherCase) { EXPECT_EQ(from_hex("00aBCdef"), (Bytes{0x00, 0xAB, 0xCD, 0xEF})); }

TEST(Hex, OfNothingIsNothing) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(from_hex(""), Bytes{});
}

TEST(Hex, TakesNothingElse) {
  for (const char* text :
       {"0", "000", "0g", "g0", "0G", "0@", "0`", "0/", "0:", "0x00", " 00", "00 ", "0 0", "+1", "-1", "é0"}) {
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
  }
  EXPECT_EQ(from_hex(std::string_view("0\0", 2)), std::nullopt);
}

RC_GTEST_PROP(Hex, ComesBackAsWritten, (const Bytes& bytes)) { RC_ASSERT(from_hex(to_hex(bytes)) == bytes); }

}  // namespace
}  // namespace spv::util
