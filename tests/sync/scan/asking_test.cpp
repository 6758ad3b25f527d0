// Whom to ask for which kind of block, and for how many at once.
#include "sync/scan/asking.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "util/rng.h"

namespace spv::sync {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr LaneUse kFar{.filtered = true, .local = false};
constexpr LaneUse kFarWhole{.filtered = false, .local = false};
constexpr LaneUse kNear{.filtered = true, .local = true};
constexpr LaneUse kNearWhole{.filtered = false, .local = true};

class AskingTest : public testing::Test {
 protected:
  static constexpr std::size_t kMost = ScanWindow::kMaxBlocks;

  AskingTest() {
    mine_.blocks(30);
    board_.restart(1);
    use(SourceMode::Auto, 0);
  }

  void use(SourceMode mode, std::uint64_t blocks) {
    source_ = {.mode = mode, .max_download = blocks * p2p::kMaxPayloadBytes};
    asking_ = std::make_unique<Asking>(lanes_, board_, slices_, source_);
    asking_->pace().on_planned(plan_);
  }
  Lane& add(PeerId peer, LaneUse use) {
    Lane& lane = lanes_.add({.pipe = ScanLane(peer, true, matcher_),
                             .use = use,
                             .choice = SourceChoice(source_.mode, use.filtered),
                             .reach = 1'000});
    if (use.filtered) load(lane);
    return lane;
  }
  void load(Lane& lane) {
    lane.pipe.load_filter(plan_.filter, ++epoch_, out_);
    asking_->measure_room(lane);
  }
  void ask(Lane& lane, chain::Height first, chain::Height last, BlockKind kind = BlockKind::Filtered) {
    std::vector<chain::BlockRef> blocks;
    for (auto height = first; height <= last; ++height) blocks.push_back({height, mine_.block(height).hash});
    lane.pipe.request(blocks, kind, ++fence_, now_, out_);
  }
  void answer(Lane& lane, chain::Height height, BlockKind kind = BlockKind::Filtered) {
    const auto& block = mine_.block(height);
    if (kind == BlockKind::Whole) {
      auto body = block.serialize();
      body.erase(body.begin(), body.begin() + chain::BlockHeader::kSize);
      EXPECT_TRUE(lane.pipe.on(p2p::Block::owning(block.header, body), height, now_).taken);
    } else {
      p2p::MerkleBlock message{.header = block.header,
                               .tree = bip37::build_partial_tree(block.txids, std::vector<bool>(block.txs.size()))};
      EXPECT_TRUE(lane.pipe.on(message, now_).taken);
    }
  }
  void end_batch(Lane& lane) {
    EXPECT_FALSE(lane.pipe
                     .on(
                         p2p::Pong{fence_}, [](const chain::Txid&) { return nullptr; }, now_)
                     .fault);
    while (lane.pipe.take()) continue;
  }
  /// The peer serves until its pace is known: so long on the way, so long for each block.
  void serve(Lane& lane, util::Duration way, util::Duration each, BlockKind kind = BlockKind::Filtered) {
    ask(lane, 1, 17, kind);
    now_.monotonic += way;
    for (chain::Height height = 1; height <= 17; ++height) {
      now_.monotonic += each;
      answer(lane, height, kind);
    }
    end_batch(lane);
    ASSERT_EQ(lane.pipe.pace(kind).block_time(), each);
  }
  void slice() {
    std::vector<util::Bytes> elements;
    for (std::uint8_t i = 0; i < 25; ++i) elements.emplace_back(20, i);
    slices_.begin(1, 1'000, elements);
    ASSERT_TRUE(slices_.active());
  }
  void find_no_coins() {
    for (int i = 0; i < 3'000; ++i) asking_->contention().on_block(false);
  }
  void crowd() {
    asking_->contention().on_asked_again(1'000);
    ASSERT_TRUE(asking_->contention().crowded());
  }
  std::size_t filtered_window(const Lane& lane) const { return asking_->window(lane, BlockKind::Filtered); }
  /// How many whole blocks a peer may be asked for at once.
  std::size_t whole_at(Lane& lane) const {
    const auto pick = asking_->choose(lane);
    return pick && pick->kind == BlockKind::Whole ? pick->most : 0;
  }

  test::ChainBuilder mine_;
  bip37::FilterPlan plan_ = bip37::plan_filter({}, 0.000001, 1, 2, bip37::UpdateFlags::All);
  WholeMatcher matcher_{util::Rng(1), [](BlockMatcher& matcher) { matcher.watch({}, {}); }};
  Lanes lanes_;
  ScanBoard board_;
  SlicedScan slices_{10, 1'000};
  SourceOptions source_;
  std::unique_ptr<Asking> asking_;
  Outbox out_;
  FilterEpoch epoch_ = 0;
  std::uint64_t fence_ = 0;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
};

// --- how much -------------------------------------------------------------------------------------------------------

TEST_F(AskingTest, ABatchIsAPartOfTheWindowAndNeverNothing) {
  EXPECT_EQ(Asking::batch_of(1), 1U);
  EXPECT_EQ(Asking::batch_of(8), 4U);
  EXPECT_EQ(Asking::batch_of(15), 7U);
  EXPECT_EQ(Asking::batch_of(16), 4U);
  EXPECT_EQ(Asking::batch_of(2'000), 500U);
  EXPECT_EQ(Asking::batch_of(4'000), Asking::kBatchBlocks);
}

TEST_F(AskingTest, AloneAPeerIsAskedForAllThatItsFilterBears) {
  Lane& lane = add(1, kFar);
  EXPECT_EQ(filtered_window(lane), kMost);
  serve(lane, milliseconds(100), milliseconds(1));
  EXPECT_EQ(filtered_window(lane), kMost);
  lane.room = 30;
  EXPECT_EQ(filtered_window(lane), 30U);
}

TEST_F(AskingTest, WhereCompanyIsExpectedOnePeerIsNotAskedForEverything) {
  Lane& lane = add(1, kFar);
  asking_->expect_company(true);
  EXPECT_EQ(filtered_window(lane), ScanWindow::kFirstBlocks);
  serve(lane, milliseconds(100), milliseconds(1));
  EXPECT_EQ(filtered_window(lane), lane.pipe.pace(BlockKind::Filtered).depth()->least);
  asking_->expect_company(false);
  EXPECT_EQ(filtered_window(lane), kMost);
}

TEST_F(AskingTest, BetweenTwoFiltersOnePeerIsLikeSeveral) {
  Lane& lane = add(1, kFar);
  ask(lane, 1, 5);
  EXPECT_EQ(filtered_window(lane), kMost);
  load(lane);
  EXPECT_EQ(filtered_window(lane), ScanWindow::kFirstBlocks) << "coins in what comes are not in the new filter";
  for (chain::Height height = 1; height <= 5; ++height) answer(lane, height);
  end_batch(lane);
  EXPECT_EQ(filtered_window(lane), kMost);
}

TEST_F(AskingTest, BeforeAFilterIsRenewedOnePeerIsLikeSeveral) {
  Lane& lane = add(1, kFar);
  lane.worn = true;
  EXPECT_EQ(filtered_window(lane), kMost) << "nothing is under way";
  ask(lane, 1, 5);
  EXPECT_EQ(filtered_window(lane), ScanWindow::kFirstBlocks);
}

TEST_F(AskingTest, WholeBlocksOfOnePeerDoNotDependOnItsFilter) {
  use(SourceMode::Auto, 100);
  for (int i = 0; i < 200; ++i) asking_->pace().on_whole_block(25'000);
  Lane& lane = add(1, kFar);
  ask(lane, 1, 5);
  load(lane);
  EXPECT_EQ(asking_->window(lane, BlockKind::Whole), asking_->pace().whole_blocks(0));
  EXPECT_EQ(asking_->window(lane, BlockKind::Whole), 25U);
}

TEST_F(AskingTest, OfSmallWholeBlocksAsManyAsTheWayNeedsAreUnderWay) {
  use(SourceMode::Blocks, 0);
  for (int i = 0; i < 200; ++i) asking_->pace().on_whole_block(200);
  Lane& lane = add(1, kFarWhole);
  serve(lane, milliseconds(100), milliseconds(1), BlockKind::Whole);
  EXPECT_EQ(asking_->window(lane, BlockKind::Whole), 152U);
}

TEST_F(AskingTest, InCompanyAPeerOfUnknownPaceIsAskedForAFewBlocks) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  EXPECT_EQ(filtered_window(lane), ScanWindow::kFirstBlocks);
  lane.room = 30;
  EXPECT_EQ(filtered_window(lane), 30U);
}

// 100 ms on the way, a block each millisecond: 150 and two more keep it busy, and eight more are ample.
TEST_F(AskingTest, InCompanyAPeerIsOnlyJustBusyWhereCoinsAreManyAndAmplyWhereTheyAreFew) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  serve(lane, milliseconds(100), milliseconds(1));
  EXPECT_EQ(filtered_window(lane), 152U);
  find_no_coins();
  EXPECT_EQ(filtered_window(lane), 160U);
  lane.room = 30;
  EXPECT_EQ(filtered_window(lane), 30U);
}

TEST_F(AskingTest, WherePeersGetIntoEachOthersWayTheOneThatGoesOnHasMoreUnderWay) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  serve(lane, milliseconds(100), milliseconds(1));
  crowd();
  EXPECT_EQ(filtered_window(lane), 4U * 160);
  lane.room = 30;
  EXPECT_EQ(filtered_window(lane), 30U);
}

TEST_F(AskingTest, AloneAPeerMayRunAsFarAheadAsTheBoardAllows) {
  board_.restart(100);
  const Lane& lane = add(1, kFar);
  EXPECT_EQ(asking_->farthest(lane), 100 + ScanBoard::kMaxAhead);
}

TEST_F(AskingTest, InCompanyNobodyRunsFartherAheadThanKeepsAllBusyWhereCoinsAreMany) {
  board_.restart(100);
  const Lane& lane = add(1, kFar);
  add(2, kFar);
  EXPECT_EQ(asking_->farthest(lane), 100 + 2 * static_cast<chain::Height>(ScanWindow::kFirstBlocks));
  find_no_coins();
  EXPECT_EQ(asking_->farthest(lane), 100 + ScanBoard::kMaxAhead);
}

TEST_F(AskingTest, TheRoomIsThatOfThePeersOwnFilter) {
  Lane& whole = add(1, kFarWhole);
  asking_->measure_room(whole);
  EXPECT_EQ(whole.room, 0U);
  Lane& lane = add(2, kFar);
  EXPECT_EQ(lane.room, kMost);
  EXPECT_FALSE(lane.worn);
}

TEST_F(AskingTest, AFilterThatIsUsedUpIsRenewed) {
  Lane& lane = add(1, kFar);
  bip37::BloomFilter filter = plan_.filter;
  for (int i = 0; i < 200 && !asking_->pace().is_used_up(bip37::FilterMirror(filter)); ++i) {
    filter.insert(util::Bytes(20, static_cast<std::uint8_t>(i)));
  }
  lane.pipe.load_filter(filter, ++epoch_, out_);
  asking_->measure_room(lane);
  EXPECT_TRUE(lane.worn);
}

// --- whole blocks ---------------------------------------------------------------------------------------------------

TEST_F(AskingTest, WholeBlocksAreNotAskedForWhereFiltersAreWanted) {
  use(SourceMode::Filter, 100);
  EXPECT_EQ(asking_->choose(add(1, kNear))->kind, BlockKind::Filtered);
  EXPECT_FALSE(asking_->choose(add(2, kNearWhole)).has_value());
}

TEST_F(AskingTest, WholeBlocksThatAreWantedHaveNoLimit) {
  use(SourceMode::Blocks, 0);
  EXPECT_EQ(whole_at(add(1, kFarWhole)), SIZE_MAX);
}

TEST_F(AskingTest, OnTheLocalNetworkThereIsNoLimit) {
  use(SourceMode::Auto, 0);
  EXPECT_EQ(whole_at(add(1, kNearWhole)), SIZE_MAX);
}

TEST_F(AskingTest, BeyondTheLocalNetworkNoMoreIsAskedForThanCouldBeOfTheLargestSize) {
  use(SourceMode::Auto, 10);
  Lane& lane = add(1, kFarWhole);
  EXPECT_EQ(whole_at(lane), 10U);
  asking_->on_whole_block(1, kFarWhole);
  EXPECT_EQ(whole_at(lane), 9U);
  asking_->on_whole_block(p2p::kMaxPayloadBytes, kFarWhole);
  EXPECT_EQ(whole_at(lane), 8U);
  asking_->on_whole_block(8 * p2p::kMaxPayloadBytes, kFarWhole);
  EXPECT_FALSE(asking_->choose(lane).has_value());
}

TEST_F(AskingTest, WhatComesFromTheLocalNetworkIsNotCounted) {
  use(SourceMode::Auto, 10);
  Lane& lane = add(1, kFarWhole);
  asking_->on_whole_block(100 * p2p::kMaxPayloadBytes, kNearWhole);
  EXPECT_EQ(whole_at(lane), 10U);
}

TEST_F(AskingTest, WhatIsUnderWayBeyondTheLocalNetworkIsCountedAtItsLargest) {
  use(SourceMode::Auto, 10);
  Lane& lane = add(1, kFarWhole);
  ask(lane, 1, 3, BlockKind::Whole);
  ask(add(2, kFarWhole), 4, 5, BlockKind::Whole);
  ask(add(3, kNearWhole), 6, 9, BlockKind::Whole);
  ask(add(4, kFar), 10, 15, BlockKind::Filtered);
  EXPECT_EQ(whole_at(lane), 5U);
}

TEST_F(AskingTest, InTheMidstOfAStretchNoWholeBlocksAreAskedFor) {
  use(SourceMode::Auto, 10);
  slice();
  EXPECT_FALSE(asking_->choose(add(1, kNearWhole)).has_value());
  const auto pick = asking_->choose(add(2, kNear));
  ASSERT_TRUE(pick.has_value());
  EXPECT_EQ(pick->kind, BlockKind::Filtered);
  EXPECT_EQ(pick->most, SIZE_MAX) << "it is no trial";
}

TEST_F(AskingTest, TheLimitHoldsInATrialToo) {
  use(SourceMode::Auto, 10);
  Lane& lane = add(1, kFar);
  lane.choice.on_asked(BlockKind::Filtered, SourceChoice::kTrial);
  EXPECT_EQ(whole_at(lane), 10U);
}

TEST_F(AskingTest, WhatIsNotInUseIsMeasuredAnewNowAndThen) {
  Lane& lane = add(1, kNear);
  serve(lane, milliseconds(1), milliseconds(4), BlockKind::Filtered);
  serve(lane, milliseconds(1), milliseconds(2), BlockKind::Whole);
  for (const BlockKind kind : kBlockKinds) lane.choice.on_asked(kind, SourceChoice::kTrial);
  EXPECT_EQ(whole_at(lane), SIZE_MAX) << "it is the quicker one";
  lane.choice.on_asked(BlockKind::Whole, SourceChoice::kAgain);
  const auto pick = asking_->choose(lane);
  ASSERT_TRUE(pick.has_value());
  EXPECT_EQ(pick->kind, BlockKind::Filtered);
  EXPECT_EQ(pick->most, SourceChoice::kTrial);
  EXPECT_FALSE(lane.pipe.pace(BlockKind::Filtered).block_time().has_value());
  EXPECT_TRUE(lane.pipe.pace(BlockKind::Whole).block_time().has_value());
}

TEST_F(AskingTest, SlicesAreNeededOnlyWhereNoWholeBlockMayBeTaken) {
  use(SourceMode::Filter, 100);
  EXPECT_TRUE(asking_->may_slice());
  use(SourceMode::Blocks, 0);
  EXPECT_FALSE(asking_->may_slice());
  use(SourceMode::Auto, 0);
  EXPECT_TRUE(asking_->may_slice());
  use(SourceMode::Auto, 1);
  EXPECT_FALSE(asking_->may_slice());
  asking_->on_whole_block(1, kFarWhole);
  EXPECT_TRUE(asking_->may_slice()) << "the next one could pass the limit";
}

TEST_F(AskingTest, SlicesAreNotNeededWhereAPeerIsNearBy) {
  add(1, kFar);
  EXPECT_TRUE(asking_->may_slice());
  add(2, kNear);
  EXPECT_FALSE(asking_->may_slice());
}

// --- compact filters ------------------------------------------------------------------------------------------------

constexpr LaneUse kFarCompact{.filtered = false, .local = false, .compact = true};

TEST_F(AskingTest, BlocksThatMatchHaveNoLimitUnlessTheUserHasSetOne) {
  for (const auto mode : {SourceMode::Compact, SourceMode::Auto}) {
    use(mode, 0);
    lanes_.remove(1);
    EXPECT_EQ(asking_->matched_allowance(add(1, kFarCompact)), SIZE_MAX);
    EXPECT_TRUE(asking_->scans_compact(lanes_.at(1)));
    EXPECT_FALSE(asking_->is_useless(lanes_.at(1)));
  }
}

TEST_F(AskingTest, BlocksThatMatchCountAsWholeBlocksFromBeyondTheLocalNetwork) {
  use(SourceMode::Auto, 3);
  Lane& lane = add(1, kFarCompact);
  EXPECT_EQ(asking_->matched_allowance(lane), 3U);
  ask(lane, 1, 2, BlockKind::Whole);
  EXPECT_EQ(asking_->matched_allowance(lane), 1U);
  EXPECT_TRUE(asking_->scans_compact(lane));
  asking_->on_whole_block(2 * p2p::kMaxPayloadBytes + 1, kFarCompact);
  EXPECT_EQ(asking_->matched_allowance(lane), 0U);
  EXPECT_FALSE(asking_->scans_compact(lane)) << "nothing that matches could be fetched";
  EXPECT_EQ(asking_->matched_allowance(add(2, kNearWhole)), SIZE_MAX);
}

TEST_F(AskingTest, WhoseBlocksMayNotBeFetchedIsOfUseOnlyAsAWitness) {
  use(SourceMode::Auto, 1);
  Lane& lane = add(1, kFarCompact);
  asking_->on_whole_block(p2p::kMaxPayloadBytes, kFarCompact);
  EXPECT_TRUE(asking_->is_useless(lane));
  EXPECT_FALSE(asking_->leaves_matched()) << "nobody else would bring them";
  add(2, kFar);
  EXPECT_FALSE(asking_->is_useless(lane));
  EXPECT_TRUE(asking_->checks_compact(lane));
  EXPECT_TRUE(asking_->leaves_matched());
  add(3, kNear);
  EXPECT_FALSE(asking_->leaves_matched()) << "it costs nothing there";
}

// --- whom -----------------------------------------------------------------------------------------------------------

TEST_F(AskingTest, APeerHasTheNextBlockIfItReachesIt) {
  board_.restart(100);
  Lane& lane = add(1, kFar);
  lane.reach = 99;
  EXPECT_FALSE(asking_->has_next(lane));
  lane.reach = 100;
  EXPECT_TRUE(asking_->has_next(lane));
}

TEST_F(AskingTest, InTheMidstOfAStretchOnlyWhoFiltersServes) {
  Lane& whole = add(1, kNearWhole);
  EXPECT_TRUE(asking_->has_next(whole));
  slice();
  EXPECT_FALSE(asking_->has_next(whole));
  EXPECT_TRUE(asking_->has_next(add(2, kFar)));
}

TEST_F(AskingTest, WherePeersGetIntoEachOthersWayTheFirstThatHasTheNextBlockGoesOn) {
  add(1, kFar).reach = 0;
  add(2, kFar);
  add(3, kFar);
  for (const auto& [id, lane] : lanes_) EXPECT_TRUE(asking_->may_ask(lane)) << id;
  crowd();
  EXPECT_FALSE(asking_->may_ask(lanes_.at(1)));
  EXPECT_TRUE(asking_->may_ask(lanes_.at(2)));
  EXPECT_FALSE(asking_->may_ask(lanes_.at(3)));
}

TEST_F(AskingTest, WhoOnlyChecksDoesNotGoOnInFrontOfOneThatFilters) {
  use(SourceMode::Filter, 0);
  add(1, {.filtered = false, .local = false, .compact = true});
  add(2, kFar);
  crowd();
  EXPECT_TRUE(asking_->may_ask(lanes_.at(2)));
  EXPECT_FALSE(asking_->may_bring_next(lanes_.at(1)));
  EXPECT_TRUE(asking_->may_bring_next(lanes_.at(2)));
}

TEST_F(AskingTest, AloneAPeerLagsUntilSomethingComes) {
  Lane& lane = add(1, kFar);
  ask(lane, 1, 2);
  EXPECT_FALSE(asking_->lags(lane, now_));
  now_.monotonic += seconds(2);
  EXPECT_TRUE(asking_->lags(lane, now_));
  answer(lane, 1);
  EXPECT_FALSE(asking_->lags(lane, now_));
}

TEST_F(AskingTest, InCompanyAPeerLagsUntilAllThatItOwesHasCome) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  ask(lane, 1, 2);
  EXPECT_FALSE(asking_->lags(lane, now_));
  now_.monotonic += seconds(2);
  EXPECT_TRUE(asking_->lags(lane, now_));
  answer(lane, 1);
  EXPECT_TRUE(asking_->lags(lane, now_));
  answer(lane, 2);
  end_batch(lane);
  EXPECT_FALSE(asking_->lags(lane, now_));
}

TEST_F(AskingTest, APeerThatLagsForTenSecondsIsReplacedWhereThereAreOthers) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  ask(lane, 1, 2);
  now_.monotonic += seconds(2);
  EXPECT_FALSE(asking_->lags_too_long(lane, now_)) << "nobody has looked yet";
  EXPECT_TRUE(asking_->lags(lane, now_));
  now_.monotonic += seconds(10) - milliseconds(1);
  EXPECT_FALSE(asking_->lags_too_long(lane, now_));
  answer(lane, 1);
  now_.monotonic += milliseconds(1);
  EXPECT_TRUE(asking_->lags_too_long(lane, now_)) << "now and then a block is not enough";
  lanes_.remove(2);
  EXPECT_FALSE(asking_->lags_too_long(lane, now_));
}

// While it was alone it was asked for more before it had served all.
TEST_F(AskingTest, ThatAPeerLaggedIsForgottenOnceItServesAlone) {
  Lane& lane = add(1, kFar);
  add(2, kFar);
  ask(lane, 1, 2);
  now_.monotonic += seconds(2);
  EXPECT_TRUE(asking_->lags(lane, now_));
  lanes_.remove(2);
  answer(lane, 1);
  EXPECT_FALSE(asking_->lags(lane, now_));
  now_.monotonic += seconds(60);
  answer(lane, 2);
  ask(lane, 3, 5);
  add(3, kFar);
  EXPECT_FALSE(asking_->lags(lane, now_));
  EXPECT_FALSE(asking_->lags_too_long(lane, now_));
}

TEST_F(AskingTest, WhatIsUnderWayComesBeforeAFilterIsRenewed) {
  Lane& lane = add(1, kFar);
  ask(lane, 1, 5);
  EXPECT_FALSE(asking_->must_drain(lane)) << "nothing is renewed";
  lane.worn = true;
  EXPECT_TRUE(asking_->must_drain(lane));
}

TEST_F(AskingTest, NothingDrainsWhereACoinIsUnlikely) {
  Lane& lane = add(1, kFar);
  lane.worn = true;
  EXPECT_FALSE(asking_->must_drain(lane)) << "nothing is under way";
  ask(lane, 1, 4);
  EXPECT_FALSE(asking_->must_drain(lane)) << "a few blocks";
  ask(lane, 5, 5);
  EXPECT_TRUE(asking_->must_drain(lane));
  find_no_coins();
  EXPECT_FALSE(asking_->must_drain(lane));
}

TEST_F(AskingTest, WhatDoesNotCountNeedNotComeFirst) {
  Lane& lane = add(1, kFar);
  ask(lane, 1, 5);
  lane.worn = lane.lacking = true;
  EXPECT_FALSE(asking_->must_drain(lane));
}

TEST_F(AskingTest, WhoOffersNoFiltersIsUselessWhereNoWholeBlockMayBeAskedOfIt) {
  use(SourceMode::Auto, 1);
  EXPECT_FALSE(asking_->is_useless(add(1, kFar)));
  Lane& whole = add(2, kFarWhole);
  EXPECT_FALSE(asking_->is_useless(whole));
  asking_->on_whole_block(1, kFarWhole);
  EXPECT_TRUE(asking_->is_useless(whole));
  EXPECT_FALSE(asking_->is_useless(lanes_.at(1))) << "it has its filter";
  EXPECT_FALSE(asking_->is_useless(add(3, kNearWhole)));
}

TEST_F(AskingTest, WhoStillOwesABlockIsNotUseless) {
  use(SourceMode::Auto, 1);
  Lane& lane = add(1, kFarWhole);
  ask(lane, 1, 1, BlockKind::Whole);
  asking_->on_whole_block(p2p::kMaxPayloadBytes, kFarWhole);
  EXPECT_FALSE(asking_->is_useless(lane));
  answer(lane, 1, BlockKind::Whole);
  end_batch(lane);
  EXPECT_TRUE(asking_->is_useless(lane));
}

TEST_F(AskingTest, WhoMayBeAskedLaterIsNotUseless) {
  use(SourceMode::Auto, 2);
  Lane& other = add(1, kFarWhole);
  Lane& lane = add(2, kFarWhole);
  ask(other, 1, 2, BlockKind::Whole);
  EXPECT_FALSE(asking_->choose(lane).has_value()) << "what is under way may be of the largest size";
  EXPECT_FALSE(asking_->is_useless(lane)) << "and may turn out to be small";
  for (chain::Height height = 1; height <= 2; ++height) {
    asking_->on_whole_block(1'000, kFarWhole);
    answer(other, height, BlockKind::Whole);
  }
  end_batch(other);
  EXPECT_EQ(whole_at(lane), 1U);
}

TEST_F(AskingTest, InTheMidstOfAStretchWhoIsNearByIsKeptForWhatComesBehindIt) {
  slice();
  EXPECT_FALSE(asking_->is_useless(add(1, kNearWhole)));
  EXPECT_TRUE(asking_->is_useless(add(2, kFarWhole)));
}

}  // namespace
}  // namespace spv::sync
