#include "wallet/script_table.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "util/rng.h"

namespace spv::wallet {
namespace {

std::set<KeyId> places_of(const ScriptTable& table, util::ByteView script) {
  std::set<KeyId> out;
  table.find(script, [&](const KeyId& id) { EXPECT_TRUE(out.insert(id).second) << "each once"; });
  return out;
}

TEST(ScriptTable, FindsWhatAPlainMapFinds) {
  util::Rng rng(std::uint64_t{3});
  for (int round = 0; round < 30; ++round) {
    const std::size_t chains = 1 + rng.below(4);
    std::map<util::Bytes, std::set<KeyId>> model;
    std::vector<ScriptList> given(chains);
    std::vector<std::uint32_t> sizes(chains);
    const auto note = [&](std::size_t chain, const util::Bytes& script) {
      if (!script.empty()) model[script].insert({chain, sizes[chain]});
      ++sizes[chain];
    };
    // Few values, so that many are there more than once.
    const auto any_script = [&] { return util::Bytes(rng.below(4), static_cast<std::uint8_t>(rng.below(20))); };
    for (std::size_t i = rng.below(50); i > 0; --i) {
      const std::size_t chain = rng.below(chains);
      const auto script = any_script();
      given[chain].push_back(script);
      note(chain, script);
    }
    ScriptTable table(given);
    for (int i = 0; i < 200; ++i) {
      const std::size_t chain = rng.below(chains);
      const auto script = any_script();
      if (rng.below(10) == 0) table.reserve(chain, table.of(chain).size() + rng.below(30));
      table.add(chain, script);
      note(chain, script);
    }
    EXPECT_TRUE(table.has_repeats());
    for (const auto& [script, places] : model) EXPECT_EQ(places_of(table, script), places);
    EXPECT_TRUE(places_of(table, util::Bytes(7, 1)).empty());
    EXPECT_TRUE(places_of(table, {}).empty()) << "an index without key is nobody's script";
  }
}

TEST(ScriptTable, OneOfEachHasNoRepeats) {
  ScriptTable table(std::vector<ScriptList>(2));
  util::Rng rng(std::uint64_t{3});
  std::vector<util::Bytes> scripts;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    scripts.push_back(rng.bytes(22));
    table.add(i % 2, scripts.back());
  }
  EXPECT_FALSE(table.has_repeats());
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    EXPECT_EQ(places_of(table, scripts[i]), (std::set<KeyId>{{i % 2, i / 2}}));
  }
}

}  // namespace
}  // namespace spv::wallet
