// The rules by themselves, on made-up chains without proof of work.
#include "chain/header_rules.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "chain/pow.h"
#include "tests/support/vectors.h"

namespace spv::chain {
namespace {

constexpr util::UnixTime kLater = 4'000'000'000;
constexpr std::uint32_t kStart = 1'700'000'000;
constexpr std::uint32_t kHard = 0x1B0FFFF0;
constexpr std::uint32_t kMinimum = 0x1D00FFFF;

BlockHeader header(std::uint32_t time, std::uint32_t bits, std::int32_t version = 4) {
  return {.version = version, .previous = {}, .merkle_root = {}, .time = time, .bits = bits, .nonce = 0};
}

/// Headers ten minutes apart from `first` at `height` up to `last`.
HeaderContext regular(const NetworkParams& network, Height height, Height last, std::uint32_t bits = kHard) {
  HeaderContext context(network, height, header(kStart, bits));
  std::uint32_t time = kStart;
  while (context.height() < last) context.advance(header(time += 600, bits));
  return context;
}

const NetworkParams& mainnet() { return params(Network::Main); }
const NetworkParams& testnet3() { return params(Network::Testnet3); }
const NetworkParams& testnet4() { return params(Network::Testnet4); }

TEST(HeaderContext, H2_KeepsTheBitsWithinAPeriod) {
  const HeaderContext context = regular(mainnet(), 0, 2014);
  const std::uint32_t time = kStart + 2015 * 600;
  EXPECT_EQ(context.required_bits(time), kHard);
  EXPECT_EQ(context.required_bits(time + 100'000), kHard);
  EXPECT_EQ(context.check(header(time, kHard), kLater), std::nullopt);
  EXPECT_EQ(context.check(header(time, kHard + 1), kLater), HeaderError::BadDifficulty);
  EXPECT_EQ(context.check(header(time, kHard - 1), kLater), HeaderError::BadDifficulty);
}

TEST(HeaderContext, H2_RetargetsOver2015IntervalsAtEvery2016thBlock) {
  const HeaderContext context = regular(mainnet(), 0, 2015);
  const std::uint32_t wanted = retarget(kHard, kStart, kStart + 2015 * 600, mainnet());
  EXPECT_NE(wanted, kHard);
  EXPECT_EQ(context.required_bits(kStart + 2016 * 600), wanted);
  EXPECT_EQ(context.check(header(kStart + 2016 * 600, kHard), kLater), HeaderError::BadDifficulty);
}

TEST(HeaderContext, H2_StartAtACheckpointRetargetsFromThereAlone) {
  EXPECT_EQ(regular(mainnet(), 822'528, 824'543).required_bits(0), regular(mainnet(), 0, 2015).required_bits(0));
}

TEST(HeaderContext, H3_AllowsMinimumDifficultyAfterMoreThanTwentyMinutes) {
  for (const auto* network : {&testnet3(), &testnet4()}) {
    const HeaderContext context = regular(*network, 0, 100);
    const std::uint32_t last = kStart + 100 * 600;
    EXPECT_EQ(context.required_bits(last + 1199), kHard);
    EXPECT_EQ(context.required_bits(last + 1200), kHard);
    EXPECT_EQ(context.required_bits(last + 1201), kMinimum);
    EXPECT_EQ(context.check(header(last + 1201, kHard), kLater), HeaderError::BadDifficulty);
    EXPECT_EQ(context.check(header(last + 1200, kMinimum), kLater), HeaderError::BadDifficulty);
  }
}

TEST(HeaderContext, H3_WalksBackToTheLastRealDifficulty) {
  HeaderContext context = regular(testnet3(), 0, 100);
  const std::uint32_t late = kStart + 100 * 600 + 1201;
  context.advance(header(late, kMinimum));
  context.advance(header(late + 1201, kMinimum));
  EXPECT_EQ(context.required_bits(late + 1201 + 600), kHard);
}

TEST(HeaderContext, H3_WalksBackNoFurtherThanThePeriodsFirstBlock) {
  HeaderContext context = regular(testnet3(), 0, 2014);
  std::uint32_t time = kStart + 2014 * 600;
  for (const std::uint32_t step : {1201U, 600U, 1201U}) {  // 2015 late, so that the next period starts easy
    time += step;
    context.advance(header(time, context.required_bits(time)));
  }
  EXPECT_EQ(context.required_bits(time + 600), kMinimum) << "the block storm of testnet3";
}

TEST(HeaderContext, H3_GivesNoExceptionToAPeriodsFirstBlock) {
  for (const auto* network : {&testnet3(), &testnet4()}) {
    const HeaderContext context = regular(*network, 0, 2015);
    EXPECT_EQ(context.required_bits(kStart + 2015 * 600 + 1201),
              retarget(kHard, kStart, kStart + 2015 * 600, *network));
  }
}

TEST(HeaderContext, H3_MainnetAndSignetKnowNoException) {
  EXPECT_EQ(regular(mainnet(), 0, 100).required_bits(kStart + 1'000'000), kHard);
  EXPECT_EQ(regular(params(Network::Signet), 0, 100).required_bits(kStart + 1'000'000), kHard);
}

TEST(HeaderContext, H4_TakesTheLastBlocksBitsOnTestnet3AndTheFirstOnTestnet4) {
  const auto next_period = [](const NetworkParams& network) {
    HeaderContext context = regular(network, 0, 2014);
    context.advance(header(kStart + 2014 * 600 + 1201, kMinimum));
    return context.required_bits(kStart + 2014 * 600 + 1801);
  };
  EXPECT_EQ(next_period(testnet3()), retarget(kMinimum, kStart, kStart + 2014 * 600 + 1201, testnet3()));
  EXPECT_EQ(next_period(testnet4()), retarget(kHard, kStart, kStart + 2014 * 600 + 1201, testnet4()));
}

std::optional<HeaderError> first_of_period(const NetworkParams& network, std::uint32_t seconds_back) {
  const HeaderContext context = regular(network, 0, 2015);
  const std::uint32_t time = kStart + 2015 * 600 - seconds_back;
  return context.check(header(time, context.required_bits(time)), kLater);
}

TEST(HeaderContext, H5_Testnet4AllowsAPeriodToStartSixHundredSecondsBackAndNoMore) {
  EXPECT_EQ(first_of_period(testnet4(), 600), std::nullopt);
  EXPECT_EQ(first_of_period(testnet4(), 601), HeaderError::TimeWarp);
}

TEST(HeaderContext, H5_OtherNetworksAllowATimewarp) {
  EXPECT_EQ(first_of_period(mainnet(), 601), std::nullopt);
  EXPECT_EQ(first_of_period(testnet3(), 601), std::nullopt);
  EXPECT_EQ(first_of_period(params(Network::Signet), 601), std::nullopt);
}

TEST(HeaderContext, H5_Testnet4LooksAtNoOtherBlock) {
  const HeaderContext context = regular(testnet4(), 0, 2014);
  EXPECT_EQ(context.check(header(kStart + 2014 * 600 - 601, kHard), kLater), std::nullopt);
}

TEST(HeaderContext, H6_ATimeMustBeAboveTheMedianOfEleven) {
  const HeaderContext context = regular(mainnet(), 0, 100);
  const std::uint32_t median = kStart + 95 * 600;
  EXPECT_EQ(context.median_time_past(), median);
  EXPECT_EQ(context.check(header(median - 1, kHard), kLater), HeaderError::TimeTooOld);
  EXPECT_EQ(context.check(header(median, kHard), kLater), HeaderError::TimeTooOld);
  EXPECT_EQ(context.check(header(median + 1, kHard), kLater), std::nullopt);
}

TEST(HeaderContext, H6_TheLatestTimeMayBeRepeatedUntilItIsTheMedian) {
  HeaderContext context = regular(mainnet(), 0, 100);
  const std::uint32_t latest = kStart + 100 * 600;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(context.check(header(latest, kHard), kLater), std::nullopt) << i;
    context.advance(header(latest, kHard));
  }
  EXPECT_EQ(context.check(header(latest, kHard), kLater), HeaderError::TimeTooOld) << "six of eleven have it";
  EXPECT_EQ(context.check(header(latest + 1, kHard), kLater), std::nullopt);
}

TEST(HeaderContext, H6_TheMedianIsOfSortedTimes) {
  HeaderContext context(mainnet(), 0, header(100, kHard));
  for (const std::uint32_t time : {900U, 200U, 800U, 300U, 700U, 400U, 600U, 500U, 1000U, 1100U}) {
    context.advance(header(time, kHard));
  }
  EXPECT_EQ(context.median_time_past(), 600U);  // of 100 … 1100
  context.advance(header(950, kHard));          // 100 leaves
  EXPECT_EQ(context.median_time_past(), 700U);
}

TEST(HeaderContext, H6_NearGenesisTheMedianIsOfAllThereAre) {
  HeaderContext context(mainnet(), 0, header(100, kHard));
  EXPECT_EQ(context.median_time_past(), 100U);
  context.advance(header(200, kHard));
  EXPECT_EQ(context.median_time_past(), 200U);  // of two, the upper
  context.advance(header(150, kHard));
  EXPECT_EQ(context.median_time_past(), 150U);
}

TEST(HeaderContext, H6_AfterACheckpointUnknownTimesOnlyLowerTheMedian) {
  HeaderContext context(mainnet(), 2016, header(10'000, kHard));
  EXPECT_EQ(context.check(header(9'000, kHard), kLater), std::nullopt) << "may be above the true median";
  for (std::uint32_t i = 1; i < 5; ++i) context.advance(header(10'000 + i, kHard));
  EXPECT_EQ(context.median_time_past(), 0U);  // five known, six unknown
  context.advance(header(10'005, kHard));
  EXPECT_EQ(context.median_time_past(), 10'000U);
  EXPECT_EQ(context.check(header(10'000, kHard), kLater), HeaderError::TimeTooOld);
}

TEST(HeaderContext, H7_TakesTwoHoursAheadAndNoMore) {
  const HeaderContext context = regular(mainnet(), 0, 100);
  const std::uint32_t time = kStart + 101 * 600;
  EXPECT_EQ(context.check(header(time, kHard), util::UnixTime{time} - 7200), std::nullopt);
  EXPECT_EQ(context.check(header(time, kHard), util::UnixTime{time} - 7201), HeaderError::TimeTooNew);
}

TEST(HeaderContext, H8_RefusesVersionsThatASoftForkMadeObsolete) {
  NetworkParams network = mainnet();
  network.bip34_height = 20;
  network.bip66_height = 30;
  network.bip65_height = 40;
  const auto verdict = [&](Height height, std::int32_t version) {
    const std::uint32_t time = kStart + static_cast<std::uint32_t>(height) * 600;
    return regular(network, 0, height - 1).check(header(time, kHard, version), kLater);
  };
  EXPECT_EQ(verdict(19, 1), std::nullopt);
  EXPECT_EQ(verdict(19, -1), std::nullopt);
  EXPECT_EQ(verdict(20, 1), HeaderError::BadVersion);
  EXPECT_EQ(verdict(20, 2), std::nullopt);
  EXPECT_EQ(verdict(29, 2), std::nullopt);
  EXPECT_EQ(verdict(30, 2), HeaderError::BadVersion);
  EXPECT_EQ(verdict(30, 3), std::nullopt);
  EXPECT_EQ(verdict(39, 3), std::nullopt);
  EXPECT_EQ(verdict(40, 3), HeaderError::BadVersion);
  EXPECT_EQ(verdict(40, 4), std::nullopt);
  EXPECT_EQ(verdict(40, -1), HeaderError::BadVersion);
}

TEST(HeaderContext, IsTheSameWhereverTheReplayStarts) {
  std::vector<BlockHeader> chain;
  HeaderContext all(testnet3(), 0, header(kStart, kHard));
  chain.push_back(header(kStart, kHard));
  for (std::uint32_t i = 1; i < 4500; ++i) {
    const std::uint32_t time = chain.back().time + (i % 7 == 0 ? 1300 : i % 5 * 100 + 1);
    chain.push_back(header(time, all.required_bits(time)));
    all.advance(chain.back());
    if (i % 97 != 0) continue;
    const HeaderContext replayed =
        context_at(testnet3(), all.height(), 0, [&](Height h) { return chain[static_cast<std::size_t>(h)]; });
    ASSERT_EQ(replayed.median_time_past(), all.median_time_past()) << i;
    ASSERT_EQ(replayed.required_bits(time + 600), all.required_bits(time + 600)) << i;
    ASSERT_EQ(replayed.required_bits(time + 1201), all.required_bits(time + 1201)) << i;
  }
}

/// Every row's bits must come out as given, and no others.
void check_rule_file(const std::string& path, const NetworkParams& network) {
  std::istringstream rows(test::read_text(path));
  std::string row;
  std::getline(rows, row);
  std::optional<HeaderContext> context;
  while (std::getline(rows, row)) {
    std::istringstream fields(row);
    Height height = 0;
    std::uint32_t time = 0;
    std::uint32_t bits = 0;
    char comma = 0;
    fields >> height >> comma >> time >> comma >> std::hex >> bits;
    const BlockHeader next = header(time, bits);
    if (!context) {
      context.emplace(network, height, next);
      continue;
    }
    ASSERT_EQ(context->height() + 1, height);
    ASSERT_EQ(context->required_bits(time), bits) << height;
    ASSERT_EQ(context->check(next, kLater), std::nullopt) << height;
    ASSERT_EQ(context->check(header(time, bits + 1), kLater), HeaderError::BadDifficulty) << height;
    context->advance(next);
  }
  EXPECT_TRUE(context);
}

TEST(HeaderContext, H3_H4_RuleVectorsOfTestnet3) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/rules_testnet3.csv");
  NetworkParams network = testnet3();
  network.bip34_height = network.bip66_height = network.bip65_height = 0;
  check_rule_file(path, network);
}

TEST(HeaderContext, H3_H4_H5_RuleVectorsOfTestnet4) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/rules_testnet4.csv");
  check_rule_file(path, testnet4());
}

TEST(HeaderContext, H2_EveryMainnetRetargetOfTheVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/mainnet_retargets_0_556416.csv");
  std::istringstream rows(test::read_text(path));
  std::string row;
  std::getline(rows, row);
  std::optional<BlockHeader> first;
  std::optional<BlockHeader> last;
  Uint256 work;
  while (std::getline(rows, row)) {
    const auto comma = row.find(',');
    const Height height = std::stoi(row.substr(0, comma));
    const auto bytes = test::hex(row.substr(comma + 1, 160));
    const BlockHeader next = BlockHeader::from_bytes(util::ByteView(bytes).first<BlockHeader::kSize>());
    ASSERT_TRUE(check_proof_of_work(next.hash(), next.bits, mainnet()));
    if (starts_period(height)) {
      if (last) {
        ASSERT_EQ(retarget(last->bits, first->time, last->time, mainnet()), next.bits) << height;
        ASSERT_EQ(next.previous, last->hash());
      }
      first = next;
      work = work + work_of_bits(next.bits);
    } else {
      last = next;
      work = work + work_of_bits(next.bits) * (kRetargetInterval - 1);
    }
    const auto work_text = row.substr(row.rfind(',') + 1, 64);
    ASSERT_EQ(work, *Uint256::from_hex(work_text)) << height;
  }
  EXPECT_TRUE(last);
}

}  // namespace
}  // namespace spv::chain
