#include "chain/pow.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"

namespace spv::chain {
namespace {

const NetworkParams& main_params() { return params(Network::Main); }

BlockHash hash_of_number(const Uint256& value) { return BlockHash{value.to_little_endian()}; }
std::uint32_t bits_of(const boost::json::value& hex) {
  return static_cast<std::uint32_t>(std::stoul(std::string(hex.as_string()), nullptr, 16));
}

TEST(Pow, DecodesCompactBits) {
  EXPECT_EQ(decode_bits(0x01123456), Uint256(0x12));
  EXPECT_EQ(decode_bits(0x02123456), Uint256(0x1234));
  EXPECT_EQ(decode_bits(0x03123456), Uint256(0x123456));
  EXPECT_EQ(decode_bits(0x04123456), Uint256(0x12345600));
  EXPECT_EQ(decode_bits(0x1D00FFFF), Uint256(0xFFFF) << 208);
}

TEST(Pow, P8_AScanBeginsAtAPeriodExceptWhereThereAreNone) {
  for (const auto network : {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet}) {
    for (const Height height : {0, 1, 2'015, 2'016, 2'017, 850'123}) {
      const Height start = scan_start(params(network), height);
      EXPECT_EQ(start % 2'016, 0);
      EXPECT_LE(start, height);
      EXPECT_GT(start, height - 2'016);
    }
  }
  EXPECT_EQ(scan_start(params(Network::Regtest), 2'500), 2'500);
}

TEST(Pow, H1_RefusesTargetsThatAreZeroNegativeOrOverflow) {
  for (const std::uint32_t zero : {0x00000000U, 0x00123456U, 0x01003456U, 0x02000056U, 0x03000000U, 0x20000000U}) {
    EXPECT_FALSE(decode_bits(zero)) << zero;
  }
  for (const std::uint32_t negative : {0x01FEDCBAU, 0x04923456U, 0x1D80FFFFU, 0x20800001U}) {
    EXPECT_FALSE(decode_bits(negative)) << negative;
  }
  for (const std::uint32_t overflow : {0x21010000U, 0x22000100U, 0x23000001U, 0xFF123456U}) {
    EXPECT_FALSE(decode_bits(overflow)) << overflow;
  }
  EXPECT_TRUE(decode_bits(0x207FFFFF));
  EXPECT_TRUE(decode_bits(0x2100FFFF));
  EXPECT_TRUE(decode_bits(0x220000FF));
}

TEST(Pow, H1_TakesAHashUpToItsTargetAndNotOneAbove) {
  const Uint256 target = *decode_bits(0x1D00FFFF);
  EXPECT_TRUE(check_proof_of_work(hash_of_number(target), 0x1D00FFFF, main_params()));
  EXPECT_FALSE(check_proof_of_work(hash_of_number(target + 1), 0x1D00FFFF, main_params()));
}

TEST(Pow, H1_RefusesATargetAboveTheNetworksLimit) {
  const BlockHash easy = hash_of_number(1);
  EXPECT_TRUE(check_proof_of_work(easy, 0x1D00FFFF, main_params()));
  EXPECT_FALSE(check_proof_of_work(easy, 0x1D010000, main_params()));
  EXPECT_TRUE(check_proof_of_work(easy, 0x1E0377AE, params(Network::Signet)));
  EXPECT_FALSE(check_proof_of_work(easy, 0x1E0377AF, params(Network::Signet)));
  EXPECT_FALSE(check_proof_of_work(hash_of_number(0), 0x00000000, main_params()));
}

TEST(Pow, EncodesWithoutASign) {
  EXPECT_EQ(encode_bits(0), 0U);
  EXPECT_EQ(encode_bits(0x80), 0x02008000U);
  EXPECT_EQ(encode_bits(0x12345678), 0x04123456U);
  EXPECT_EQ(encode_bits(0x80000000), 0x05008000U);
  EXPECT_EQ(encode_bits(~Uint256(0)), 0x2100FFFFU);
}

TEST(Pow, WorkIsTheExpectedNumberOfHashes) {
  EXPECT_EQ(work_of_bits(0x207FFFFF), Uint256(2));
  EXPECT_EQ(work_of_bits(0x1D00FFFF), Uint256(0x100010001));
  EXPECT_EQ(work_of_target(1), Uint256(1) << 255);
  EXPECT_EQ(work_of_target(0), Uint256(0));  // 2^256 wraps: no chain holds such a target
  EXPECT_EQ(work_of_bits(0), Uint256(0));
}

TEST(Pow, H2_RetargetsAsMainnetDid) {
  EXPECT_EQ(retarget(0x1D00FFFF, 1261130161, 1262152739, main_params()), 0x1D00D86AU);  // height 32,256
  EXPECT_EQ(retarget(0x1D00FFFF, 1231006505, 1233061996, main_params()), 0x1D00FFFFU);  // the limit stops it
  EXPECT_EQ(retarget(0x1C05A3F4, 1279008237, 1279297671, main_params()), 0x1C0168FDU);  // a quarter at most
  EXPECT_EQ(retarget(0x1C387F6F, 1263163443, 1269211443, main_params()), 0x1D00E1FDU);  // four times at most
}

TEST(Pow, H2_RetargetClampsExactlyAtAQuarterAndFourTimes) {
  constexpr std::uint32_t kBits = 0x1B1FFFFF;  // four times as much still shows a change of one second
  const auto after = [](std::int64_t seconds) {
    constexpr std::int64_t kStart = 1'500'000'000;
    return retarget(kBits, static_cast<std::uint32_t>(kStart), static_cast<std::uint32_t>(kStart + seconds),
                    main_params());
  };
  EXPECT_EQ(after(kTargetTimespan), kBits);
  EXPECT_EQ(after(kTargetTimespan / 4), after(kTargetTimespan / 4 - 1));
  EXPECT_NE(after(kTargetTimespan / 4), after(kTargetTimespan / 4 + 1));
  EXPECT_EQ(after(kTargetTimespan * 4), after(kTargetTimespan * 4 + 1));
  EXPECT_NE(after(kTargetTimespan * 4), after(kTargetTimespan * 4 - 1));
  EXPECT_EQ(after(-5), after(0));
}

TEST(TargetCache, GivesNoTargetForBadBits) {
  TargetCache cache(main_params());
  EXPECT_EQ(cache.get(0x1D00FFFF).target, *decode_bits(0x1D00FFFF));
  EXPECT_TRUE(cache.get(0x1D010000).target.is_zero());
  EXPECT_TRUE(cache.get(0x00000000).target.is_zero());
  EXPECT_EQ(cache.get(0x1C05A3F4).work, work_of_bits(0x1C05A3F4));
}

RC_GTEST_PROP(Pow, EncodingADecodedTargetLosesNothing, ()) {
  const auto bits = *rc::gen::arbitrary<std::uint32_t>();
  if (const auto target = decode_bits(bits)) RC_ASSERT(decode_bits(encode_bits(*target)) == target);
}

RC_GTEST_PROP(Pow, AHigherTargetIsNeverMoreWork, ()) {
  const auto target = [] {
    const auto size = *rc::gen::inRange<std::uint32_t>(3, 33);
    return *decode_bits(size << 24U | *rc::gen::inRange<std::uint32_t>(1, 0x0080'0000));
  };
  const Uint256 a = target();
  const Uint256 b = target();
  RC_ASSERT(work_of_target(std::min(a, b)) >= work_of_target(std::max(a, b)));
}

TEST(Pow, CompactVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/pow_rules.json");
  const auto rules = test::read_json(path);
  for (const auto& row : rules.at("compact").as_array()) {
    const auto bits = bits_of(row.at("nBits"));
    SCOPED_TRACE(bits);
    const bool bad = row.at("negative").as_bool() || row.at("overflow").as_bool();
    const auto target = bad ? std::nullopt : Uint256::from_hex(row.at("target").as_string());
    if (!target || target->is_zero()) {
      EXPECT_FALSE(decode_bits(bits));
      continue;
    }
    EXPECT_EQ(decode_bits(bits), target);
    EXPECT_EQ(encode_bits(*target), bits_of(row.at("recompact")));
  }
}

TEST(Pow, RetargetVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/pow_rules.json");
  const auto rules = test::read_json(path);
  for (const auto& row : rules.at("retarget").as_array()) {
    EXPECT_EQ(retarget(bits_of(row.at("last_bits")), row.at("first_time").to_number<std::uint32_t>(),
                       row.at("last_time").to_number<std::uint32_t>(), main_params()),
              bits_of(row.at("next_bits")));
  }
  for (const auto& row : rules.at("invalid_targets_mainnet").as_array()) {
    EXPECT_FALSE(check_proof_of_work(hash_of_number(0), bits_of(row.at("nBits")), main_params()));
  }
}

}  // namespace
}  // namespace spv::chain
