#include "wallet/script_list.h"

#include <gtest/gtest.h>

#include "util/rng.h"
#include "wallet/records.h"

namespace spv::wallet {
namespace {

util::Bytes script_of(std::size_t length, std::uint8_t fill) { return util::Bytes(length, fill); }

ScriptList list_of(const std::vector<util::Bytes>& scripts) {
  ScriptList list;
  for (const auto& script : scripts) list.push_back(script);
  return list;
}

std::vector<util::Bytes> scripts_in(const ScriptList& list) {
  std::vector<util::Bytes> out;
  for (std::size_t place = 0; place < list.size(); ++place) out.push_back(util::to_bytes(list[place]));
  return out;
}

TEST(ScriptList, GivesWhatWasAddedWhateverItsLength) {
  const std::vector<std::vector<util::Bytes>> samples = {
      {},
      {script_of(22, 1), script_of(22, 2), script_of(22, 3)},
      {script_of(22, 1), script_of(34, 2), script_of(0, 0), script_of(22, 3)},
      {script_of(0, 0), script_of(22, 1)},
      {script_of(0, 0), script_of(0, 0)},
      {script_of(22, 1), script_of(0, 0), script_of(22, 1)},
      {script_of(10'000, 1)},
  };
  for (const auto& scripts : samples) {
    const ScriptList list = list_of(scripts);
    EXPECT_EQ(scripts_in(list), scripts);
    ScriptList stored;
    EXPECT_TRUE(stored.append_encoded(list.encode(), scripts.size()));
    EXPECT_EQ(stored, list);
    for (std::size_t count = 0; count <= scripts.size(); ++count) {
      ScriptList head = list;
      head.truncate(count);
      EXPECT_EQ(head.size(), count);
      head.append(list.from(count));
      EXPECT_EQ(head, list) << count;
    }
  }
}

TEST(ScriptList, BehavesLikeAListOfByteStrings) {
  util::Rng rng(std::uint64_t{7});
  for (int round = 0; round < 200; ++round) {
    std::vector<util::Bytes> model;
    ScriptList list;
    for (int step = 0; step < 40; ++step) {
      const bool even = round % 2 == 0;
      if (rng.below(8) == 0) {
        const std::size_t count = rng.below(model.size() + 2);
        model.resize(std::min(count, model.size()));
        list.truncate(count);
      } else {
        model.push_back(rng.bytes(even ? 22 : rng.below(40)));
        list.push_back(model.back());
      }
      ASSERT_EQ(scripts_in(list), model);
    }
  }
}

TEST(ScriptList, ListsDifferByLengthAndByContent) {
  EXPECT_NE(list_of({script_of(2, 1)}), list_of({script_of(1, 1), script_of(1, 1)}));
  EXPECT_NE(list_of({script_of(2, 1)}), list_of({script_of(2, 2)}));
  EXPECT_NE(list_of({script_of(2, 1)}), list_of({}));
}

TEST(ScriptList, RefusesWhatIsNotStoredScriptsAndKeepsWhatItHad) {
  const ScriptList before = list_of({script_of(22, 1), script_of(22, 2)});
  const util::Bytes good = list_of({script_of(22, 3), script_of(5, 4)}).encode();
  std::vector<util::Bytes> bad;
  for (std::size_t size = 1; size < good.size(); ++size) {
    if (size != 23) bad.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
  }
  bad.push_back({0xFD, 5, 0, 1, 2, 3, 4, 5});                             // a length in more bytes than it needs
  bad.push_back(list_of({script_of(10'001, 1)}).encode());                // longer than any script
  bad.push_back({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});  // no such length
  for (const auto& bytes : bad) {
    ScriptList list = before;
    EXPECT_FALSE(list.append_encoded(bytes, 100));
    EXPECT_EQ(list, before);
  }
  ScriptList list = before;
  EXPECT_FALSE(list.append_encoded(good, 1)) << "more than were asked for";
  EXPECT_EQ(list, before);
  EXPECT_TRUE(list.append_encoded(good, 2));
  EXPECT_EQ(list.size(), 4U);
}

TEST(Changes, ScriptsOfLaterStepsFollowThoseOfEarlierOnes) {
  Changes changes;
  changes.scripts = {{.chain = 0, .first = 50, .scripts = list_of({script_of(22, 1)})}};
  EXPECT_FALSE(changes.empty());
  Changes later;
  later.scripts = {{.chain = 1, .first = 9, .scripts = list_of({script_of(22, 2)})},
                   {.chain = 0, .first = 51, .scripts = list_of({script_of(22, 3), script_of(22, 4)})}};
  changes.merge(later);
  const std::vector<ChainScripts> expected = {
      {.chain = 0, .first = 50, .scripts = list_of({script_of(22, 1), script_of(22, 3), script_of(22, 4)})},
      {.chain = 1, .first = 9, .scripts = list_of({script_of(22, 2)})}};
  EXPECT_EQ(changes.scripts, expected);
}

}  // namespace
}  // namespace spv::wallet
