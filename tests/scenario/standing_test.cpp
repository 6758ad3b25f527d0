// On whose word a balance rests, at every moment of a sync (security.md E11), and where a scan begins (P8).
#include <algorithm>

#include "chain/pow.h"
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using Counts = wallet::Attestation::Counts;
using Mode = sync::CrossCheckMode;

class Standing : public SyncScenario {
 protected:
  Standing() {
    options.cross_check = Mode::Full;
    options.spacing = milliseconds(2);
  }
  ChainBuilder story() { return ChainBuilder().blocks(60).pays(receive(0), 5).blocks(38).pays(receive(1), 6); }
  const wallet::ScanState& scan() { return sim().committed().scan; }
};

TEST_F(Standing, E11_BlocksThatTwoPeersGaveAlikeRestOnTwo) {
  add_node(story());
  add_node(story());
  sync();
  EXPECT_EQ(scan().attested.total(), (Counts{.by_two = 100, .whole = 0}));
  EXPECT_EQ(scan().peers, 2U);
  EXPECT_EQ(scan().time, story().tip_block().header.time);
}

TEST_F(Standing, E11_OnePeerAloneIsOneWord) {
  add_node(story());
  sync();
  EXPECT_EQ(scan().attested.total(), Counts{});
  EXPECT_EQ(scan().peers, 1U);
}

TEST_F(Standing, E11_WholeBlocksRestOnThemselves) {
  options.source.mode = sync::SourceMode::Blocks;
  add_node(story());
  sync();
  EXPECT_EQ(scan().attested.total(), (Counts{.by_two = 0, .whole = 100}));
}

TEST_F(Standing, E11_UnderSampleOnlyWhatWasCheckedCounts) {
  options.cross_check = Mode::Sample;
  add_node(story());
  add_node(story());
  sync();
  const auto counts = scan().attested.total();
  EXPECT_EQ(counts.by_two, sim().engine().cross_checked());
  EXPECT_GE(counts.by_two, 2U) << "the blocks that hold something of ours";
  EXPECT_LT(counts.by_two, 50U);
}

TEST_F(Standing, E11_AtEveryCommitItSaysNoMoreThanIsTrue) {
  options.spacing = milliseconds(40);
  add_node(story());
  add_node(story());
  sim().after(seconds(2), [&] { sim().kill(1); });
  std::size_t commits = 0;
  for (std::size_t wanted = 1; sim().run_until_commits(wanted); ++wanted) {
    ++commits;
    const auto counts = scan().attested.total();
    ASSERT_LE(counts.by_two + counts.whole, static_cast<std::uint64_t>(std::max(scan().scanned_to.height, 0)));
    ASSERT_LE(scan().peers, 2U);
    if (!scan().scanned_to.hash.is_zero()) {
      ASSERT_EQ(scan().time, story().header(scan().scanned_to.height).time);
    }
  }
  EXPECT_GT(commits, 3U);
  EXPECT_EQ(difference(), "");
  EXPECT_LT(scan().attested.total().by_two, 100U) << "there was one peer alone at the end";
}

TEST_F(Standing, E11_WhatAReorganisationTakesAwayNoLongerCounts) {
  add_node(story());
  add_node(story());
  sync();
  restart();
  const auto fork = story().at_height(90).salt(3).blocks(15);
  sim().kill(1);
  sim().node(0).fake.set_chain(fork);
  sync();
  EXPECT_EQ(difference(fork), "");
  EXPECT_EQ(scan().attested.total().by_two, 90U) << "the new blocks rest on one peer";
  EXPECT_EQ(scan().peers, 1U);
}

TEST_F(Standing, E11_WhatALiarServedCountsAgainOnlyByOthers) {
  add_node(story()).fake.omit_tx(story().block(61).txids[1]);
  add_node(story());
  add_node(story());
  sync();
  EXPECT_TRUE(dropped(Reason::Omission));
  EXPECT_EQ(difference(), "");
  EXPECT_LE(scan().attested.total().by_two, 100U);
}

TEST_F(Standing, E11_BlocksLookedAtAgainForMoreScriptsCountOnce) {
  options.gap_limit = 2;
  const auto far = ChainBuilder().blocks(30).pays(receive(19), 5).blocks(30).pays(receive(38), 6).blocks(10);
  add_node(far);
  add_node(far);
  sync();
  EXPECT_GT(sim().counters().rescans, 0U);
  EXPECT_EQ(difference(), "");
  EXPECT_LE(scan().attested.total().by_two, 72U);
}

TEST_F(Standing, P8_TheFirstBlockAskedForBeginsAPeriod) {
  options.birthday = chain::scan_start(chain::params(chain::Network::Main), 2'500);
  options.spacing = std::chrono::microseconds(20);
  const auto& node = add_node(ChainBuilder().blocks(2'510));
  sync();
  ASSERT_FALSE(node.fake.seen.filtered_blocks.empty());
  EXPECT_EQ(node.fake.seen.filtered_blocks.begin()->first % 2'016, 0);
  EXPECT_EQ(node.fake.seen.filtered_blocks.begin()->first, 2'016);
}

}  // namespace
}  // namespace spv::test
