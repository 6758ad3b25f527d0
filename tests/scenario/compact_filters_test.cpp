// Syncs by compact filters (BIP157/158): the same wallet as by the other sources, blocks fetched only where a filter
// matches, and every lie about filters found out or of no effect.
#include <functional>
#include <ostream>

#include "tests/scenario/sync_scenario.h"
#include "tests/support/filter_faults.h"

namespace spv::test {
namespace {

using Source = sync::SourceMode;
using Reason = sync::DisconnectReason;
constexpr std::uint64_t kPlain = p2p::services::kNetwork | p2p::services::kWitness;
constexpr std::uint64_t kCompact = kPlain | p2p::services::kCompactFilters;

class CompactFilters : public SyncScenario {
 protected:
  CompactFilters() { options.source.mode = Source::Compact; }

  ChainBuilder story() {
    const auto first = TxBuilder(1).pays(receive(0), 10'000).build();
    const auto second = TxBuilder(2).pays(receive(1), 20'000).build();
    const auto with_change = TxBuilder(3).spends(first).pays(stranger(), 4'000).pays(change(0), 5'000).build();
    const auto without = TxBuilder(4).spends(second).witness(util::Bytes(64, 1)).pays(stranger(), 19'000).build();
    return ChainBuilder().block({first, second}).blocks(5).block({with_change}).blocks(40).block({without}).blocks(20);
  }
  static std::size_t filters_served(const FakeNode& node) { return node.seen.filters.size(); }
};

TEST_F(CompactFilters, FindAllAndFetchOnlyTheBlocksThatMatch) {
  auto& node = add_node(story(), kCompact);
  sync();
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(node.fake.seen.filter_loads.empty());
  EXPECT_EQ(node.fake.seen.filtered_blocks_asked(), 0);
  for (chain::Height height = 1; height <= 68; ++height) {
    EXPECT_EQ(node.fake.seen.filters[height], 1) << height;
    EXPECT_EQ(node.fake.seen.whole_blocks.contains(height), height == 1 || height == 7 || height == 48) << height;
  }
  EXPECT_EQ(sim().counters().compact_filters, 65U);
  EXPECT_EQ(sim().counters().blocks, 3U);
}

TEST_F(CompactFilters, OfSeveralPeersAreSharedAndComparedBeforeTheEnd) {
  auto chain = story();
  chain.blocks(3'000).pays(receive(7), 77).blocks(1'500);
  for (int i = 0; i < 3; ++i) add_node(chain, kCompact);
  sync();
  EXPECT_EQ(difference(), "");
  std::size_t served = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    served += filters_served(sim().node(i).fake);
    EXPECT_GE(sim().node(i).fake.seen.filter_header_requests, 3U) << i;
  }
  EXPECT_GE(served, static_cast<std::size_t>(chain.height()));
  EXPECT_EQ(sim().engine().cross_checked(), sim().counters().compact_filters);
}

TEST_F(CompactFilters, BeginAtTheBirthday) {
  options.birthday = 40;
  auto& node = add_node(story(), kCompact);
  sync();
  EXPECT_TRUE(node.fake.seen.filters.contains(40));
  EXPECT_FALSE(node.fake.seen.filters.contains(39));
}

TEST_F(CompactFilters, ThatComeAboveABlockWhichWidensTheGapAreMatchedAgain) {
  options.gap_limit = 3;
  ChainBuilder chain;
  for (std::uint32_t i = 0; i < 40; ++i) chain.pays(receive(39 - i), 1'000).blocks(static_cast<int>(i % 3));
  for (std::uint32_t i = 0; i < 40; ++i) chain.pays(receive(i), 500).blocks(static_cast<int>(i % 2));
  add_node(chain, kCompact);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_GT(sim().counters().rescans, 0U);
}

TEST_F(CompactFilters, AreNotAskedForOfWhoOffersNone) {
  add_node(story(), kPlain).fake.services = kPlain;
  sync_fails(sync::Failure::Code::NoCompactPeers);
  EXPECT_TRUE(dropped(Reason::NoCompactFilters));
}

// A double spend that pays someone else has nothing of ours in its filter.
TEST_F(CompactFilters, ABlockWhileAPaymentOfOthersWaitsIsLookedThrough) {
  options.follow = true;
  options.mempool_wait = seconds(5);
  auto& node = add_node(story(), kCompact | p2p::services::kBloom);
  sync();
  const auto payment = TxBuilder(50).pays(receive(4), 700).build();
  node.fake.add_to_mempool(payment);
  sim().run_for(seconds(30));
  ASSERT_EQ(balance().unconfirmed, 700);
  TxBuilder rival(51);
  node.fake.remove_from_mempool(payment.txid());
  sim().mine(0, {rival.spends(payment.inputs[0].previous).pays(stranger(), 600).build()});
  sim().run_for(seconds(30));
  EXPECT_EQ(status(payment), wallet::TxStatus::Conflicted);
}

// A node's index is a moment behind its chain, and until then the node is silent.
TEST_F(CompactFilters, ThatComeAMomentAfterTheBlockAreWaitedFor) {
  options.follow = true;
  auto& node = add_node(story(), kCompact);
  sync();
  const chain::Height height = node.fake.chain().height();
  node.fake.filters_up_to = height;
  sim().mine(0, {TxBuilder(60).pays(receive(2), 5).build()});
  sim().after(seconds(3), [&node] { node.fake.filters_up_to = 1'000'000; });
  sim().run_for(seconds(2));
  EXPECT_EQ(balance().total(), 5'000);
  sim().run_for(seconds(2));
  EXPECT_EQ(balance().total(), 5'005);
  EXPECT_TRUE(sim().disconnects().empty());
}

// A whole block that came before the coin that it spends is looked through again, with bloom filters allowed too.
TEST_F(CompactFilters, ASpendThatComesBeforeItsCoinIsFound) {
  const auto paid = TxBuilder(1).pays(receive(0), 10'000).build();
  const auto spent = TxBuilder(2).spends(paid).witness(util::Bytes(64, 1)).pays(stranger(), 9'000).build();
  std::uint64_t asked_again = 0;
  for (int between = 50; between <= 450; between += 50) {
    const auto chain = ChainBuilder().blocks(149).block({paid}).blocks(between).block({spent}).blocks(500);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      options.source = {.mode = Source::Filter, .or_compact = true};
      start_anew(seed);
      add_node(chain, kCompact).pause = milliseconds(seed % 2 == 0 ? 10 : 0);
      add_node(chain, kCompact).pause = milliseconds(seed % 2 == 0 ? 0 : 10);
      sync();
      EXPECT_EQ(difference(), "") << seed << " " << between;
      asked_again += sim().counters().asked_again;
    }
  }
  EXPECT_GT(asked_again, 0U);
}

// --- the header chain across restarts and reorganisations -----------------------------------------------------------

TEST_F(CompactFilters, FollowAReorganisationWhileAwayAndWhileConnected) {
  options.follow = true;
  auto chain = story();
  add_node(chain, kCompact);
  sync();
  auto other = chain.at_height(40).salt(9);
  other.pays(receive(3), 31).blocks(40);
  sim().set_chain(0, other);
  sim().run_for(seconds(20));
  EXPECT_EQ(difference(other), "");
  restart();
  auto third = chain.at_height(20).salt(10);
  third.pays(receive(5), 17).blocks(90);
  sim().set_chain(0, third);
  sync();
  sim().run_for(seconds(20));
  EXPECT_EQ(difference(third), "");
}

// What was scanned by one peer's filters yesterday is found out by another peer today.
TEST_F(CompactFilters, C6_ALieOfAnEarlierRunIsFoundByThePeerOfToday) {
  auto& liar = add_node(story(), kCompact);
  liar.fake.forge_filters(faults::omit_scripts({receive(0), receive(1), change(0)}));
  sync();
  EXPECT_EQ(balance().total(), 0);  // one peer's word is all there is
  restart();
  sim().kill(0);
  add_node(story(), kCompact);
  auto& honest = sim().node(1);
  honest.fake.mine();
  sync();
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(honest.fake.chain()), "");
}

// --- two witnesses of different kinds -------------------------------------------------------------------------------

TEST_F(CompactFilters, C7_AProofByABloomPeerRefutesAFilter) {
  options.source = {.mode = Source::Filter, .or_compact = true};
  options.cross_check = sync::CrossCheckMode::Full;
  auto chain = story();
  chain.blocks(4'000);
  auto& liar = add_node(chain, kCompact);
  liar.fake.forge_filters(faults::omit_scripts({receive(0), receive(1)}));
  liar.pause = milliseconds(1);
  add_node(chain, kPlain | p2p::services::kBloom);
  sim().node(1).reachable = false;
  sim().after(milliseconds(300), [this] { sim().node(1).reachable = true; });
  sync();
  EXPECT_TRUE(dropped(Reason::FalseFilter));
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(), "");
}

TEST_F(CompactFilters, C8_AFilterConvictsABloomPeerThatLeavesOutAPayment) {
  options.source = {.mode = Source::Filter, .or_compact = true};
  options.cross_check = sync::CrossCheckMode::Full;
  auto& liar = add_node(story(), kPlain | p2p::services::kBloom);
  liar.fake.omit_tx(story().block(1).txids[1]);
  add_node(story(), kCompact);
  sync();
  EXPECT_TRUE(dropped(Reason::Omission));
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(), "");
}

// --- liars that would have honest peers dropped, or keep us busy ----------------------------------------------------

FilterForge add_a_script_at(std::function<bool(chain::Height)> here) {
  return [here = std::move(here), add = faults::add_scripts({{0x51, 0x52}})](auto&& block, auto& scripts) {
    if (here(block.height)) add(block, scripts);
  };
}

// All headers above the forged one differ, and no filter above it does.
TEST_F(CompactFilters, C2_ALieAboutTheLowestFilterConvictsNobodyElse) {
  auto chain = story();
  chain.blocks(5'000);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start_anew(seed);
    add_node(chain, kCompact).fake.forge_filters(add_a_script_at([](chain::Height at) { return at == 0; }));
    add_node(chain, kCompact).pause = milliseconds(1);
    sync();
    EXPECT_EQ(difference(), "") << seed;
    EXPECT_TRUE(sim().disconnects().empty()) << seed;
  }
}

// The honest peer is asked for a filter before the range that holds it.
TEST_F(CompactFilters, C2_TheDefenceOfAFilterConvictsNobody) {
  auto chain = story();
  chain.blocks(5'000);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start_anew(seed);
    add_node(chain, kCompact);
    add_node(chain, kCompact).fake.forge_filters(add_a_script_at([](chain::Height at) { return at % 900 == 850; }));
    sync();
    EXPECT_EQ(difference(), "") << seed;
    EXPECT_TRUE(sim().disconnects().empty()) << seed;
  }
}

// Each difference costs a block and a filter, and nothing that was scanned is scanned again.
TEST_F(CompactFilters, C2_AStrangerWithAnotherPastCausesNoRescan) {
  options.follow = true;
  auto chain = story();
  chain.blocks(3'000);
  for (const bool before_the_birthday : {false, true}) {
    options.birthday = before_the_birthday ? 2'500 : 1;
    start_anew(1);
    auto& honest = add_node(chain, kCompact);
    auto& stranger = add_node(chain, kCompact);
    stranger.fake.forge_filters(add_a_script_at([](chain::Height at) { return at % 100 == 50; }));
    stranger.reachable = false;
    sync();
    honest.fake.seen.filters.clear();
    honest.fake.seen.whole_blocks.clear();
    stranger.reachable = true;
    sim().run_for(seconds(60));
    int blocks = 0;
    for (const auto* node : {&honest.fake, &stranger.fake}) {
      for (const auto& [height, times] : node->seen.filters) {
        EXPECT_EQ(times, 1) << height;
        EXPECT_EQ(height % 100, 50);
      }
      for (const auto& [height, times] : node->seen.whole_blocks) blocks += times;
    }
    EXPECT_EQ(blocks, 31);
    EXPECT_TRUE(sim().disconnects().empty());
    EXPECT_EQ(sim().committed().scan.scanned_to.height, chain.height());
  }
}

// Each answer comes in time, but all of them together would take minutes.
TEST_F(CompactFilters, C5_WhoTricklesFilterHeadersDoesNotDelayTheEnd) {
  auto chain = story();
  chain.blocks(20'000);
  add_node(chain, kCompact);
  auto& slow = add_node(chain, kCompact);
  slow.fake.filters_up_to = -1;
  sim().after(seconds(4), [&slow] {
    slow.fake.filters_up_to = 1'000'000;
    slow.pause = seconds(4);
  });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::Stalled));
  EXPECT_LT(sim().elapsed(), seconds(45));
}

// --- peers of the address book --------------------------------------------------------------------------------------

TEST_F(CompactFilters, StrangersThatOfferNothingElseLeaveRoomForThoseWithBloomFilters) {
  options.source = {.mode = Source::Filter, .or_compact = true};
  options.follow = true;
  for (const std::size_t wanted : {1U, 4U}) {
    util::Rng rng(std::uint64_t{1});
    p2p::AddressBook book;
    options.book = &book;
    options.wanted = wanted;
    start_anew(3);
    constexpr std::size_t kNodes = 15;
    for (std::size_t i = 0; i < kNodes; ++i) {
      auto& node = add_node(story(), i + 1 == kNodes ? kPlain | p2p::services::kBloom : kCompact);
      node.reachable = i + 1 != kNodes;
      book.add(Simulation::address_of(i), kPlain, p2p::Origin::User, "", 0, rng);
    }
    sync();
    EXPECT_EQ(balance().total(), 5'000) << "by compact filters at first";
    auto& bloom = sim().node(kNodes - 1);
    bloom.reachable = true;
    sim().run_for(std::chrono::minutes(30));  // one that could not be reached is tried again after ten
    EXPECT_FALSE(bloom.fake.seen.filter_loads.empty()) << wanted;
    sim().mine(kNodes - 1, {TxBuilder(60).pays(receive(2), 5).build()});
    sim().run_for(seconds(30));
    EXPECT_EQ(balance().total(), 5'005);
    sim().stop();
  }
}

TEST_F(CompactFilters, StrangersThatOfferNothingElseServeWhereThereAreNoOthers) {
  options.source = {.mode = Source::Filter, .or_compact = true};
  util::Rng rng(std::uint64_t{1});
  p2p::AddressBook book;
  options.book = &book;
  options.wanted = 8;
  for (std::size_t i = 0; i < 3; ++i) {
    add_node(story(), kCompact);
    book.add(Simulation::address_of(i), kPlain, p2p::Origin::User, "", 0, rng);
  }
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(sim().disconnects().empty());
}

// --- --max-download -------------------------------------------------------------------------------------------------

TEST_F(CompactFilters, OfStrangersServeAutoWhereThereAreNoOthers) {
  options.source = {.mode = Source::Auto};
  add_node(story(), kCompact);
  sync();
  EXPECT_EQ(difference(), "");
}

TEST_F(CompactFilters, OfStrangersAreNotUsedWhereNoBlockMayBeFetched) {
  options.source = {.mode = Source::Auto, .max_download = p2p::kMaxPayloadBytes - 1};
  auto& node = add_node(story(), kCompact);
  sync_fails(sync::Failure::Code::NoBloomPeers);
  EXPECT_TRUE(node.fake.seen.whole_blocks.empty());
}

TEST_F(CompactFilters, FetchNoMoreOfStrangersThanMayBeDownloaded) {
  options.source = {.mode = Source::Auto, .max_download = p2p::kMaxPayloadBytes};  // spent by the first block
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start_anew(seed);
    auto& compact = add_node(story(), kCompact);
    auto& bloom = add_node(story(), kPlain | p2p::services::kBloom);
    bloom.reachable = false;
    sim().after(milliseconds(500), [&bloom] { bloom.reachable = true; });
    sync();
    EXPECT_EQ(difference(), "");
    EXPECT_LE(compact.fake.seen.whole_blocks.size() + bloom.fake.seen.whole_blocks.size(), 1U) << seed;
  }
}

TEST_F(CompactFilters, C2_WhoDiffersInEveryBlockDoesNotKeepUsBusyForEver) {
  auto chain = story();
  chain.blocks(200);
  add_node(chain, kCompact);
  add_node(chain, kCompact).fake.forge_filters(faults::add_scripts({{0x51, 0x52}}));
  EXPECT_TRUE(sim().run_until_finished());
  EXPECT_TRUE(dropped(Reason::FiltersDisputed));
}

// --- lies -----------------------------------------------------------------------------------------------------------

struct Lie {
  const char* name;
  std::function<void(FakeNode&, const std::vector<util::Bytes>& ours)> tell;
  /// How the liar is left; nothing: it stays, and does no harm.
  std::optional<Reason> reaction;
};

void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.name; }

template <typename Make>
auto fault(Make make) {
  return [make](FakeNode& node, const std::vector<util::Bytes>&) { node.add_fault(make(node)); };
}
template <typename Make>
auto forge(Make make) {
  return [make](FakeNode& node, const std::vector<util::Bytes>& ours) { node.forge_filters(make(ours)); };
}
using Scripts = std::vector<util::Bytes>;

const Lie kLies[] = {
    {"C1_OmitsOurScripts", forge([](const Scripts& ours) { return faults::omit_scripts(ours); }), Reason::FalseFilter},
    {"C1_OmitsOurScriptsLater", forge([](const Scripts& ours) { return faults::omit_scripts_from(7, ours); }),
     Reason::FalseFilter},
    {"C1_ForgetsAllScripts", forge([](const Scripts&) { return faults::forget_all_scripts(); }), Reason::FalseFilter},
    {"C2_AddsScripts", forge([](const Scripts&) {
       return faults::add_scripts({{0x51, 0x52}});
     }),
     std::nullopt},
    {"C2_AddsOurScripts", forge([](const Scripts& ours) { return faults::add_scripts(ours); }), std::nullopt},
    {"C3_FiltersWithoutOurScripts",
     [](FakeNode& node, const Scripts& ours) { node.add_fault(faults::filters_without(node, ours)); },
     Reason::BadFilter},
    {"C3_EmptyFilters", fault([](FakeNode&) { return faults::empty_filters(); }), Reason::BadFilter},
    {"C3_AlteredFilters", fault([](FakeNode&) { return faults::altered_filters(); }), Reason::BadFilter},
    {"C3_TruncatedFilters", fault([](FakeNode&) { return faults::truncated_filters(); }), Reason::BadFilter},
    {"C3_ExtendedFilters", fault([](FakeNode&) { return faults::extended_filters(); }), Reason::BadFilter},
    {"C3_FiltersWithoutBytes", fault([](FakeNode&) { return faults::filters_without_bytes(); }), Reason::BadFilter},
    {"C3_FiltersOfAHugeCount", fault([](FakeNode&) { return faults::filters_of_a_huge_count(); }), Reason::BadFilter},
    {"C3_FiltersOfEndlessOnes", fault([](FakeNode&) { return faults::filters_of_endless_ones(); }), Reason::BadFilter},
    {"C3_FiltersOfWrongType", fault([](FakeNode&) { return faults::filters_of_wrong_type(); }), Reason::BadFilter},
    {"C4_FiltersOfAnUnknownBlock", fault([](FakeNode&) { return faults::filters_of_an_unknown_block(); }),
     Reason::Flooding},
    {"C4_FiltersOfTheBlockBefore", fault([](FakeNode& node) { return faults::filters_of_the_block_before(node); }),
     Reason::BadFilter},
    {"C4_UnaskedFilters", fault([](FakeNode& node) { return faults::unasked_filters(node); }), Reason::Flooding},
    {"C4_RepeatedFilters", fault([](FakeNode&) { return faults::repeated_filters(); }), Reason::Flooding},
    {"C4_FiltersBackwards", fault([](FakeNode&) { return faults::filters_backwards(); }), Reason::BlocksNotServed},
    {"C4_AFilterLeftOut", fault([](FakeNode&) { return faults::drop_nth_filter(9); }), Reason::BlocksNotServed},
    // What it owes is asked for elsewhere before its time is up.
    {"C5_StallsAfterFilters", fault([](FakeNode&) { return faults::stall_after_filters(9); }), std::nullopt},
    {"C5_SilentFilters", fault([](FakeNode&) { return faults::silent_filters(); }), Reason::BlocksNotServed},
    {"C5_SilentFilterHeaders", fault([](FakeNode&) { return faults::silent_filter_headers(); }), Reason::Stalled},
    {"C5_FilterHeadersOfWrongType", fault([](FakeNode&) { return faults::filter_headers_of_wrong_type(); }),
     Reason::Stalled},
    {"C5_FilterHeadersOfAnotherStop", fault([](FakeNode&) { return faults::filter_headers_of_another_stop(); }),
     Reason::Stalled},
    {"C9_AlteredFilterHashAt", fault([](FakeNode& node) { return faults::altered_filter_hash_at(node, 48); }),
     Reason::BadFilter},
    {"C9_OneFilterHashLess", fault([](FakeNode&) { return faults::one_filter_hash_less(); }), Reason::BadFilterHeaders},
    {"C9_OneFilterHashMore", fault([](FakeNode&) { return faults::one_filter_hash_more(); }), Reason::BadFilterHeaders},
    {"C9_NoFilterHashes", fault([](FakeNode&) { return faults::no_filter_hashes(); }), Reason::BadFilterHeaders},
    {"C9_UnlinkedFilterHeaders", fault([](FakeNode&) { return faults::unlinked_filter_headers(); }),
     Reason::BadFilterHeaders},
    {"C9_UnaskedFilterHeaders", fault([](FakeNode&) { return faults::unasked_filter_headers(); }), std::nullopt},
    {"C9_RepeatedFilterHeaders", fault([](FakeNode&) { return faults::repeated_filter_headers(); }), std::nullopt},
    {"C9_UnaskedCheckpoints", fault([](FakeNode&) { return faults::unasked_checkpoints(); }), std::nullopt},
};

class FilterLies : public CompactFilters, public testing::WithParamInterface<Lie> {
 protected:
  Scripts ours() { return {receive(0), receive(1), change(0)}; }
  /// `meets`: the liar is asked for what it lies about.
  void expect_harmless(bool meets) {
    sync();
    EXPECT_EQ(balance().total(), 5'000);
    EXPECT_EQ(difference(), "");
    if (GetParam().reaction && meets) {
      EXPECT_TRUE(dropped(*GetParam().reaction));
    }
    for (const Reason reason : sim().disconnects()) {
      EXPECT_TRUE(GetParam().reaction && reason == *GetParam().reaction) << to_string(reason);
    }
  }
};

// The liar's headers are the first; an honest peer comes a little later.
TEST_P(FilterLies, C1_C2_C3_C4_C5_C9_OfTheFirstPeerDoNoHarm) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start_anew(seed);
    GetParam().tell(add_node(story(), kCompact).fake, ours());
    add_node(story(), kCompact).pause = milliseconds(20);
    expect_harmless(true);
  }
}

TEST_P(FilterLies, C1_C2_C9_OfTheSecondPeerDoNoHarm) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start_anew(seed);
    auto& liar = add_node(story(), kCompact);
    liar.pause = milliseconds(20);
    GetParam().tell(liar.fake, ours());
    add_node(story(), kCompact);
    // Its headers are compared, but the other one may be done with all filters before it is asked for any.
    expect_harmless(GetParam().reaction == Reason::FalseFilter);
  }
}

// Never by majority.
TEST_P(FilterLies, C1_C2_OfMostPeersDoNoHarm) {
  for (int i = 0; i < 3; ++i) GetParam().tell(add_node(story(), kCompact).fake, ours());
  add_node(story(), kCompact);
  expect_harmless(GetParam().reaction == Reason::FalseFilter);
}

INSTANTIATE_TEST_SUITE_P(All, FilterLies, testing::ValuesIn(kLies),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace spv::test
