#include "bip158/script_set.h"

#include <set>

#include <gtest/gtest.h>

#include "util/rng.h"

namespace spv::bip158 {
namespace {

TEST(ScriptSet, IsEmptyAtFirst) {
  const ScriptSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 0U);
}

TEST(ScriptSet, LeavesEmptyScriptsOut) {
  ScriptSet set;
  set.add({});
  EXPECT_TRUE(set.empty());
}

TEST(ScriptSet, GivesBackWhatWasAdded) {
  ScriptSet set;
  util::Rng rng(1);
  std::multiset<util::Bytes> added;
  for (std::size_t i = 0; i < 400; ++i) {
    const util::Bytes script = rng.bytes(1 + i % 40);
    set.add(script);
    added.insert(script);
  }
  ASSERT_EQ(set.size(), added.size());
  std::multiset<util::Bytes> found;
  for (std::size_t i = 0; i < set.size(); ++i) found.insert(util::to_bytes(set[i]));
  EXPECT_EQ(found, added);
}

TEST(ScriptSet, OrdersByUsualLengthAndThenByAddition) {
  ScriptSet set;
  const util::Bytes first(34, 1);
  const util::Bytes second(22, 2);
  const util::Bytes third(7, 3);
  const util::Bytes fourth(22, 4);
  for (const auto& script : {first, second, third, fourth}) set.add(script);
  EXPECT_EQ(util::to_bytes(set[0]), second);
  EXPECT_EQ(util::to_bytes(set[1]), fourth);
  EXPECT_EQ(util::to_bytes(set[2]), first);
  EXPECT_EQ(util::to_bytes(set[3]), third);
  EXPECT_DEATH(static_cast<void>(set[4]), "no script of this index");
}

TEST(ScriptSet, CanBeClearedAndFilledAgain) {
  ScriptSet set;
  for (const std::size_t length : {22U, 23U, 25U, 34U, 5U}) set.add(util::Bytes(length, 1));
  set.clear();
  EXPECT_TRUE(set.empty());
  set.reserve(22, 2);
  set.reserve(5, 2);
  set.add(util::Bytes(5, 2));
  set.add(util::Bytes(22, 3));
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(util::to_bytes(set[0]), util::Bytes(22, 3));
  EXPECT_EQ(util::to_bytes(set[1]), util::Bytes(5, 2));
}

}  // namespace
}  // namespace spv::bip158
