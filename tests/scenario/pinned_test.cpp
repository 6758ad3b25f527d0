// Behaviour is pinned: for every seed listed in pinned_actions.txt, all that the engine orders and commits, in order,
// has the hash that stands there. A refactoring changes none of them; a change of behaviour lists them anew with
//   SPV_UPDATE_PINNED=1 spv_scenario_tests --gtest_filter='Pinned*'
// and says why in its commit.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/scenario/random_life.h"
#include "util/hex.h"

namespace spv::test {
namespace {

constexpr std::uint64_t kSeeds = 200;
constexpr std::size_t kDigits = 16;  // of a hash: enough to see any change

std::string pinned_path() { return SPV_SOURCE_DIR "/tests/scenario/pinned_actions.txt"; }

RandomScene scene_of(const std::string& name, std::uint64_t seed) {
  RandomScene scene{.seed = seed, .group = false};
  if (name == "slices") scene.slices = true;
  if (name == "filter") scene.source = sync::SourceMode::Filter;
  if (name == "blocks") scene.source = sync::SourceMode::Blocks;
  if (name == "auto") scene.source = sync::SourceMode::Auto;
  if (name == "group") scene.group = true;  // by the seed filtered, whole or both
  return scene;
}

/// "<scene> <seed> <what it ordered> <what it committed>"
std::string line_of(const std::string& name, std::uint64_t seed) {
  const auto outcome = run_random(scene_of(name, seed));
  const auto digits = [](const util::Hash256& hash) { return util::to_hex(hash.view()).substr(0, kDigits); };
  std::ostringstream line;
  line << name << ' ' << seed << ' ' << digits(outcome.digest.actions()) << ' ' << digits(outcome.digest.commits());
  return line.str();
}

std::vector<std::string> pinned_lines(const std::string& name) {
  std::ifstream file(pinned_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ' ')) lines.push_back(line);
  }
  return lines;
}

class PinnedActions : public testing::TestWithParam<const char*> {};

TEST_P(PinnedActions, AreTheSameForEverySeed) {
  const std::string name = GetParam();
  std::vector<std::string> now;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) now.push_back(line_of(name, seed));
  if (std::getenv("SPV_UPDATE_PINNED") != nullptr) {
    std::ofstream file(pinned_path(), std::ios::app);
    for (const auto& line : now) file << line << '\n';
    GTEST_SKIP() << "written to " << pinned_path() << " (delete its old lines first)";
  }
  const auto pinned = pinned_lines(name);
  ASSERT_EQ(pinned.size(), kSeeds);
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], pinned[i]);
}

INSTANTIATE_TEST_SUITE_P(Pinned, PinnedActions, testing::Values("filter", "blocks", "auto", "slices", "group"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace spv::test
