// A wallet that one filter cannot hold is scanned slice by slice (sync/filter_slices): it must end as any other does.
#include <algorithm>
#include <functional>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

class Slices : public SyncScenario {
 protected:
  static constexpr int kSlices = 7;  // for the 400 scripts of a gap limit of 20
  Slices() { options.source = {.mode = sync::SourceMode::Filter, .most_elements = 60}; }

  /// Pays to so many scripts at once that every slice has some of them.
  chain::Transaction pays_every_slice(std::uint64_t id) {
    TxBuilder tx(id);
    for (std::uint32_t i = 0; i < 20; ++i) tx.pays(receive(i), 100).pays(change(i), 10);
    return tx.build();
  }
  /// Scripts of the wallet that are looked for in the first and in the last pass.
  std::pair<util::Bytes, util::Bytes> scripts_of_first_and_last_pass() {
    auto& node = add_node(ChainBuilder().blocks(100));
    sync();
    const auto& filters = node.fake.seen.filter_loads;  // of everything, of each slice, of everything
    const auto in = [&](std::size_t pass) {
      std::uint32_t i = 0;
      while (!filters.at(1 + pass).contains(util::ByteView(receive(i)).subspan(2))) ++i;
      return receive(i);
    };
    return {in(0), in(kSlices - 1)};
  }
  /// Spends all of it, without change.
  static chain::Transaction spends_all_of(const chain::Transaction& tx, std::uint64_t id) {
    TxBuilder spend(id);
    for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) spend.spends(outpoint(tx, i));
    return spend.pays(stranger(), 1).build();
  }
};

TEST_F(Slices, EveryBlockIsAskedForOnceASliceAndEachFilterHoldsItsPart) {
  auto& node = add_node(ChainBuilder().blocks(100).pays(receive(3), 1'000).blocks(100).pays(change(5), 20).blocks(100));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(balance().confirmed, 1'020);
  EXPECT_TRUE(each_asked(node.fake, 1, 302, kSlices));
  EXPECT_EQ(sim().counters().answers, 302U * kSlices);
  EXPECT_EQ(sim().counters().merkleblocks, 302U) << "each block counts once";
  EXPECT_EQ(sim().counters().transactions, 302U + 2) << "each block counts once";
  EXPECT_EQ(sim().counters().relevant, 2U);
}

TEST_F(Slices, ACoinIsFollowedWithinTheStretchInWhichItCame) {
  const auto payment = pays_every_slice(1);
  const auto spend = spends_all_of(payment, 2);
  const auto again = pays_every_slice(3);
  const auto at_once = spends_all_of(again, 4);
  add_node(ChainBuilder().blocks(50).block({payment}).blocks(150).block({spend}).blocks(20).block({again, at_once}));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(balance().total(), 0);
  EXPECT_EQ(sim().wallet().history().size(), 4U);
}

// Each pass proves what it found by a tree of its own.
TEST_F(Slices, EveryTransactionIsKeptWithAProofOfItself) {
  std::vector<chain::Transaction> payments;
  for (std::uint32_t i = 0; i < 12; ++i) payments.push_back(TxBuilder(i).pays(receive(i), 100).build());
  add_node(ChainBuilder().blocks(20).block(payments).blocks(40));
  sync();
  for (const auto& payment : payments) {
    const auto* record = sim().wallet().find(payment.txid());
    ASSERT_NE(record, nullptr);
    const auto proof = p2p::decode_payload("merkleblock", record->proof);
    ASSERT_TRUE(proof);
    const auto matches = bip37::extract_matches(std::get<p2p::MerkleBlock>(*proof).tree).value().matches;
    EXPECT_TRUE(std::ranges::any_of(matches, [&](const auto& match) { return match.txid == payment.txid(); }));
  }
}

// What lies above a cut is asked for in vain, so the next stretch is no longer than the last one turned out to be.
TEST_F(Slices, WhereCoinsAreManyStretchesAreShort) {
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 300; ++i) chain.pays(receive(i % 20), 1).blocks(4);
  add_node(chain);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_LT(sim().counters().answers, 1'500U * (kSlices + 2) * 2);
}

TEST_F(Slices, ACoinIsFollowedFromOneStretchToTheNext) {
  const auto payment = TxBuilder(1).pays(receive(7), 100).build();
  add_node(ChainBuilder().blocks(100).block({payment}).blocks(4'000).block({spends_all_of(payment, 2)}).blocks(600));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(sim().counters().answers, 4'702U * kSlices);
}

// The filter of a pass is made anew, here for payments on their way, and must hold the coins that the pass has found.
TEST_F(Slices, AFilterThatIsRenewedInTheMidstOfAPassHoldsItsCoins) {
  options.follow = true;
  options.fp_rate = 0.01;  // so that few blocks are under way
  std::vector<chain::Transaction> payments;
  std::vector<chain::Transaction> spends;
  for (std::uint32_t i = 0; i < 12; ++i) {
    payments.push_back(TxBuilder(i).pays(receive(i), 100).build());
    spends.push_back(spends_all_of(payments.back(), 50 + i));
  }
  add_node(ChainBuilder().blocks(5).block(payments).blocks(60).block(spends).blocks(5));
  for (std::uint64_t i = 0; i < 75; ++i) {
    sim().after(milliseconds(400 * static_cast<std::int64_t>(i)),
                [this, i] { sim().node(0).fake.add_to_mempool(pays_every_slice(100 + i)); });
  }
  sync();
  for (const auto& spend : spends) EXPECT_EQ(status(spend), wallet::TxStatus::Confirmed);
  EXPECT_EQ(balance().confirmed, 0);
}

TEST_F(Slices, WhatIsOnItsWayIsAskedForAgainUnderAFilterThatHoldsEverything) {
  options.mempool_wait = seconds(3);
  options.spacing = milliseconds(2);
  add_node(ChainBuilder().blocks(300));
  for (std::uint32_t i = 0; i < 14; ++i) {
    sim().after(milliseconds(300 + 250 * static_cast<std::int64_t>(i)),
                [this, i] { sim().node(0).fake.add_to_mempool(TxBuilder(i).pays(receive(i), 1'000).build()); });
  }
  sync();
  EXPECT_EQ(balance().unconfirmed, 14'000);
}

// What an earlier pass found above the fork must not count as a block of the new branch.
TEST_F(Slices, AReorganisationInTheMidstOfAStretchForgetsWhatWaits) {
  options.fp_rate = 0.01;  // few blocks under way
  options.spacing = milliseconds(2);
  ChainBuilder chain;
  chain.blocks(60).block({pays_every_slice(1)}).blocks(10);
  auto fork = chain.at_height(50).salt(5);
  fork.blocks(40);
  bool found = false;
  for (int delay = 3'000; delay <= 24'000; delay += 1'500) {
    start_anew(static_cast<std::uint64_t>(delay));
    auto& node = add_node(chain);
    bool changed = false;
    sim().after(milliseconds(delay), [&] {
      changed = sim().running() && !sim().finished();
      found = found || (changed && sim().engine().scan_counters().answers > 75);
      sim().set_chain(0, fork);
    });
    sync();
    sync();
    ASSERT_EQ(difference(node.fake.chain()), "") << delay;
  }
  EXPECT_TRUE(found) << "at least one came in the midst of a later pass";
}

TEST_F(Slices, ARestartInTheMidstOfAStretchBeginsItAgainAndNothingIsHalfTold) {
  options.spacing = milliseconds(2);
  const auto payment = pays_every_slice(1);
  auto& node = add_node(ChainBuilder().blocks(50).block({payment}).blocks(50).block({spends_all_of(payment, 2)}));
  sim().run_for(milliseconds(1'200));  // some passes are done, not all
  ASSERT_GT(node.fake.seen.filtered_blocks_asked(), 200);
  EXPECT_FALSE(sim().finished());
  EXPECT_EQ(sim().committed_wallet().balance().total(), 0) << "no half of it";
  restart();
  sync();
  EXPECT_EQ(difference(), "");
}

// What one peer served under a slice cannot be compared with what another serves under a filter of everything.
TEST_F(Slices, APeerThatComesLaterIsNotHeldAgainstTheFirst) {
  options.cross_check = sync::CrossCheckMode::Full;
  options.follow = true;
  options.source.most_elements = 300;
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 8; ++i) chain.blocks(5).pays(receive(i), 1);
  add_node(chain.blocks(20));
  add_node(chain).reachable = false;
  sync();
  sim().node(1).reachable = true;
  sim().run_for(std::chrono::minutes(10));
  EXPECT_EQ(sim().open_connections(), 2U);
  EXPECT_FALSE(dropped(Reason::Omission));
  EXPECT_EQ(difference(), "");
}

// Filters of two peers differ by what each has let pass, and by that one may match what is another slice's.
TEST_F(Slices, WhatMatchesByChanceIsHeldAgainstNobody) {
  options.cross_check = sync::CrossCheckMode::Full;
  options.fp_rate = 0.1;
  util::Rng rng(1);
  ChainBuilder chain;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<chain::Transaction> txs;
    for (int j = 0; j < 10; ++j) txs.push_back(TxBuilder(rng.next()).pays(p2wpkh(rng.bytes(20)), 1).build());
    if (i % 20 == 19) txs.push_back(TxBuilder(rng.next()).pays(receive(static_cast<std::uint32_t>(i / 20)), 5).build());
    chain.block(std::move(txs));
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start_anew(seed);
    add_node(chain);
    add_node(chain);
    sync();
    ASSERT_EQ(difference(), "");
    ASSERT_EQ(sim().engine().cross_checked(), 300U);
    ASSERT_FALSE(dropped(Reason::Omission)) << seed;
  }
}

TEST_F(Slices, AtTheTipABlockIsScannedOnceUnderAFilterOfEverything) {
  options.follow = true;
  auto& node = add_node(ChainBuilder().blocks(300));
  sync();
  const auto before = node.fake.seen.filtered_blocks_asked();
  const auto payment = pays_every_slice(1);
  sim().mine(0, {payment});
  sim().run_for(seconds(5));
  EXPECT_EQ(node.fake.seen.filtered_blocks_asked(), before + 1);
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(balance().confirmed, 20 * 110);
}

TEST_F(Slices, WhereWholeBlocksMayBeTakenThereAreNone) {
  options.source.mode = sync::SourceMode::Auto;
  options.source.max_download = 1'000'000'000;
  auto& node = add_node(ChainBuilder().blocks(100).pays(receive(3), 1'000).blocks(300));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_LT(node.fake.seen.filtered_blocks_asked() + static_cast<int>(node.fake.seen.whole_blocks.size()), 500);
}

// The limit is passed on the way: the rest is scanned by slices.
TEST_F(Slices, TakeOverWhereNoMoreWholeBlocksMayBeTaken) {
  options.source.mode = sync::SourceMode::Auto;
  options.source.max_download = p2p::kMaxPayloadBytes;
  ChainBuilder chain;
  for (std::uint64_t i = 0; i < 20; ++i) chain.blocks(30).block({pays_every_slice(i)});
  auto& node = add_node(chain);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(node.fake.seen.whole_blocks.empty());
  EXPECT_GT(node.fake.seen.filtered_blocks_asked(), 1'000);
}

TEST_F(Slices, AnIndexFarAheadInOneSliceWidensTheSearchForAll) {
  options.gap_limit = 2;
  options.source.most_elements = 10;
  for (std::uint32_t index = 12; index < 20; ++index) {  // in whatever slice
    start_anew(index);
    add_node(ChainBuilder().blocks(20).pays(receive(index + 3), 7).blocks(20).pays(receive(index), 5).blocks(20));
    sync();
    ASSERT_EQ(difference(), "") << index;
  }
}

TEST_F(Slices, SeveralPeersShareAPassAndOneThatStallsCostsNothing) {
  const auto payment = pays_every_slice(1);
  const auto chain =
      ChainBuilder().blocks(100).block({payment}).blocks(200).block({spends_all_of(payment, 2)}).blocks(300);
  add_node(chain);
  add_node(chain);
  add_node(chain).fake.add_fault(faults::stall_after(100));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_GT(sim().node(0).fake.seen.filtered_blocks_asked(), 300);
  EXPECT_GT(sim().node(1).fake.seen.filtered_blocks_asked(), 300);
}

// The wallet outgrows its filter on the way: what is under way is put back by coins, and still must come.
TEST_F(Slices, AWalletThatOutgrowsItsFilterIsScannedOnInSlices) {
  options.source.most_elements = 405;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start_anew(seed);
    options.spacing = milliseconds(1 + static_cast<std::int64_t>(seed));
    ChainBuilder chain;
    for (std::uint32_t i = 0; i < 60; ++i) chain.blocks(10).pays(receive(i % 20), 1);
    chain.blocks(300);
    add_node(chain);
    add_node(chain);
    auto& third = add_node(chain);
    third.fake.add_fault(faults::hang_up_at(static_cast<int>(30 * seed)));
    sync();
    ASSERT_EQ(difference(), "") << seed;
  }
}

TEST_F(Slices, PeersWithoutFiltersDoNotHoldUpAStretch) {
  options.source.mode = sync::SourceMode::Auto;
  options.source.max_download = p2p::kMaxPayloadBytes;  // spent by the first whole block
  const auto chain = ChainBuilder().blocks(100).block({pays_every_slice(1)}).blocks(300);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start_anew(seed);
    add_node(chain, p2p::services::kNetwork | p2p::services::kWitness);
    add_node(chain);
    add_node(chain, p2p::services::kNetwork | p2p::services::kWitness);
    add_node(chain).fake.add_fault(faults::hang_up_at(100));
    sync();
    ASSERT_EQ(difference(), "") << seed;
    ASSERT_LT(sim().elapsed(), seconds(60));
  }
}

// A block at the tip changes under two honest peers whose answers are being compared: what one of them served under the
// last slice must not be held against what the other serves under a filter of everything.
TEST_F(Slices, AReorganisationLeavesNoCheckOfASliceBehind) {
  options.cross_check = sync::CrossCheckMode::Full;
  options.source.most_elements = 300;  // two slices
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 12; ++i) chain.blocks(15).pays(receive(i), 1).pays(change(i), 1);
  auto fork = chain.at_height(chain.height() - 1).salt(3);
  fork.blocks(3);
  bool found = false;
  for (int delay = 1'000; delay <= 12'000; delay += 500) {
    start_anew(static_cast<std::uint64_t>(delay));
    add_node(chain);
    add_node(chain).pause = milliseconds(20);  // so that checks wait
    sim().after(milliseconds(delay), [&] {
      found = found || (sim().running() && !sim().finished() && sim().wallet().scan().scanned_to.height > 0);
      for (std::size_t i = 0; i < 2; ++i) sim().set_chain(i, fork);
    });
    sync();
    ASSERT_FALSE(dropped(Reason::Omission)) << delay;
    sync();
    ASSERT_EQ(difference(sim().node(0).fake.chain()), "") << delay;
  }
  EXPECT_TRUE(found) << "at least one came in the midst of the last pass";
}

// Once something of ours is found in a block, every slice's answer about it is looked at twice.
TEST_F(Slices, E6_UnderSampleABlockOfOursIsCheckedInTheSlicesThatFindNothingInItToo) {
  options.cross_check = sync::CrossCheckMode::Sample;
  const auto [first, last] = scripts_of_first_and_last_pass();
  const auto payment = TxBuilder(1).pays(first, 5).build();
  const auto hidden = TxBuilder(2).pays(last, 7).build();
  const auto chain = ChainBuilder().blocks(100).block({payment, hidden}).blocks(100);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start_anew(seed);
    add_node(chain);
    add_node(chain).fake.omit_tx(hidden.txid());
    sync();
    ASSERT_EQ(difference(), "") << seed;
    ASSERT_TRUE(dropped(Reason::Omission)) << seed;
  }
}

// A faulty node leaves a payment out once. What another pass proves of it counts, and with it all its coins: that of
// the slice which did not hear of it must be looked for too.
TEST_F(Slices, ACoinThatItsOwnPassDidNotHearOfIsFollowedAllTheSame) {
  const auto [first, last] = scripts_of_first_and_last_pass();
  start_anew(2);
  const auto payment = TxBuilder(1).pays(first, 100).pays(last, 100).build();
  const auto spend = TxBuilder(2).spends(outpoint(payment, 0)).pays(stranger(), 1).build();
  auto& node = add_node(ChainBuilder().blocks(100).block({payment}).blocks(100).block({spend}).blocks(20));
  node.fake.omit_tx(payment.txid());
  const std::function<void()> mend_after_first_pass = [&] {
    if (node.fake.seen.filtered_blocks.contains(101)) return node.fake.clear_faults();
    sim().after(milliseconds(1), mend_after_first_pass);
  };
  mend_after_first_pass();
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(balance().confirmed, 100);
}

// Beyond the local network, where no more whole blocks may be taken, it can serve nothing.
TEST_F(Slices, APeerWithoutFiltersDoesNotUndoWhatOthersHaveServed) {
  options.source.mode = sync::SourceMode::Auto;
  options.source.max_download = p2p::kMaxPayloadBytes - 1;  // less than one whole block may take
  options.spacing = milliseconds(2);
  options.follow = true;
  auto& node = add_node(ChainBuilder().blocks(300).block({pays_every_slice(1)}));
  auto& other = add_node(node.fake.chain(), p2p::services::kNetwork | p2p::services::kWitness);
  other.reachable = false;
  sim().after(seconds(3), [&] {
    other.reachable = true;
    sim().kill(0);
  });
  sim().after(seconds(30), [&] { node.reachable = true; });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::NoBloomFilters));
  EXPECT_LT(node.fake.seen.filtered_blocks_asked(), 301 * (kSlices + 1));
}

// Who follows the tip and scans again hears of what was told under other slices meanwhile.
TEST_F(Slices, WhatIsOnItsWayIsAskedForAgainAfterARescanAtTheTip) {
  options.mempool_wait = seconds(3);
  options.follow = true;
  options.gap_limit = 2;
  options.source.most_elements = 10;
  options.spacing = milliseconds(20);
  add_node(ChainBuilder().blocks(200));
  sync();
  sim().mine(0, {TxBuilder(1).pays(receive(19), 1).build()});  // widens the search: all is scanned again
  for (std::uint32_t i = 0; i < 18; ++i) {
    sim().after(seconds(1 + i),
                [this, i] { sim().node(0).fake.add_to_mempool(TxBuilder(100 + i).pays(receive(i), 1'000).build()); });
  }
  sim().run_for(seconds(120));
  EXPECT_EQ(balance().unconfirmed, 18'000);
}

}  // namespace
}  // namespace spv::test
