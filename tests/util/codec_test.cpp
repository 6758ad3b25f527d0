#include "util/codec.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::util {
namespace {

Bytes hex(std::string_view text) { return test::hex(text); }

std::string written_size(std::uint64_t value) { return to_hex(Writer().compact_size(value).data()); }

TEST(Writer, WritesIntegersLittleEndian) {
  Writer out;
  out.integer(std::uint8_t{1}).integer(std::uint16_t{0x0203}).integer(std::uint32_t{0x04050607});
  out.integer(std::int32_t{-2}).integer(std::int64_t{-1}).big_endian16(8333);
  EXPECT_EQ(to_hex(out.data()), "01030207060504feffffffffffffffffffffff208d");
}

TEST(Writer, WritesTheShortestCompactSize) {
  EXPECT_EQ(written_size(0), "00");
  EXPECT_EQ(written_size(0xFC), "fc");
  EXPECT_EQ(written_size(0xFD), "fdfd00");
  EXPECT_EQ(written_size(0xFFFF), "fdffff");
  EXPECT_EQ(written_size(0x1'0000), "fe00000100");
  EXPECT_EQ(written_size(0xFFFF'FFFF), "feffffffff");
  EXPECT_EQ(written_size(0x1'0000'0000), "ff0000000001000000");
  EXPECT_EQ(written_size(std::numeric_limits<std::uint64_t>::max()), "ffffffffffffffffff");
}

TEST(Writer, PutsTheLengthBeforeStringsAndBytes) {
  EXPECT_EQ(to_hex(Writer().var_string("spv").var_bytes(hex("")).take()), "0373707600");
}

TEST(Reader, ReadsInWireOrder) {
  const Bytes data = hex("01feffffff208d0373707602aabb");
  Reader in(data);
  EXPECT_EQ(in.integer<std::uint8_t>(), 1);
  EXPECT_EQ(in.integer<std::int32_t>(), -2);
  EXPECT_EQ(in.big_endian16(), 8333);
  EXPECT_EQ(in.position(), 7U);
  EXPECT_EQ(in.var_string(10), "spv");
  EXPECT_FALSE(in.done()) << "three bytes are left";
  EXPECT_EQ(in.var_bytes(2), hex("aabb"));
  EXPECT_TRUE(in.done());
}

TEST(Reader, ReadsHashesAndArrays) {
  const std::string ones(64, '1');
  const Bytes data = hex(ones + "a1b2c3");
  Reader in(data);
  EXPECT_EQ(to_hex(in.hash<Txid>().view()), ones);
  EXPECT_EQ(in.array<3>(), (std::array<std::uint8_t, 3>{0xA1, 0xB2, 0xC3}));
  EXPECT_TRUE(in.done());
}

TEST(Reader, FailureIsStickyAndGivesZeroes) {
  const Bytes data = hex("0102030405");
  Reader in(data);
  EXPECT_EQ(in.integer<std::uint32_t>(), 0x04030201U);
  EXPECT_EQ(in.integer<std::uint32_t>(), 0U) << "one byte is not four";
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.integer<std::uint8_t>(), 0U) << "the byte that is left is not given any more";
  EXPECT_EQ(in.compact_size(), 0U);
  EXPECT_TRUE(in.hash().is_zero());
  EXPECT_TRUE(in.view(0).empty());
  EXPECT_EQ(in.remaining(), 0U);
  EXPECT_FALSE(in.done());
  EXPECT_FALSE(in.ok());
}

TEST(Reader, EveryReadEndsAtTheEndOfTheData) {
  const Bytes data(31, 0x11);
  const auto fails = [&data](auto read) {
    Reader in(data);
    read(in);
    return !in.ok();
  };
  EXPECT_TRUE(fails([](Reader& in) { in.hash(); }));
  EXPECT_TRUE(fails([](Reader& in) { in.array<32>(); }));
  EXPECT_TRUE(fails([](Reader& in) { in.view(32); }));
  EXPECT_FALSE(fails([](Reader& in) { in.view(31); }));
  EXPECT_TRUE(fails([](Reader& in) { in.view(std::numeric_limits<std::size_t>::max()); }));
  EXPECT_TRUE(fails([](Reader& in) { in.var_view(16); })) << "17 bytes are above the limit";
  EXPECT_FALSE(fails([](Reader& in) { in.var_view(17); }));
}

TEST(Reader, ACallerCanMarkTheInputAsBad) {
  const Bytes data = hex("0102");
  Reader in(data);
  in.fail();
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(in.rest().empty());
}

TEST(Reader, CountsAreBoundedByLimitAndByTheBytesThatAreThere) {
  const Bytes three_items = hex("03aabbccddeeff");
  EXPECT_EQ(Reader(three_items).count(2), 3U);
  EXPECT_EQ(Reader(three_items).count(3), 0U) << "nine bytes are not there";
  EXPECT_EQ(Reader(three_items).count(2, 3), 3U);
  Reader in(three_items);
  EXPECT_EQ(in.count(2, 2), 0U);
  EXPECT_FALSE(in.ok());
}

TEST(Reader, R2_HugeCountsFailBeforeAnythingIsAllocated) {
  for (const std::string count : {"fe00000100", "feffffffff", "ff0000000000000080", "ffffffffffffffffff"}) {
    const Bytes data = hex(count + "00112233");
    for (const std::size_t item_size : {std::size_t{1}, std::size_t{36}, std::size_t{80}}) {
      Reader in(data);
      EXPECT_EQ(in.count(item_size), 0U) << count;
      EXPECT_FALSE(in.ok()) << count;
    }
    Reader in(data);
    EXPECT_TRUE(in.var_bytes(std::numeric_limits<std::size_t>::max()).empty()) << count;
    EXPECT_FALSE(in.ok()) << count;
  }
}

TEST(Reader, R3_ALongerCompactSizeThanNeededIsRefused) {
  for (const std::string encoded :
       {"fd0000", "fdfc00", "fe00000000", "feffff0000", "ff0000000000000000", "ffffffffff00000000"}) {
    const Bytes data = hex(encoded);
    Reader in(data);
    EXPECT_EQ(in.compact_size(), 0U) << encoded;
    EXPECT_FALSE(in.ok()) << encoded;
  }
}

TEST(Reader, R3_ACutCompactSizeIsRefused) {
  for (const std::string encoded : {"", "fd", "fdff", "feffffff", "ffffffffffffffff"}) {
    const Bytes data = hex(encoded);
    Reader in(data);
    EXPECT_EQ(in.compact_size(), 0U) << encoded;
    EXPECT_FALSE(in.ok()) << encoded;
  }
}

RC_GTEST_PROP(Reader, R3_EveryCompactSizeComesBackAsWritten, ()) {
  const auto bits = *rc::gen::inRange(0, 64);
  const std::uint64_t value = *rc::gen::arbitrary<std::uint64_t>() >> static_cast<unsigned>(bits);
  const Bytes data = Writer().compact_size(value).take();
  RC_ASSERT(data.size() == compact_size_length(value));
  Reader in(data);
  RC_ASSERT(in.compact_size() == value);
  RC_ASSERT(in.done());
}

RC_GTEST_PROP(Reader, R3_WhatIsAcceptedIsWrittenBackTheSame, (const std::vector<std::uint8_t>& data)) {
  Reader in(data);
  const std::uint64_t value = in.compact_size();
  if (!in.ok()) return;
  const Bytes again = Writer().compact_size(value).take();
  RC_ASSERT(std::equal(again.begin(), again.end(), data.begin()));
  RC_ASSERT(in.position() == again.size());
}

RC_GTEST_PROP(Reader, IntegersComeBackAsWritten, (std::uint16_t a, std::int32_t b, std::uint64_t c, bool d)) {
  const Bytes data = Writer().integer(a).integer(b).integer(c).integer(static_cast<std::uint8_t>(d)).take();
  Reader in(data);
  RC_ASSERT(in.integer<std::uint16_t>() == a);
  RC_ASSERT(in.integer<std::int32_t>() == b);
  RC_ASSERT(in.integer<std::uint64_t>() == c);
  RC_ASSERT(in.integer<std::uint8_t>() == static_cast<std::uint8_t>(d));
  RC_ASSERT(in.done());
}

TEST(CompactSizeLength, IsTheEncodedSize) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{0xFC}, std::uint64_t{0xFD}, std::uint64_t{0xFFFF}, std::uint64_t{0x1'0000},
        std::uint64_t{0xFFFF'FFFF}, std::uint64_t{0x1'0000'0000}}) {
    EXPECT_EQ(compact_size_length(value), Writer().compact_size(value).data().size()) << value;
  }
}

}  // namespace
}  // namespace spv::util
