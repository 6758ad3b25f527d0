#include "sync/watch/watch_set.h"

#include <set>
#include <unordered_set>
#include <utility>

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(WatchSet, HoldsWhatWasAddedAndNothingElseHoweverItGrows) {
  WatchSet set{util::Rng(1)};
  util::Rng rng(2);
  std::vector<util::Bytes> in;
  std::vector<util::Bytes> out;
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = rng.bytes(rng.below(80));
    (i % 2 == 0 ? in : out).push_back(std::move(bytes));
  }
  for (const auto& script : in) set.add_script(script);
  for (const auto& script : in) EXPECT_TRUE(set.contains(set.of_script(script)));
  const std::set<util::Bytes> held(in.begin(), in.end());
  for (const auto& script : out) EXPECT_EQ(set.contains(set.of_script(script)), held.contains(script));
}

TEST(WatchSet, FindsOneOfManyWhereverItStands) {
  WatchSet set{util::Rng(1)};
  util::Rng rng(2);
  for (int i = 0; i < 5'000; ++i) set.add_script(rng.bytes(30));
  set.add_script(util::Bytes{1});
  set.add_script(util::Bytes(31, 1));
  const auto held = set.of_script(util::Bytes{1});
  for (const std::size_t count : {std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{1'000}}) {
    std::vector<WatchSet::Fingerprint> entries;
    for (std::size_t i = 0; i < count; ++i) entries.push_back(set.of_script(rng.bytes(31)));
    EXPECT_FALSE(set.contains_any(entries));
    for (auto& entry : entries) {
      const auto other = std::exchange(entry, held);
      EXPECT_TRUE(set.contains_any(entries));
      entry = other;
    }
  }
  EXPECT_FALSE(set.contains_any({}));
}

TEST(WatchSet, CountsNothingTwiceAndForgetsAll) {
  WatchSet set{util::Rng(1)};
  set.add_script(util::Bytes{1});
  set.add_script(util::Bytes{1});
  const auto one = set.of_script(util::Bytes{1});
  EXPECT_EQ(set.size(), 1U);
  set.clear(10);
  EXPECT_FALSE(set.contains(one));
  EXPECT_EQ(set.size(), 0U);
}

TEST(WatchSet, EveryByteAndTheLengthCount) {
  WatchSet set{util::Rng(3)};
  std::unordered_set<WatchSet::Fingerprint> seen;
  std::size_t made = 0;
  for (std::size_t size = 0; size <= 70; ++size) {
    util::Bytes bytes(size, 0);
    set.add_script(bytes);
    seen.insert(set.of_script(bytes));
    ++made;
    for (std::size_t at = 0; at < size; ++at) {
      bytes[at] = 1;
      seen.insert(set.of_script(bytes));
      bytes[at] = 0;
      ++made;
    }
  }
  EXPECT_EQ(seen.size(), made);
}

TEST(WatchSet, AScriptOfALengthThatNoneHasIsNotLookedFor) {
  WatchSet set{util::Rng(3)};
  EXPECT_EQ(set.of_script(util::Bytes(22, 5)), WatchSet::kNone);
  set.add_script(util::Bytes(22, 7));
  EXPECT_NE(set.of_script(util::Bytes(22, 5)), WatchSet::kNone);
  EXPECT_EQ(set.of_script(util::Bytes(23, 5)), WatchSet::kNone);
  EXPECT_FALSE(set.contains(WatchSet::kNone));
  set.add_script(util::Bytes(500, 7));
  EXPECT_NE(set.of_script(util::Bytes(64, 5)), WatchSet::kNone);
  set.clear(1);
  EXPECT_EQ(set.of_script(util::Bytes(22, 7)), WatchSet::kNone);
}

TEST(WatchSet, AScriptIsNoOutpointAndAnotherKeyGivesOtherFingerprints) {
  WatchSet set{util::Rng(3)};
  WatchSet other{util::Rng(4)};
  const util::Bytes bytes(36, 5);
  set.add_script(bytes);
  other.add_script(bytes);
  EXPECT_NE(set.of_script(bytes), set.of_outpoint(bytes));
  EXPECT_NE(set.of_script(bytes), other.of_script(bytes));
}

}  // namespace
}  // namespace spv::sync
