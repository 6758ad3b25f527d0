#include "bip37/filter_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "bip37/filter_mirror.h"
#include "bip37/matcher.h"
#include "tests/bip37/samples.h"
#include "util/hash.h"

namespace spv::bip37 {
namespace {

using test::payload;

constexpr std::uint32_t kTweak = 0x1234'5678;
constexpr std::uint64_t kSeed = 42;

// Scripts' hashes and outpoints, as a wallet has them.
std::vector<util::Bytes> wallet_elements(std::size_t count, std::uint64_t seed = 1) {
  util::Rng rng(seed);
  std::vector<util::Bytes> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(rng.bytes(i % 4 == 3 ? 36 : 20));
  return out;
}

FilterPlan plan(std::span<const util::Bytes> elements, double rate) {
  return plan_filter(elements, rate, kTweak, kSeed, UpdateFlags::All);
}

// The share of foreign elements that match. A counter is hashed by the filter anyway, so it need not be random.
double probed_rate(const BloomFilter& filter, std::uint64_t probes) {
  std::uint64_t hits = 0;
  std::array<std::uint8_t, 20> probe{};
  for (std::uint64_t i = 0; i < probes; ++i) {
    std::memcpy(probe.data(), &i, sizeof i);
    hits += filter.contains(probe) ? 1U : 0U;
  }
  return static_cast<double>(hits) / static_cast<double>(probes);
}

TEST(FilterPlan, P1_TheRateStaysNearItsTargetForEveryCountOfElements) {
  const auto elements = wallet_elements(2'000);
  const auto stride = static_cast<std::size_t>(test::quick_repeats(13, 1));
  for (const double target : {1e-3, 1e-5}) {
    for (std::size_t count = 1; count <= elements.size(); count += stride) {
      const auto planned = plan(std::span(elements).first(count), target);
      ASSERT_GE(planned.filter.fp_rate(), 0.5 * target) << count;
      ASSERT_LE(planned.filter.fp_rate(), 1.0 * target) << count << ": room for what the node inserts";
      ASSERT_FALSE(planned.capped);
    }
  }
}

TEST(FilterPlan, P1_ProbesMeasureTheRateThatTheBitsPromise) {
  const double target = 1e-2;
  const std::uint64_t probes = test::quick_repeats(100'000, 1'000'000);
  std::vector<std::size_t> counts = {1, 10, 100, 128, 129, 500, 1'000, 2'000};
  if (test::repeats(0, 1) == 1) {
    counts.resize(2'000);
    std::iota(counts.begin(), counts.end(), 1);
  }
  for (const std::size_t count : counts) {
    const auto planned = plan(wallet_elements(count, count), target);
    const double measured = probed_rate(planned.filter, probes);
    const double sigma = std::sqrt(planned.filter.fp_rate() / static_cast<double>(probes));
    EXPECT_NEAR(measured, planned.filter.fp_rate(), 4 * sigma) << count;
    EXPECT_GE(measured, 0.5 * target) << count;
    EXPECT_LE(measured, 2 * target) << count;
  }
}

TEST(FilterPlan, P1_HoldsAllElementsAndSaysWhatItAdded) {
  const auto elements = wallet_elements(300);
  const auto planned = plan(elements, 1e-4);
  for (const auto& element : elements) EXPECT_TRUE(planned.filter.contains(element));
  EXPECT_EQ(planned.elements, 300U);
  EXPECT_EQ(planned.elements + planned.decoys, 432U) << "the step is full";
  EXPECT_NEAR(planned.fp_expected / 1e-4, 0.7, 0.01);
}

TEST(FilterPlan, P2_EqualElementsGiveEqualBytesInEveryRunAndOrder) {
  auto elements = wallet_elements(150);
  std::set<util::Bytes> distinct;
  for (int restart = 0; restart < 5; ++restart) {
    for (int peer = 0; peer < 8; ++peer) distinct.insert(payload(plan(elements, 1e-5).filter));
    std::rotate(elements.begin(), elements.begin() + 31, elements.end());
    elements.push_back(elements.front());  // counted once
  }
  EXPECT_EQ(distinct.size(), 1U);
}

TEST(FilterPlan, P2_TheBytesAreTheSameForGood) {
  // Written down once: a change here gives every wallet's peers a second filter to intersect with the first.
  const auto planned = plan({}, 1e-2);
  const auto bytes = payload(planned.filter);
  EXPECT_EQ(util::to_string(util::sha256d(bytes)), "1224a4108b0a317825fd4300648823019ed14e3d5edb58b23e9dcd2f874f9954");
}

TEST(FilterPlan, P2_AnotherSeedOrTweakGivesOtherBytes) {
  const auto elements = wallet_elements(10);
  const auto bits = util::to_bytes(plan(elements, 1e-3).filter.bits());
  EXPECT_NE(bits, util::to_bytes(plan_filter(elements, 1e-3, kTweak, kSeed + 1, UpdateFlags::All).filter.bits()));
  EXPECT_NE(bits, util::to_bytes(plan_filter(elements, 1e-3, kTweak + 1, kSeed, UpdateFlags::All).filter.bits()));
}

TEST(FilterPlan, P3_GrowsInSteps) {
  EXPECT_EQ(filter_step(0), 128U);
  EXPECT_EQ(filter_step(128), 128U);
  EXPECT_EQ(filter_step(129), 192U);
  EXPECT_EQ(filter_step(193), 288U);
  std::set<std::size_t> sizes;
  for (std::size_t count = 0; count <= 2'000; ++count) sizes.insert(plan_shape(count, 1e-5).bytes);
  EXPECT_LE(sizes.size(), 9U);
}

TEST(FilterPlan, P3_ACalmWalletShowsFewFiltersIn90Days) {
  // A payment in and one out a day: two new keys with the look-ahead, two outpoints.
  auto elements = wallet_elements(240);
  util::Rng rng(3);
  std::set<util::Bytes> filters;
  std::set<std::size_t> sizes;
  for (int day = 0; day < 90; ++day) {
    for (int i = 0; i < 2; ++i) {
      elements.push_back(rng.bytes(20));
      elements.push_back(rng.bytes(36));
    }
    for (int restart = 0; restart < 3; ++restart) {
      const auto planned = plan(elements, 1e-5);
      filters.insert(payload(planned.filter));
      sizes.insert(planned.filter.bits().size());
    }
  }
  EXPECT_LE(filters.size(), 100U);
  EXPECT_LE(sizes.size(), 4U);
}

TEST(FilterPlan, P3_DecoysStayTheSameWhileTheWalletGrows) {
  // Decoys that came and went would tell themselves apart from the elements by the intersection of two filters.
  const auto elements = wallet_elements(120);
  const auto before = plan(std::span(elements).first(100), 1e-4);
  const auto after = plan(elements, 1e-4);
  auto without_growth = BloomFilter::intersection_of(before.filter, after.filter).value();
  EXPECT_EQ(before.decoys, after.decoys + 20);
  EXPECT_GE(without_growth.estimated_elements(), 100.0 + static_cast<double>(after.decoys) - 5);
}

TEST(FilterPlan, P4_EachElementIsInsertedOnceAndNothingElse) {
  const auto elements = wallet_elements(1'000);
  const auto planned = plan(elements, 1e-4);
  EXPECT_EQ(planned.elements, elements.size());
  EXPECT_NEAR(planned.filter.estimated_elements(), static_cast<double>(planned.elements + planned.decoys), 20);
}

TEST(FilterPlan, LeavesRoomForWhatTheNodeInserts) {
  for (const double target : {1e-3, 1e-4, 1e-5, 1e-6}) {
    for (const std::size_t count : {1U, 200U, 2'000U}) {
      const auto planned = plan(wallet_elements(count), target);
      FilterMirror mirror(planned.filter);
      util::Rng rng(4);
      auto filter = planned.filter;
      const std::size_t held = planned.elements + planned.decoys;
      for (std::size_t i = 0; i < held / 8; ++i) filter.insert(rng.bytes(36));
      EXPECT_LT(filter.fp_rate(), highest_rate(planned)) << target << " " << count;
      for (std::size_t i = 0; i < held / 2; ++i) filter.insert(rng.bytes(36));
      EXPECT_GT(filter.fp_rate(), highest_rate(planned)) << target << " " << count;
    }
  }
}

TEST(FilterPlan, TheMirrorSaysWhenToReload) {
  const auto element = util::Bytes(20, 0x11);
  const auto planned = plan(std::vector<util::Bytes>{element}, 1e-3);
  FilterMirror mirror(planned.filter);
  EXPECT_LT(mirror.fp_rate(), highest_rate(planned));
  int payments = 0;
  for (; mirror.fp_rate() <= highest_rate(planned) && payments < 1'000; ++payments) {
    chain::Transaction tx;
    tx.inputs.resize(1);
    tx.lock_time = static_cast<std::uint32_t>(payments);
    tx.outputs.push_back({.value = 1, .script_pubkey = {}});
    tx.outputs[0].script_pubkey = {0x00, 20};
    tx.outputs[0].script_pubkey.insert(tx.outputs[0].script_pubkey.end(), element.begin(), element.end());
    ASSERT_TRUE(mirror.replay(tx, tx.txid()));
  }
  EXPECT_GE(payments, 30);
  EXPECT_LT(payments, 1'000);
  EXPECT_NEAR(mirror.fp_rate(), 2e-3, 2e-4);
}

TEST(FilterPlan, SaysWhenTheCapKeepsItFromTheTarget) {
  const auto planned = plan(wallet_elements(20'000), 1e-5);
  EXPECT_TRUE(planned.capped);
  EXPECT_EQ(planned.filter.bits().size(), kMaxFilterBytes);
  EXPECT_EQ(planned.decoys, 0U);
  EXPECT_GT(planned.fp_expected, 1e-5);
  EXPECT_NEAR(planned.filter.fp_rate() / planned.fp_expected, 1, 0.1);
  EXPECT_LT(planned.filter.fp_rate(), highest_rate(planned)) << "a reload would not help";
}

TEST(FilterPlan, NeverLeavesTheLimitsOfBip37) {
  for (const double target : {0.9, 0.5, 0.1, 1e-3, 1e-9, 1e-15, 1e-30}) {
    for (const std::size_t count : {0U, 1U, 128U, 1'000U, 7'000U, 100'000U, 1'000'000U}) {
      const auto shape = plan_shape(count, target);
      EXPECT_GE(shape.bytes, 1U);
      EXPECT_LE(shape.bytes, kMaxFilterBytes);
      EXPECT_GE(shape.hash_funcs, 1U);
      EXPECT_LE(shape.hash_funcs, kMaxHashFunctions);
    }
  }
}

}  // namespace
}  // namespace spv::bip37
