#include "bip158/gcs.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bip158/basic_filter.h"
#include "tests/support/vectors.h"
#include "util/rng.h"

namespace spv::bip158 {
namespace {

using test::hex;

/// A filter from its bits as text.
util::Bytes from_bits(std::uint8_t count, std::string bits) {
  while (bits.size() % 8 != 0) bits += '0';
  util::Bytes out{count};
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(bits.substr(i, 8), nullptr, 2)));
  }
  return out;
}
std::string remainder(unsigned value) {
  std::string out(kP, '0');
  for (unsigned i = 0; i < kP; ++i) out[kP - 1 - i] = ((value >> i) & 1U) != 0 ? '1' : '0';
  return out;
}

util::Expected<std::size_t, GcsError> check(util::ByteView filter) {
  Scratch scratch;
  return validate(filter, scratch);
}

TEST(Gcs, CodesTheQuotientInOnesAndTheRemainderIn19Bits) {
  const std::vector<std::uint64_t> values{5, 5 + (2U << kP) + 7};
  const util::Bytes filter = encode_gcs(values);
  EXPECT_EQ(filter, from_bits(2, "0" + remainder(5) + "110" + remainder(7)));
  Scratch scratch;
  EXPECT_EQ(*validate(filter, scratch), 2U);
  EXPECT_EQ(scratch.values, values);
}

TEST(Gcs, AnEmptyFilterMatchesNothing) {
  ScriptSet scripts;
  scripts.add(util::Bytes(22, 1));
  Scratch scratch;
  const auto matched = match_any(util::Bytes{0}, {}, scripts, scratch);
  ASSERT_TRUE(matched);
  EXPECT_FALSE(*matched);
}

TEST(Gcs, NoScriptsMatchNothingButTheFilterIsChecked) {
  Scratch scratch;
  const util::Bytes filter = encode_gcs({1, 2, 3});
  EXPECT_FALSE(*match_any(filter, {}, ScriptSet(), scratch));
  EXPECT_FALSE(match_any(util::ByteView(filter).first(filter.size() - 1), {}, ScriptSet(), scratch));
}

TEST(Gcs, EqualElementsAreTwoElements) { EXPECT_EQ(*check(encode_gcs({9, 9, 9})), 3U); }

TEST(Gcs, RefusesACountThatCannotBeRead) {
  for (const char* bad : {"", "fd", "fd0100", "fe0000", "ff00000000000000"}) {
    EXPECT_EQ(check(hex(bad)).error(), GcsError::BadCount) << bad;
  }
}

TEST(Gcs, RefusesMoreElementsThanTheBytesCanHold) {
  for (const char* bad : {"01", "010000", "02000000", "feffffffff00", "ffffffffffffffffff00000000"}) {
    EXPECT_EQ(check(hex(bad)).error(), GcsError::Truncated) << bad;
  }
}

TEST(Gcs, RefusesARunOfOnesThatDoesNotEnd) {
  util::Bytes filter(200'000, 0xFF);
  filter.front() = 1;
  EXPECT_EQ(check(filter).error(), GcsError::Truncated);
  // Many elements that all begin within it.
  filter[0] = 0xFD;
  filter[1] = 0xFF;
  filter[2] = 0xFF;
  EXPECT_EQ(check(filter).error(), GcsError::Truncated);
}

TEST(Gcs, RefusesElementsOutOfRange) {
  // One element: below M, which is one and a half times 2^19.
  EXPECT_TRUE(check(encode_gcs({kM - 1})));
  EXPECT_EQ(check(encode_gcs({kM})).error(), GcsError::OutOfRange);
  EXPECT_TRUE(check(encode_gcs({0, 2 * kM - 1})));
  EXPECT_EQ(check(encode_gcs({kM, 2 * kM})).error(), GcsError::OutOfRange);
  EXPECT_EQ(check(encode_gcs({std::uint64_t{60} << kP})).error(), GcsError::OutOfRange) << "a long run of ones";
  EXPECT_EQ(check(encode_gcs({std::uint64_t{20'000} << kP})).error(), GcsError::OutOfRange);
}

TEST(Gcs, RefusesWhatIsLeftOver) {
  util::Bytes filter = encode_gcs({1});  // 20 bits
  ASSERT_EQ(filter.size(), 4U);
  filter.push_back(0);
  EXPECT_EQ(check(filter).error(), GcsError::TrailingBytes);
  EXPECT_EQ(check(hex("0000")).error(), GcsError::TrailingBytes);
  filter.pop_back();
  for (const unsigned bit : {1U, 2U, 4U, 8U}) {
    filter.back() ^= static_cast<std::uint8_t>(bit);
    EXPECT_EQ(check(filter).error(), GcsError::NonZeroPadding) << bit;
    filter.back() ^= static_cast<std::uint8_t>(bit);
  }
}

TEST(Gcs, EveryErrorHasItsWords) {
  std::set<std::string_view> words;
  for (const auto error : {GcsError::BadCount, GcsError::Truncated, GcsError::OutOfRange, GcsError::TrailingBytes,
                           GcsError::NonZeroPadding}) {
    words.insert(to_string(error));
  }
  EXPECT_EQ(words.size(), 5U);
}

TEST(Gcs, FindsScriptsOfEachLengthAndOnlyThose) {
  util::Rng rng(1);
  chain::BlockHash block;
  const util::Bytes random = rng.bytes(32);
  std::ranges::copy(random, block.bytes.begin());
  std::vector<util::Bytes> scripts;
  for (std::size_t length = 1; length <= 200; ++length) scripts.push_back(rng.bytes(length));
  BasicFilterBuilder builder;
  for (std::size_t i = 0; i < scripts.size(); i += 2) builder.add_spent(scripts[i]);
  const util::Bytes filter = builder.build(block);
  Scratch scratch;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    ScriptSet set;
    set.add(scripts[i]);
    EXPECT_EQ(*match_any(filter, block, set, scratch), i % 2 == 0) << scripts[i].size();
  }
}

// A batch ends within the set, and a match may be the last one of it.
TEST(Gcs, FindsAScriptAtEachPlaceOfALargeSet) {
  util::Rng rng(2);
  const util::Bytes wanted = rng.bytes(22);
  BasicFilterBuilder builder;
  builder.add_spent(wanted);
  const util::Bytes filter = builder.build({});
  Scratch scratch;
  for (std::size_t before = 0; before < 200; ++before) {
    ScriptSet set;
    for (std::size_t i = 0; i < before; ++i) set.add(rng.bytes(22));
    set.add(wanted);
    const auto matches = match_all(filter, {}, set, scratch);
    ASSERT_TRUE(matches);
    ASSERT_FALSE(matches->empty()) << before;
    ASSERT_EQ(matches->back(), before);
  }
}

// Chance matches come once in 784,931 looks: a set of 4 million has 5 of them, give or take.
TEST(Gcs, MatchesByChanceAsRarelyAsTheBipSays) {
  util::Rng rng(3);
  std::vector<util::Bytes> elements;
  for (int i = 0; i < 2'000; ++i) elements.push_back(rng.bytes(22));
  BasicFilterBuilder builder;
  for (const auto& element : elements) builder.add_spent(element);
  const util::Bytes filter = builder.build({});
  ScriptSet set;
  util::Bytes script(22);
  for (std::uint32_t i = 0; i < 4'000'000; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) script[byte] = static_cast<std::uint8_t>(i >> (8 * byte));
    set.add(script);
  }
  Scratch scratch;
  const auto matches = match_all(filter, {}, set, scratch);
  ASSERT_TRUE(matches);
  EXPECT_LT(matches->size(), 20U);
}

// Whatever bytes come, they are a filter or an error, and a filter is the one coding of its elements.
TEST(Gcs, TheSameElementsHaveNoOtherCoding) {
  rc::check([](std::vector<std::uint8_t> bytes) {
    Scratch scratch;
    const auto count = validate(bytes, scratch);
    if (!count) return;
    RC_ASSERT(scratch.values.size() == *count);
    RC_ASSERT(encode_gcs(scratch.values) == bytes);
  });
}

TEST(Gcs, EveryTruncationAndEveryFlippedPaddingIsFound) {
  util::Rng rng(4);
  BasicFilterBuilder builder;
  std::vector<util::Bytes> elements;
  for (int i = 0; i < 300; ++i) elements.push_back(rng.bytes(25));
  for (const auto& element : elements) builder.add_spent(element);
  const util::Bytes filter = builder.build({});
  ASSERT_EQ(*check(filter), 300U);
  for (std::size_t size = 0; size < filter.size(); ++size)
    EXPECT_FALSE(check(util::ByteView(filter).first(size))) << size;
  Scratch scratch;
  for (std::size_t bit = 0; bit < filter.size() * 8; ++bit) {
    util::Bytes flipped = filter;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    if (!validate(flipped, scratch)) continue;
    ASSERT_EQ(encode_gcs(scratch.values), flipped) << bit;
  }
}

}  // namespace
}  // namespace spv::bip158
