#include "sync/watch/member_table.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/rng.h"

namespace spv::sync {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<MemberId> members_of(const MemberTable& table, MemberTable::Fingerprint fingerprint) {
  std::vector<MemberId> out;
  table.collect(fingerprint, out);
  return out;
}

TEST(MemberTable, HoldsEachPairOnce) {
  MemberTable table;
  for (int round = 0; round < 3; ++round) {
    for (const MemberId member : {3U, 1U, 2U}) table.add(7, member);
    table.add(8, 1);
  }
  EXPECT_EQ(table.size(), 4U);
  EXPECT_THAT(members_of(table, 7), ElementsAre(1, 2, 3));
  EXPECT_THAT(members_of(table, 8), ElementsAre(1));
  EXPECT_THAT(members_of(table, 9), IsEmpty());
}

TEST(MemberTable, RemovesOneOfSeveralAndTheLast) {
  MemberTable table;
  for (const MemberId member : {1U, 2U, 3U}) table.add(7, member);
  table.remove(7, 9);
  table.remove(6, 1);
  EXPECT_EQ(table.size(), 3U) << "neither was there";
  table.remove(7, 2);
  EXPECT_THAT(members_of(table, 7), ElementsAre(1, 3));
  table.remove(7, 1);
  EXPECT_THAT(members_of(table, 7), ElementsAre(3));
  table.remove(7, 1);
  table.add(7, 3);
  EXPECT_EQ(table.size(), 1U);
  table.remove(7, 3);
  EXPECT_THAT(members_of(table, 7), IsEmpty());
  EXPECT_EQ(table.size(), 0U);
}

/// Few places and few numbers: clusters that run into each other, around the end too, and lists.
MemberTable::Fingerprint crowded(util::Rng& rng) {
  const std::uint64_t place = rng.below(2) == 0 ? 0xFFF0'0000'0000'0000U : rng.below(4) << 58U;
  return place + 1 + rng.below(60);
}

TEST(MemberTable, AnswersLikeAPlainMapWhateverHappens) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    util::Rng rng(seed);
    MemberTable table;
    std::map<MemberTable::Fingerprint, std::set<MemberId>> model;
    std::size_t size = 0;
    for (int step = 0; step < 4'000; ++step) {
      const bool is_crowded = seed % 2 == 0;
      const auto fingerprint = is_crowded ? crowded(rng) : 1 + rng.below(500) * 0x9E37'79B9'7F4A'7C15U;
      const auto member = static_cast<MemberId>(rng.below(4));
      // It fills up, then empties.
      if (rng.below(4) < (step < 2'000 ? 3U : 1U)) {
        table.add(fingerprint, member);
        size += model[fingerprint].insert(member).second ? 1U : 0U;
      } else {
        table.remove(fingerprint, member);
        size -= model[fingerprint].erase(member);
      }
      if (rng.below(200) == 0) table.reserve(rng.below(2'000));
      ASSERT_EQ(table.size(), size);
    }
    for (const auto& [fingerprint, members] : model) {
      ASSERT_THAT(members_of(table, fingerprint), testing::ElementsAreArray(members));
    }
  }
}

TEST(MemberTable, EmptiesAndFillsAgain) {
  MemberTable table;
  util::Rng rng(std::uint64_t{1});
  for (int round = 0; round < 3; ++round) {
    std::vector<MemberTable::Fingerprint> all;
    for (MemberId n = 0; n < 20'000; ++n) {
      all.push_back(rng.next() | 1U);
      table.add(all.back(), n);
    }
    EXPECT_EQ(table.size(), 20'000U);
    for (MemberId n = 0; n < 20'000; ++n) {
      ASSERT_THAT(members_of(table, all[n]), ElementsAre(n));
      table.remove(all[n], n);
    }
    EXPECT_EQ(table.size(), 0U);
  }
}

}  // namespace
}  // namespace spv::sync
