#include "p2p/v2_message.h"

#include <gtest/gtest.h>

#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

using test::hex;

TEST(V2Message, EveryKindComesBackAsItWas) {
  for (const auto& message : test::all_messages()) {
    const auto contents = encode_v2_contents(message);  // a block is a view of it
    const auto decoded = decode_v2_contents(contents);
    ASSERT_TRUE(decoded) << command_of(message);
    EXPECT_EQ(*decoded, message) << command_of(message);
  }
}

// Ids from BIP324's table.
TEST(V2Message, CommonCommandsTakeOneByte) {
  EXPECT_EQ(encode_v2_contents(Ping{1})[0], 18);
  EXPECT_EQ(encode_v2_contents(Pong{1})[0], 19);
  EXPECT_EQ(encode_v2_contents(Tx{test::payment()})[0], 21);
  EXPECT_EQ(encode_v2_contents(Inv{})[0], 14);
  EXPECT_EQ(encode_v2_contents(Addr{})[0], 1);
  EXPECT_EQ(encode_v2_contents(FilterClear{}), hex("07"));
  EXPECT_EQ(encode_v2_contents(Headers{}), hex("0d00"));
  EXPECT_EQ(encode_v2_contents(Mempool{}), hex("0f"));
  EXPECT_EQ(*decode_v2_contents(hex("1c00")), Message{AddrV2{}});
}

TEST(V2Message, OtherCommandsTakeTheLongForm) {
  EXPECT_EQ(encode_v2_contents(Verack{}), hex("0076657261636b000000000000"));
  EXPECT_EQ(*decode_v2_contents(hex("0070696e6700000000000000000100000000000000")), Message{Ping{1}});
}

TEST(V2Message, N6_WhatNamesNoMessageIsUnknown) {
  for (const char* contents :
       {"", "1d", "ff", "00", "0070696e67", "00000000000000000000000000", "0001ff80000000000000000000"}) {
    const auto decoded = decode_v2_contents(hex(contents));
    ASSERT_TRUE(decoded) << contents;
    EXPECT_TRUE(std::holds_alternative<Unknown>(*decoded)) << contents;
  }
}

TEST(V2Message, AKnownMessageThatDoesNotDecodeIsMalformed) {
  EXPECT_EQ(decode_v2_contents(hex("12")).error(), DecodeError::Malformed);
}

}  // namespace
}  // namespace spv::p2p
