#include "chain/block_header.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::chain {
namespace {

constexpr std::string_view kBlock1 =
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e1fee14677ba1a3c35"
    "40bf7b1cdb606e857233e0e61bc6649ffff001d01e36299";

BlockHeader decode(util::ByteView bytes) {
  util::Reader in(bytes);
  return BlockHeader::decode(in);
}

TEST(BlockHeader, DecodesTheFieldsOfMainnetBlockOne) {
  const BlockHeader header = decode(test::hex(kBlock1));
  EXPECT_EQ(header.version, 1);
  EXPECT_EQ(util::to_string(header.previous), "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
  EXPECT_EQ(util::to_string(header.merkle_root), "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098");
  EXPECT_EQ(header.time, 1231469665U);
  EXPECT_EQ(header.bits, 0x1D00FFFFU);
  EXPECT_EQ(header.nonce, 2573394689U);
}

TEST(BlockHeader, HashesMainnetBlockOne) {
  EXPECT_EQ(util::to_string(decode(test::hex(kBlock1)).hash()),
            "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048");
}

TEST(BlockHeader, EncodesAsItWasRead) {
  util::Writer out;
  decode(test::hex(kBlock1)).encode(out);
  EXPECT_EQ(util::to_hex(out.data()), kBlock1);
}

TEST(BlockHeader, FailsOnTooFewBytes) {
  auto bytes = test::hex(kBlock1);
  bytes.pop_back();
  util::Reader in(bytes);
  BlockHeader::decode(in);
  EXPECT_FALSE(in.ok());
}

RC_GTEST_PROP(BlockHeader, AnyEightyBytesAreAHeaderWithTheirHash, ()) {
  const auto bytes = *rc::gen::container<util::Bytes>(BlockHeader::kSize, rc::gen::arbitrary<std::uint8_t>());
  const BlockHeader header = BlockHeader::from_bytes(util::ByteView(bytes).first<BlockHeader::kSize>());
  RC_ASSERT(header == decode(bytes));
  RC_ASSERT(util::to_bytes(header.bytes()) == bytes);
  RC_ASSERT(header.hash().bytes == util::sha256d(bytes).bytes);
}

}  // namespace
}  // namespace spv::chain
