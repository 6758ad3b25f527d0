#include "bip37/murmur3.h"

#include <gtest/gtest.h>

#include "tests/bip37/samples.h"
#include "tests/support/vectors.h"
#include "util/rng.h"

namespace spv::bip37 {
namespace {

using test::from_hex;
using test::hex;

TEST(Murmur3, GivesTheHashesOfCoresTests) {
  EXPECT_EQ(murmur3(0, from_hex("")), 0U);
  EXPECT_EQ(murmur3(0xFBA4C795, from_hex("")), 0x6A396F08U);
  EXPECT_EQ(murmur3(0xFFFFFFFF, from_hex("")), 0x81F16F39U);
  EXPECT_EQ(murmur3(0, from_hex("00")), 0x514E28B7U);
  EXPECT_EQ(murmur3(0xFBA4C795, from_hex("00")), 0xEA3F0B17U);
  EXPECT_EQ(murmur3(0, from_hex("ff")), 0xFD6CF10DU);
  EXPECT_EQ(murmur3(0, from_hex("0011")), 0x16C6B7ABU);
  EXPECT_EQ(murmur3(0, from_hex("001122")), 0x8EB51C3DU);
  EXPECT_EQ(murmur3(0, from_hex("00112233")), 0xB4471BF8U);
  EXPECT_EQ(murmur3(0, from_hex("0011223344")), 0xE2301FA8U);
  EXPECT_EQ(murmur3(0, from_hex("001122334455")), 0xFC2E4A15U);
  EXPECT_EQ(murmur3(0, from_hex("00112233445566")), 0xB074502CU);
  EXPECT_EQ(murmur3(0, from_hex("0011223344556677")), 0x8034D2A0U);
  EXPECT_EQ(murmur3(0, from_hex("001122334455667788")), 0xB4698DEFU);
}

TEST(MurmurElement, EqualsThePlainHashAtEveryLength) {
  util::Rng rng(1);
  for (std::size_t size = 0; size <= 600; ++size) {
    const util::Bytes data = rng.bytes(size);
    const MurmurElement element(data);
    for (const std::uint32_t seed : {0U, 1U, 0xFBA4C795U, 0xFFFFFFFFU}) {
      const auto hashes = element.hashes(seed, 0xFBA4C795U);
      for (std::uint32_t lane = 0; lane < MurmurElement::kLanes; ++lane) {
        ASSERT_EQ(hashes[lane], murmur3(seed + lane * 0xFBA4C795U, data)) << size;
      }
    }
  }
}

TEST(Murmur3, GivesTheHashesOfThePublicVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/core_bloom.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("murmurhash3").as_array()) {
    EXPECT_EQ(murmur3(row.at("seed").to_number<std::uint32_t>(), hex(row.at("data"))),
              row.at("hash").to_number<std::uint32_t>());
  }
}

}  // namespace
}  // namespace spv::bip37
