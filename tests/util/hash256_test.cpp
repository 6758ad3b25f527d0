#include "util/hash256.h"

#include <string>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::util {
namespace {

constexpr const char* kGenesis = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

TEST(TaggedHash, IsPrintedReversed) {
  const auto hash = parse_hash<BlockHash>(kGenesis);
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash->bytes.front(), 0x6F);
  EXPECT_EQ(hash->bytes.back(), 0x00);
  EXPECT_EQ(to_string(*hash), kGenesis);
}

TEST(TaggedHash, ParsesNothingButSixtyFourHexCharacters) {
  const std::string genesis = kGenesis;
  EXPECT_FALSE(parse_hash<Txid>(""));
  EXPECT_FALSE(parse_hash<Txid>(genesis.substr(1)));
  EXPECT_FALSE(parse_hash<Txid>(genesis.substr(2)));
  EXPECT_FALSE(parse_hash<Txid>(genesis + "00"));
  EXPECT_FALSE(parse_hash<Txid>("0x" + genesis.substr(2)));
  EXPECT_FALSE(parse_hash<Txid>(" " + genesis.substr(1)));
}

TEST(TaggedHash, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<Txid, BlockHash>);
  static_assert(!std::is_constructible_v<Txid, BlockHash>);
  const auto block = *parse_hash<BlockHash>(kGenesis);
  EXPECT_EQ(retag<Txid>(block).bytes, block.bytes);
}

TEST(TaggedHash, StartsAsZero) {
  EXPECT_TRUE(Hash256{}.is_zero());
  EXPECT_FALSE(parse_hash<BlockHash>(kGenesis)->is_zero());
}

TEST(TaggedHash, OrdersByWireBytes) {
  Txid low;
  Txid high;
  low.bytes[31] = 0xFF;
  high.bytes[0] = 0x80;
  EXPECT_LT(low, high);
  EXPECT_NE(low, high);
  EXPECT_EQ(low, low);
}

TEST(TaggedHash, ServesAsAKeyOfUnorderedContainers) {
  std::unordered_set<Txid> set;
  for (std::uint8_t i = 0; i < 100; ++i) {
    Txid txid;
    txid.bytes[i % 32] = i;
    set.insert(txid);
    set.insert(txid);
  }
  EXPECT_EQ(set.size(), 100U);
}

RC_GTEST_PROP(TaggedHash, DisplayHexComesBack, ()) {
  const Hash256 hash{*rc::gen::container<std::array<std::uint8_t, 32>>(rc::gen::arbitrary<std::uint8_t>())};
  RC_ASSERT(parse_hash<Hash256>(to_string(hash)) == hash);
}

}  // namespace
}  // namespace spv::util
