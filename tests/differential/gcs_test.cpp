// Compact block filters against a second implementation: built, decoded and matched.
#include "bip158/gcs.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "bip158/basic_filter.h"
#include "tests/differential/cases.h"
#include "tests/differential/reference_gcs.h"

namespace spv::test {
namespace {

util::Bytes random_script(util::Rng& rng) {
  constexpr std::size_t kSizes[]{22, 23, 25, 34, 35, 67};
  return rng.bytes(rng.below(3) != 0 ? kSizes[rng.below(6)] : 1 + rng.below(120));
}

std::array<std::uint8_t, 16> key_of(const chain::BlockHash& block) {
  std::array<std::uint8_t, 16> key{};
  std::copy_n(block.bytes.begin(), key.size(), key.begin());
  return key;
}

TEST(DifferentialGcs, BuildsAndMatches) {
  bip158::Scratch scratch;
  for (std::uint64_t n = 0, cases = differential_cases(2'000, 200'000); n < cases; ++n) {
    SCOPED_TRACE(n);
    util::Rng rng = case_rng(n);
    chain::BlockHash block;
    const util::Bytes hash = rng.bytes(32);
    std::ranges::copy(hash, block.bytes.begin());
    std::set<util::Bytes> elements;
    for (auto left = rng.below(rng.below(8) == 0 ? 600 : 40); left > 0; --left) elements.insert(random_script(rng));
    bip158::BasicFilterBuilder builder;
    for (const auto& element : elements) builder.add_spent(element);
    if (!elements.empty() && rng.below(2) == 0) builder.add_spent(*elements.begin());
    util::Bytes filter = builder.build(block);
    ASSERT_EQ(filter, reference::build_gcs(key_of(block), elements));
    std::vector<util::Bytes> wanted;
    for (auto left = rng.below(80); left > 0; --left) wanted.push_back(random_script(rng));
    for (const auto& element : elements) {
      if (rng.below(10) == 0) wanted.push_back(element);
    }
    bip158::ScriptSet scripts;
    for (const auto& script : wanted) scripts.add(script);
    const auto decoded = reference::decode_gcs(filter);
    ASSERT_TRUE(decoded);
    const auto matches = bip158::match_all(filter, block, scripts, scratch);
    ASSERT_TRUE(matches);
    ASSERT_EQ(scratch.values, *decoded);
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      if (reference::gcs_holds(*decoded, key_of(block), scripts[i])) expected.push_back(i);
    }
    ASSERT_EQ(*matches, expected);
    ASSERT_EQ(*bip158::match_any(filter, block, scripts, scratch), !expected.empty());
  }
}

TEST(DifferentialGcs, ReadsOrRefusesDamagedFilters) {
  bip158::Scratch scratch;
  std::uint64_t refused = 0;
  const std::uint64_t cases = differential_cases(20'000);
  for (std::uint64_t n = 0; n < cases; ++n) {
    SCOPED_TRACE(n);
    util::Rng rng = case_rng(n);
    std::set<util::Bytes> elements;
    for (auto left = rng.below(20); left > 0; --left) elements.insert(random_script(rng));
    util::Bytes filter = reference::build_gcs({}, elements);
    for (auto left = rng.below(4); left > 0 && !filter.empty(); --left) {
      const auto at = rng.below(filter.size());
      const auto what = rng.below(4);
      if (what == 0) filter.resize(at);
      if (what == 1) filter[at] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      if (what == 2) filter[at] = 0xFF;
      if (what == 3) filter.push_back(static_cast<std::uint8_t>(rng.below(2)));
    }
    const auto theirs = reference::decode_gcs(filter);
    const auto ours = bip158::validate(filter, scratch);
    ASSERT_EQ(ours.has_value(), theirs.has_value());
    if (!ours) {
      ++refused;
      continue;
    }
    ASSERT_EQ(scratch.values, *theirs);
  }
  EXPECT_GT(refused, cases / 4);
  EXPECT_LT(refused, cases * 3 / 4);
}

}  // namespace
}  // namespace spv::test
