#include "bip158/siphash.h"

#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/rng.h"

namespace spv::bip158 {
namespace {

// The authors' own: the key 00 to 0f, the message 00, 01, 02, …
TEST(SipHash, GivesThePublishedHashes) {
  const Key key{0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908};
  const std::array<std::uint64_t, 9> expected{0x726F'DB47'DD0E'0E31, 0x74F8'39C5'93DC'67FD, 0x0D6C'8009'D9A9'4F5A,
                                              0x8567'6696'D7FB'7E2D, 0xCF27'94E0'2771'87B7, 0x1876'5564'CD99'A68D,
                                              0xCBC9'466E'58FE'E3CE, 0xAB02'00F5'8B01'D137, 0x93F5'F579'9A93'2462};
  util::Bytes message(15);
  std::iota(message.begin(), message.end(), std::uint8_t{0});
  for (std::size_t size = 0; size < expected.size(); ++size) {
    EXPECT_EQ(siphash(key, util::ByteView(message).first(size)), expected.at(size)) << size;
  }
  EXPECT_EQ(siphash(key, message), 0xA129'CA61'49BE'45E5U);
}

TEST(SipHash, TakesItsKeyFromTheStartOfTheBlockHash) {
  chain::BlockHash block;
  std::iota(block.bytes.begin(), block.bytes.end(), std::uint8_t{0});
  EXPECT_EQ(Key::of(block), (Key{0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908}));
}

template <std::size_t Size>
void expect_same_hash() {
  util::Rng rng(Size);
  for (int i = 0; i < 50; ++i) {
    const Key key{rng.next(), rng.next()};
    const util::Bytes data = rng.bytes(Size);
    ASSERT_EQ(siphash_of<Size>(key, data.data()), siphash(key, data)) << Size;
  }
}

TEST(SipHash, OfAKnownSizeIsTheSame) {
  expect_same_hash<8>();
  expect_same_hash<9>();
  expect_same_hash<15>();
  expect_same_hash<22>();
  expect_same_hash<23>();
  expect_same_hash<25>();
  expect_same_hash<32>();
  expect_same_hash<34>();
}

}  // namespace
}  // namespace spv::bip158
