// What hostile, dead and slow peers cost: at most a tenth of a sync's time, and nothing that was verified.
#include <functional>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class Delay : public SyncScenario {
 protected:
  Delay() {
    options.spacing = milliseconds(50);
    options.min_latency = options.max_latency = milliseconds(150);
  }
  static const ChainBuilder& story() {
    static const ChainBuilder chain = ChainBuilder().blocks(5'000);
    return chain;
  }
  /// How long a sync takes, of so many honest nodes and one that `spoil` has spoiled.
  util::Duration time(int honest, const std::function<void(SimulatedNode&)>& spoil = {}) {
    start_anew(7);
    // The spoiled one is known first, and so is the first to be asked.
    if (spoil) spoil(add_node(story()));
    for (int i = 0; i < honest; ++i) add_node(story());
    sync();
    EXPECT_EQ(difference(story()), "");
    return sim().elapsed();
  }
  static double ratio(util::Duration a, util::Duration b) {
    return static_cast<double>(a.count()) / static_cast<double>(b.count());
  }
};

TEST_F(Delay, R14_OneOfEightThatIsDeadOrHostileDelaysASyncByAtMostATenth) {
  const auto plain = time(7);
  const auto with = [&](const char* name, const std::function<void(SimulatedNode&)>& spoil) {
    const double cost = ratio(time(7, spoil), plain);
    RecordProperty(name, std::to_string(cost));
    EXPECT_LE(cost, 1.10) << name;
  };
  with("Unreachable", [](SimulatedNode& node) { node.reachable = false; });
  with("StallsMidBlocks", [](SimulatedNode& node) { node.fake.add_fault(faults::stall_after(100)); });
  with("ForgesProofs", [](SimulatedNode& node) { node.fake.add_fault(faults::forged_proof()); });
  with("HangsUp", [](SimulatedNode& node) { node.fake.add_fault(faults::hang_up_at(150)); });
  with("Trickles", [](SimulatedNode& node) { node.pause = seconds(1); });
  with("NeverPongs", [](SimulatedNode& node) { node.fake.add_fault(faults::no_pong()); });
}

TEST_F(Delay, E1_HoweverManyOfEightStallTheRestFinishesWithinTenSecondsEach) {
  const auto chain = ChainBuilder().blocks(1'500).pays(receive(0), 5).blocks(10);
  for (int stalled = 1; stalled <= 7; ++stalled) {
    start_anew(7);
    for (int i = stalled; i < 8; ++i) add_node(chain);
    sync();
    const auto honest_alone = sim().elapsed();
    start_anew(7);
    for (int i = 0; i < stalled; ++i) {
      add_node(chain).fake.add_fault(i % 2 == 0 ? faults::stall_after(20 * i) : faults::stall_after_headers(1));
    }
    for (int i = stalled; i < 8; ++i) add_node(chain);
    sync();
    EXPECT_EQ(difference(chain), "");
    EXPECT_LE(sim().elapsed(), honest_alone + stalled * seconds(10)) << stalled << " stalled";
  }
}

// The one fast peer alone sets the pace: what the slow ones sit on is taken from them.
TEST_F(Delay, E2_SevenThatTrickleAndOneThatIsQuickTakeLittleLongerThanTheQuickOneAlone) {
  const auto alone = time(1);
  start_anew(7);
  for (int i = 0; i < 7; ++i) {
    auto& slow = add_node(story());
    // Once they have told their headers: one block in nine seconds, just below what is left as stalled.
    sim().after(seconds(1), [&slow] { slow.pause = seconds(9); });
  }
  add_node(story());
  sync();
  EXPECT_EQ(difference(story()), "");
  RecordProperty("Ratio", std::to_string(ratio(sim().elapsed(), alone)));
  EXPECT_LE(ratio(sim().elapsed(), alone), 1.5);
}

TEST_F(Delay, E2_TheSlowestIsReplacedWhereOthersAreKnown) {
  p2p::AddressBook book;
  util::Rng rng(1);
  options.book = &book;
  options.wanted = 2;
  for (std::size_t i = 0; i < 3; ++i) {
    add_node(story());
    if (i < 2)
      book.add(Simulation::address_of(i), FakeNode::kDefaultServices, p2p::Origin::Seed, "seed", 1'700'000'000, rng);
  }
  sim().after(seconds(2), [&] {
    sim().node(0).pause = seconds(5);
    book.add(Simulation::address_of(2), FakeNode::kDefaultServices, p2p::Origin::Seed, "other", 1'700'000'000, rng);
  });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::Stalled));
  EXPECT_GT(sim().node(2).fake.seen.filtered_blocks_asked(), 500);
}

TEST_F(Delay, WhatWasVerifiedIsNeverScannedAgain) {
  add_node(story());
  add_node(story());
  chain::Height verified = 0;
  for (int second = 2; second < 12; second += 2) {
    sim().run_for(seconds(2));
    verified = sim().committed().scan.scanned_to.height;
    sim().node(0).fake.seen.filtered_blocks.clear();
    sim().node(1).fake.seen.filtered_blocks.clear();
    // Network off and on, as both ends see it, or the client killed.
    if (second % 4 == 0) {
      restart();
    } else {
      sim().cut(0);
      sim().cut(1);
    }
    sim().run_for(seconds(3));
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& asked = sim().node(i).fake.seen.filtered_blocks;
      if (!asked.empty()) {
        EXPECT_GT(asked.begin()->first, verified);
      }
    }
  }
  EXPECT_GT(verified, 200);
  sync();
  EXPECT_EQ(difference(), "");
}

}  // namespace
}  // namespace spv::test
