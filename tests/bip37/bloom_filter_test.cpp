#include "bip37/bloom_filter.h"

#include <cmath>

#include <gtest/gtest.h>

#include "bip37/murmur3.h"
#include "tests/bip37/samples.h"
#include "tests/support/vectors.h"

namespace spv::bip37 {
namespace {

using test::from_hex;
using test::hex;
using test::payload;

BloomFilter filter_for(std::size_t elements, double fp_rate, std::uint32_t tweak = 0,
                       UpdateFlags flags = UpdateFlags::All) {
  return {design_filter(elements, fp_rate), tweak, flags};
}

TEST(BloomFilter, HasTheBytesOfCoresTests) {
  for (const auto& [tweak, wanted] :
       {std::pair{0U, "03614e9b050000000000000001"}, std::pair{2147483649U, "03ce4299050000000100008001"}}) {
    auto filter = filter_for(3, 0.01, tweak);
    filter.insert(from_hex("99108ad8ed9bb6274d3980bab5a85c048f0950c8"));
    EXPECT_TRUE(filter.contains(from_hex("99108ad8ed9bb6274d3980bab5a85c048f0950c8")));
    EXPECT_FALSE(filter.contains(from_hex("19108ad8ed9bb6274d3980bab5a85c048f0950c8")));
    filter.insert(from_hex("b5a2c786d9ef4658287ced5914b37a1b4aa32eee"));
    filter.insert(from_hex("b9300670b4c5366e95b2699e8b18bc75e5f729c5"));
    EXPECT_EQ(payload(filter), from_hex(wanted));
  }
}

TEST(BloomFilter, HasTheBytesOfCoresKeyTest) {
  auto filter = filter_for(2, 0.001);
  filter.insert(
      from_hex("045b81f0017e2091e2edcd5eecf10d5bdd120a5514cb3ee65b8447ec18bfc4575c6d5bf415e54e03b1067934a0f0ba76"
               "b01c6b9ab227142ee1d543764b69d901e0"));
  filter.insert(from_hex("477abbacd4113f2e6b100526222eedd953c26a64"));
  EXPECT_EQ(payload(filter), from_hex("038fc16b080000000000000001"));
}

TEST(FilterShape, TruncatesAsCoreDoes) {
  EXPECT_EQ(design_filter(3, 0.01), (FilterShape{3, 5, false}));  // 28.7 bits, 24/3 * ln 2 = 5.5
  EXPECT_EQ(design_filter(1000, 0.0001), (FilterShape{2396, 13, false}));
  EXPECT_EQ(design_filter(10, 1e-6), (FilterShape{35, 19, false}));  // 280/10 * ln 2 = 19.4
  EXPECT_EQ(design_filter(11, 1e-6), (FilterShape{39, 19, false}));  // 312/11 is 28, not 28.4
}

TEST(FilterShape, IsCappedAt36000BytesAnd50Functions) {
  EXPECT_EQ(design_filter(20'000, 0.0001), (FilterShape{36'000, 9, true}));
  EXPECT_EQ(design_filter(100'000, 1e-9), (FilterShape{36'000, 1, true}));
  EXPECT_EQ(design_filter(1, 1e-20).hash_funcs, 50U);
  EXPECT_TRUE(design_filter(1, 1e-20).capped);
  EXPECT_EQ(design_filter(8, 4.67e-16), (FilterShape{73, 50, false}));  // 584/8 * ln 2 = 50.6: just not cut off
  EXPECT_FALSE(design_filter(15'000, 0.0001).capped);
  EXPECT_TRUE(design_filter(std::size_t{1} << 40U, 0.0001).capped);
}

TEST(FilterShape, NeverComesToAFilterThatMatchesAll) {
  for (const double rate : {0.0, -1.0, 1e-300, 0.5, 0.999, 1.0, 2.0, std::nan("")}) {
    for (const std::size_t elements : {std::size_t{0}, std::size_t{1}, std::size_t{1'000'000}, SIZE_MAX}) {
      const FilterShape shape = design_filter(elements, rate);
      const BloomFilter filter(shape, 0, UpdateFlags::None);
      EXPECT_FALSE(filter.contains(from_hex("00"))) << elements << " at " << rate;
    }
  }
}

TEST(BloomFilter, ReducesEveryHashAsAModuloDoes) {
  util::Rng rng(2);
  for (std::size_t bytes = 1; bytes <= kMaxFilterBytes; bytes += 1 + bytes / 8) {
    BloomFilter filter({bytes, 1, false}, 77, UpdateFlags::None);
    const util::Bytes element = rng.bytes(20);
    filter.insert(element);
    const std::size_t bit = murmur3(77, element) % (bytes * 8);
    ASSERT_EQ(filter.bits()[bit / 8], 1U << (bit % 8)) << bytes;
  }
}

TEST(BloomFilter, AsksEveryFunctionAndNoOther) {
  constexpr std::uint32_t kStep = 0xFBA4C795;
  util::Rng rng(6);
  for (std::uint32_t functions = 1; functions <= 10; ++functions) {
    BloomFilter filter({64, functions, false}, 5, UpdateFlags::None);
    for (std::uint32_t i = 0; i < 300 / functions; ++i) filter.insert(rng.bytes(20));
    for (int probe = 0; probe < 2'000; ++probe) {
      const util::Bytes element = rng.bytes(20);
      bool all = true;
      for (std::uint32_t i = 0; i < functions; ++i) {
        const std::size_t bit = murmur3(i * kStep + 5, element) % 512;
        all = all && (std::uint32_t{filter.bits()[bit / 8]} >> (bit % 8) & 1U) != 0;
      }
      ASSERT_EQ(filter.contains(element), all) << functions;
    }
  }
}

TEST(BloomFilter, NeverForgetsAnElement) {
  util::Rng rng(3);
  auto filter = filter_for(50, 0.01, 99);
  std::vector<util::Bytes> inserted;
  for (std::size_t i = 0; i < 500; ++i) {  // ten times the plan
    inserted.push_back(rng.bytes(static_cast<std::size_t>(rng.below(kMaxElementBytes + 1))));
    filter.insert(inserted.back());
  }
  for (const auto& element : inserted) EXPECT_TRUE(filter.contains(element));
}

TEST(BloomFilter, MeasuredRateIsTheExpectedOne) {
  const FilterShape shape = design_filter(2'000, 0.01);
  BloomFilter filter(shape, 5, UpdateFlags::None);
  util::Rng rng(4);
  for (const double load : {0.5, 1.0, 2.0}) {
    while (filter.estimated_elements() < load * 2'000) filter.insert(rng.bytes(20));
    const int probes = 60'000;
    int hits = 0;
    for (int i = 0; i < probes; ++i) hits += filter.contains(rng.bytes(20)) ? 1 : 0;
    const double rate = filter.fp_rate();
    EXPECT_NEAR(hits, rate * probes, 4 * std::sqrt(rate * probes) + 1) << load;
    EXPECT_NEAR(rate / expected_fp_rate(shape, static_cast<std::size_t>(load * 2'000)), 1, 0.1) << load;
  }
}

TEST(FilterShape, AnOverfilledFilterFollowsTheFormulaOfTheBestSize) {
  const FilterShape shape{8'000, 10, false};  // best for 64,000 / 10 * ln 2 = 4,436 elements
  for (const double load : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const double expected = expected_fp_rate(shape, static_cast<std::size_t>(load * 4'436.14));
    EXPECT_NEAR(overfilled_fp_rate(shape.hash_funcs, load) / expected, 1, 0.01) << load;
  }
}

TEST(FilterShape, AnEmptyFilterHasNoFalsePositivesAndOneAtItsPlanHalfABitAFunction) {
  EXPECT_EQ(overfilled_fp_rate(3, 0), 0);
  EXPECT_DOUBLE_EQ(overfilled_fp_rate(3, 1), 0.125);
  EXPECT_DOUBLE_EQ(overfilled_fp_rate(3, 2), 0.75 * 0.75 * 0.75);
}

TEST(BloomFilter, EstimatesItsElementsFromTheFill) {
  util::Rng rng(5);
  auto filter = filter_for(1'000, 0.001, 1);
  EXPECT_EQ(filter.estimated_elements(), 0);
  for (int i = 0; i < 1'000; ++i) filter.insert(rng.bytes(36));
  EXPECT_NEAR(filter.estimated_elements(), 1'000, 30);
  EXPECT_NEAR(filter.fill_ratio(), 0.46, 0.02);
}

TEST(BloomFilter, AFullFilterMatchesAllAndSaysSo) {
  const auto full = BloomFilter::parse(from_hex("02ffff050000000000000000"));
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->contains(from_hex("1234")));
  EXPECT_EQ(full->fp_rate(), 1);
  EXPECT_TRUE(std::isinf(full->estimated_elements()));
}

TEST(BloomFilter, WithoutBytesOrFunctionsMatchesAllAsOnCore) {
  for (const char* text : {"00050000000000000001", "020000000000000000000001"}) {
    auto filter = BloomFilter::parse(from_hex(text));
    ASSERT_TRUE(filter) << text;
    EXPECT_TRUE(filter->contains(from_hex("1234")));
    EXPECT_EQ(filter->fp_rate(), 1);
    filter->insert(from_hex("99"));
    EXPECT_EQ(payload(*filter), from_hex(text)) << "an insertion changes nothing";
  }
}

TEST(BloomFilter, ParseGivesBackWhatWasEncoded) {
  auto filter = filter_for(100, 0.001, 0xDEADBEEF, UpdateFlags::P2PubkeyOnly);
  filter.insert(from_hex("aabb"));
  const auto parsed = BloomFilter::parse(payload(filter));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, filter);
  EXPECT_TRUE(parsed->contains(from_hex("aabb")));
}

TEST(BloomFilter, ParseRefusesWhatANodeWouldDropUsFor) {
  const auto error_of = [](const util::Bytes& bytes) { return BloomFilter::parse(bytes).error(); };
  const auto sized = [](std::size_t size, std::uint32_t funcs, std::uint8_t flags) {
    return util::Writer().var_bytes(util::Bytes(size)).integer(funcs).integer(0U).integer(flags).take();
  };
  EXPECT_TRUE(BloomFilter::parse(sized(36'000, 50, 2)));
  EXPECT_EQ(error_of(sized(36'001, 50, 0)), FilterError::TooLarge);
  EXPECT_EQ(error_of(sized(10, 51, 0)), FilterError::TooManyHashFunctions);
  EXPECT_EQ(error_of(sized(10, 5, 3)), FilterError::Malformed);
  EXPECT_EQ(error_of(from_hex("ffffffffffffffffff")), FilterError::TooLarge);
  EXPECT_EQ(error_of(from_hex("fd0200ffff050000000000000000")), FilterError::Malformed);
  util::Bytes whole = sized(3, 5, 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), FilterError::Malformed);
  }
  whole.push_back(0);
  EXPECT_EQ(error_of(whole), FilterError::Malformed);
}

TEST(BloomFilter, AUnionHoldsBothAndEqualsInsertingAll) {
  util::Rng rng(6);
  auto a = filter_for(100, 0.001, 9);
  auto b = a;
  auto both = a;
  for (int i = 0; i < 100; ++i) {
    const util::Bytes element = rng.bytes(20);
    (i % 2 == 0 ? a : b).insert(element);
    both.insert(element);
  }
  EXPECT_EQ(BloomFilter::union_of(a, b), both);
}

TEST(BloomFilter, AnIntersectionHoldsWhatBothHold) {
  util::Rng rng(7);
  auto a = filter_for(100, 0.001, 9);
  auto b = a;
  std::vector<util::Bytes> shared;
  std::vector<util::Bytes> only_a;
  for (int i = 0; i < 30; ++i) {
    shared.push_back(rng.bytes(20));
    only_a.push_back(rng.bytes(20));
    a.insert(shared.back());
    b.insert(shared.back());
    a.insert(only_a.back());
    b.insert(rng.bytes(20));
  }
  const auto common = BloomFilter::intersection_of(a, b);
  ASSERT_TRUE(common);
  for (const auto& element : shared) EXPECT_TRUE(common->contains(element));
  int kept = 0;
  for (const auto& element : only_a) kept += common->contains(element) ? 1 : 0;
  EXPECT_LE(kept, 2);
}

TEST(BloomFilter, FiltersOfOtherShapeDoNotCombine) {
  const auto filter = filter_for(100, 0.001, 9);
  for (const auto& other : {filter_for(101, 0.001, 9), filter_for(100, 0.001, 8),
                            BloomFilter({filter.bits().size(), filter.hash_funcs() + 1, false}, 9, UpdateFlags::All)}) {
    EXPECT_FALSE(BloomFilter::union_of(filter, other));
    EXPECT_FALSE(BloomFilter::intersection_of(filter, other));
  }
}

void check_filter_case(const boost::json::object& row) {
  const double rate = row.at("fp_rate").to_number<double>();
  const FilterShape shape = design_filter(row.at("elements").to_number<std::size_t>(), rate);
  if (row.contains("bytes")) {
    EXPECT_EQ(shape.bytes, row.at("bytes").to_number<std::size_t>());
    EXPECT_EQ(shape.hash_funcs, row.at("hash_funcs").to_number<std::uint32_t>());
  }
  BloomFilter filter(shape, row.at("tweak").to_number<std::uint32_t>(),
                     static_cast<UpdateFlags>(row.at("flags").to_number<int>()));
  for (const auto& element : row.at("insert").as_array()) filter.insert(hex(element));
  if (row.at("filterload_payload").is_string()) {  // rows on the limits give the shape alone
    EXPECT_EQ(payload(filter), hex(row.at("filterload_payload")));
  }
  EXPECT_EQ(BloomFilter::parse(payload(filter)).value(), filter);
  for (const auto& element : row.at("insert").as_array()) EXPECT_TRUE(filter.contains(hex(element)));
  for (const auto& element : row.at("not_contains").as_array()) EXPECT_FALSE(filter.contains(hex(element)));
}

TEST(BloomFilter, HasTheBytesOfCoresVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/core_bloom.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("serialize").as_array()) check_filter_case(row.as_object());
}

TEST(BloomFilter, HasTheBytesOfTheDerivedVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/derived_bloom.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) check_filter_case(row.as_object());
}

}  // namespace
}  // namespace spv::bip37
