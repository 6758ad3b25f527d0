#include "chain/uint256.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::chain {
namespace {

Uint256 number(std::string_view hex) { return *Uint256::from_hex(hex); }

Uint256 arbitrary() {
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(32, rc::gen::arbitrary<std::uint8_t>());
  // Also small ones: uniform 256-bit numbers are all about the same size.
  return Uint256::from_little_endian(bytes) >> *rc::gen::inRange(0U, 257U);
}

TEST(Uint256, ReadsAndWritesHexMostSignificantFirst) {
  EXPECT_EQ(number("ff").low64(), 255U);
  EXPECT_EQ(Uint256(0x1234).to_hex(), std::string(60, '0') + "1234");
  EXPECT_EQ(number(std::string(64, 'f')) + 1, Uint256(0));
}

TEST(Uint256, RefusesHexThatIsEmptyTooLongOrNoHex) {
  EXPECT_FALSE(Uint256::from_hex(""));
  EXPECT_FALSE(Uint256::from_hex(std::string(65, '0')));
  EXPECT_FALSE(Uint256::from_hex("xyz"));
}

TEST(Uint256, CarriesAcrossLimbs) {
  EXPECT_EQ(number("ffffffffffffffff") + 1, number("10000000000000000"));
  EXPECT_EQ(number("10000000000000000") - 1, number("ffffffffffffffff"));
  EXPECT_EQ(number("ffffffffffffffff") * 0xFFFFFFFF, number("fffffffeffffffff00000001"));
}

TEST(Uint256, WrapsBelowZero) { EXPECT_EQ(Uint256(0) - 1, ~Uint256(0)); }

TEST(Uint256, ShiftsByWholeLimbsAndOut) {
  EXPECT_EQ(Uint256(1) << 64, number("10000000000000000"));
  EXPECT_EQ((Uint256(1) << 255) >> 255, Uint256(1));
  EXPECT_EQ(Uint256(1) << 256, Uint256(0));
  EXPECT_EQ(~Uint256(0) >> 256, Uint256(0));
}

TEST(Uint256, ComparesByTheHighestLimbFirst) {
  EXPECT_LT(number("1ffffffffffffffff"), number("20000000000000000"));
  EXPECT_GT(Uint256(1) << 192, (Uint256(1) << 192) - 1);
}

TEST(Uint256, CountsBits) {
  EXPECT_EQ(Uint256(0).bit_length(), 0U);
  EXPECT_EQ(Uint256(1).bit_length(), 1U);
  EXPECT_EQ((~Uint256(0)).bit_length(), 256U);
}

TEST(Uint256, DividesAndRoundsDown) {
  EXPECT_EQ(Uint256(7) / 2, Uint256(3));
  EXPECT_EQ(Uint256(1) / 2, Uint256(0));
  EXPECT_EQ(~Uint256(0) / ~Uint256(0), Uint256(1));
  EXPECT_EQ((Uint256(1) << 255) / (Uint256(1) << 127), Uint256(1) << 128);
}

RC_GTEST_PROP(Uint256, SubtractionUndoesAddition, ()) {
  const Uint256 a = arbitrary();
  const Uint256 b = arbitrary();
  RC_ASSERT(a + b - b == a);
  RC_ASSERT((a >= b) == (a - b <= a));
}

RC_GTEST_PROP(Uint256, DivisionUndoesMultiplicationThatFits, ()) {
  const Uint256 a = arbitrary() >> 32;
  const auto b = *rc::gen::nonZero<std::uint32_t>();
  RC_ASSERT(a * b / b == a);
  RC_ASSERT((a * b + (b - 1)) / b == a);
}

RC_GTEST_PROP(Uint256, BytesAndHexGiveTheNumberBack, ()) {
  const Uint256 a = arbitrary();
  RC_ASSERT(Uint256::from_little_endian(a.to_little_endian()) == a);
  RC_ASSERT(Uint256::from_hex(a.to_hex()) == a);
}

RC_GTEST_PROP(Uint256, ShiftingLeftIsDoubling, ()) {
  const Uint256 a = arbitrary();
  const auto shift = *rc::gen::inRange(0U, 31U);
  RC_ASSERT(a << shift == a * (std::uint32_t{1} << shift));
}

}  // namespace
}  // namespace spv::chain
