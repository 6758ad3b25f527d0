// Which wallets are followed together, and how shards stand as one.
#include "client/shards.h"

#include <boost/asio/io_context.hpp>

#include "tests/client/parts_fixture.h"

namespace spv::client {
namespace {

using namespace std::chrono_literals;

class ShardsTest : public test::ClientParts {
 protected:
  ShardsTest() { setup_.options.fp_rate = kNarrow; }

  /// Two wallets that no filter holds together, each in a shard of its own.
  void place_two() {
    for (const char* name : {"crowd", "more"}) shards_.place(open_crowd(wallets_, name), wallets_);
    ASSERT_EQ(shards_.all().size(), 2U);
  }
  [[nodiscard]] Shard& second() const { return *shards_.all()[1]; }

  OpenWallets wallets_{setup_, events_};
  Shards shards_{setup_, events_};
};

// --- places ---------------------------------------------------------------------------------------------------------

TEST_F(ShardsTest, WalletsShareAShardAsLongAsOneFilterHoldsThem) {
  place_two();
  Held& small = open(wallets_, "small");
  shards_.place(small, wallets_);
  EXPECT_EQ(shards_.all().size(), 2U);
  EXPECT_EQ(small.shard, &shards_.first()) << "the first with room";
  EXPECT_EQ(wallets_.find("more")->shard, &second());
  EXPECT_EQ(shards_.first().session.elements(), 101U);
  EXPECT_TRUE(told().empty()) << "each of them fits a filter";
}

TEST_F(ShardsTest, WholeBlocksAreMatchedForAnyNumberOfWallets) {
  setup_.options.source = Source::Blocks;
  for (const char* name : {"crowd", "more"}) shards_.place(open_crowd(wallets_, name, 3), wallets_);
  EXPECT_EQ(shards_.all().size(), 1U);
  EXPECT_TRUE(told().empty());
}

TEST_F(ShardsTest, AWalletThatNoFilterHoldsIsWarnedOfByItsName) {
  shards_.place(open_crowd(wallets_, "huge", 3), wallets_);
  const auto warnings = told_only<WarningEvent>();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].message.find("'huge' watches 300 scripts"), std::string::npos) << warnings[0].message;
}

TEST_F(ShardsTest, AWalletThatIsDisplacedTakesTheShardThatWasMadeForItAlong) {
  place_two();
  Held& small = open(wallets_, "small");
  shards_.place(small, wallets_);
  shards_.displace(small);
  EXPECT_EQ(small.shard, nullptr);
  EXPECT_EQ(shards_.all().size(), 2U) << "others are in that one";
  Held& more = *wallets_.find("more");
  const Shard* gone = more.shard;
  shards_.displace(more);
  EXPECT_FALSE(shards_.contains(gone));
  EXPECT_EQ(shards_.all().size(), 1U);
  shards_.displace(more);
  EXPECT_EQ(shards_.all().size(), 1U) << "it is in none";
}

TEST_F(ShardsTest, AShardThatIsEmptyAndAboutToGoTakesNobodyIn) {
  Held& one = open(wallets_, "one");
  shards_.place(one, wallets_);
  one.shard->session.remove(one.id);
  Held& two = open(wallets_, "two", 2);
  shards_.place(two, wallets_);
  EXPECT_EQ(two.shard, &second());
}

// --- by position ----------------------------------------------------------------------------------------------------

/// Wallets that are scanned to various blocks, while others are followed.
class ShardPositionsTest : public ShardsTest {
 protected:
  ShardPositionsTest() { setup_.options.follow = true; }

  /// The next block that it lacks is this one.
  Held& open_at(const std::string& name, chain::Height next) {
    Held& held = open(wallets_, name, 1, next);
    if (next > 0) wallets_.note({scanned(held, next - 1)});
    return held;
  }
  Shard* place_at(const std::string& name, chain::Height next) {
    Held& held = open_at(name, next);
    shards_.place_by_position(held, wallets_);
    return held.shard;
  }
  void place_all() {
    shards_.place_all(wallets_, [] {});
  }
};

TEST_F(ShardPositionsTest, AWalletThatIsNearJoinsAndOneThatIsBehindIsScannedApart) {
  Shard* tip = place_at("tip", 1'000);
  EXPECT_FALSE(tip->catches_up);
  EXPECT_EQ(place_at("near", 1'000 - Shards::kNear), tip);
  Shard* behind = place_at("behind", 500);
  EXPECT_NE(behind, tip);
  EXPECT_TRUE(behind->catches_up);
  EXPECT_FALSE(tip->catches_up);
  EXPECT_EQ(place_at("beside it", 510), behind);
}

TEST_F(ShardPositionsTest, OneThatIsAheadOfAllDoesNotWaitForThem) {
  Shard* old = place_at("old", 500);
  Shard* tip = place_at("tip", 1'000);
  EXPECT_NE(old, tip);
  EXPECT_FALSE(tip->catches_up);
  EXPECT_TRUE(old->catches_up);
  EXPECT_EQ(&shards_.first(), old) << "it still fetches the headers";
}

TEST_F(ShardPositionsTest, AWalletWithBlocksToScanAgainIsBehind) {
  place_at("tip", 1'000);
  Held& held = open_at("owes", 1'000);
  held.open.wallet.set_scan({.scanned_to = block_at(999), .backfill = wallet::HeightRange{200, 999}, .anchors = {}});
  shards_.place_by_position(held, wallets_);
  EXPECT_TRUE(held.shard->catches_up);
}

TEST_F(ShardPositionsTest, FewCatchUpAtATimeAndTheOthersJoinOneBelowOrWaitTogether) {
  place_at("tip", 1'000);
  Shard* one = place_at("one", 500);
  Shard* two = place_at("two", 300);
  EXPECT_NE(one, two);
  EXPECT_EQ(place_at("above both", 700), one) << "the nearest below";
  EXPECT_EQ(place_at("between", 400), two);
  Shard* waits = place_at("below both", 100);
  EXPECT_NE(waits, two);
  EXPECT_TRUE(waits->catches_up);
  EXPECT_EQ(place_at("lower still", 10), waits);
  EXPECT_EQ(shards_.all().size(), 4U);
}

TEST_F(ShardPositionsTest, WhereTheFilterIsFullAnotherOneIsAtTheSamePlace) {
  Held& crowd = open_crowd(wallets_, "crowd");
  wallets_.note({scanned(crowd, 999)});
  shards_.place_by_position(crowd, wallets_);
  Held& more = open_crowd(wallets_, "more");
  wallets_.note({scanned(more, 999)});
  shards_.place_by_position(more, wallets_);
  EXPECT_NE(more.shard, crowd.shard);
  EXPECT_FALSE(more.shard->catches_up);
}

TEST_F(ShardPositionsTest, AtTheStartThoseThatAreBehindAreScannedApart) {
  Held& old = open_at("old", 100);
  Held& fresh = open(wallets_, "fresh", 1, 100);
  Held& tip = open_at("tip", 1'000);
  place_all();
  EXPECT_EQ(tip.shard, &shards_.first()) << "they keep nobody waiting for headers";
  EXPECT_FALSE(tip.shard->catches_up);
  EXPECT_TRUE(old.shard->catches_up);
  EXPECT_EQ(fresh.shard, old.shard);
}

TEST_F(ShardPositionsTest, WhereAllBeginTheyAreScannedTogether) {
  Held& one = open(wallets_, "one", 1, 0);
  Held& two = open(wallets_, "two", 2, 5'000);
  place_all();
  EXPECT_EQ(one.shard, two.shard);
  EXPECT_FALSE(one.shard->catches_up);
}

TEST_F(ShardPositionsTest, WhereNobodyFollowsTheTipAllAreScannedTogether) {
  setup_.options.follow = false;
  Held& old = open_at("old", 100);
  Held& tip = open_at("tip", 1'000);
  place_all();
  EXPECT_EQ(old.shard, tip.shard);
  EXPECT_EQ(place_at("later", 10), tip.shard);
}

TEST_F(ShardPositionsTest, ATipIsThatOfThoseWhoDoNotCatchUp) {
  Shard* tip = place_at("tip", 1'000);
  Shard* behind = place_at("behind", 500);
  tip->tip = block_at(5);
  EXPECT_EQ(shards_.common_tip(), block_at(5));
  tip->finished = true;
  EXPECT_FALSE(shards_.all_finished());
  behind->finished = true;
  EXPECT_TRUE(shards_.all_finished());
}

TEST_F(ShardPositionsTest, WhereOnlyThoseThatCatchUpAreLeftTheyAreTheOnesAtTheTip) {
  Shard* tip = place_at("tip", 1'000);
  Shard* behind = place_at("behind", 500);
  shards_.erase(*tip);
  EXPECT_FALSE(behind->catches_up);
}

TEST_F(ShardPositionsTest, WalletsOfOneShardCanGoToAnother) {
  Shard* tip = place_at("tip", 1'000);
  Shard* behind = place_at("behind", 500);
  Shards::unite({.into = tip, .from = behind}, wallets_);
  EXPECT_TRUE(behind->session.empty());
  EXPECT_EQ(wallets_.find("behind")->shard, tip);
  EXPECT_EQ(tip->session.elements(), 2U);
  EXPECT_TRUE(tip->joining);
  EXPECT_FALSE(shards_.next_union()) << "nobody is at the tip";
}

// --- as one ---------------------------------------------------------------------------------------------------------

TEST_F(ShardsTest, ABlockIsCommonOnceTheLastShardHasComeToIt) {
  EXPECT_FALSE(shards_.common_tip());
  place_two();
  shards_.first().tip = block_at(5);
  EXPECT_FALSE(shards_.common_tip());
  second().tip = block_at(5, 1);
  EXPECT_FALSE(shards_.common_tip()) << "another block of that height";
  second().tip = block_at(5);
  EXPECT_EQ(shards_.common_tip(), block_at(5));
}

TEST_F(ShardsTest, AllAreFinishedOnceEachIsAndNoWalletJoins) {
  place_two();
  shards_.first().finished = true;
  EXPECT_FALSE(shards_.all_finished());
  second().finished = true;
  EXPECT_TRUE(shards_.all_finished());
  second().joining = true;
  EXPECT_FALSE(shards_.all_finished()) << "its engine does not know all its wallets";
}

TEST_F(ShardsTest, ASyncEndsOnlyWhereNobodyFollowsTheTipAndNoWalletJoins) {
  EXPECT_FALSE(shards_.all_ended()) << "nothing has begun";
  setup_.options.follow = false;
  place_two();
  for (Shard* shard : shards_.all()) shard->finished = true;
  EXPECT_TRUE(shards_.all_ended());
  second().joining = true;
  EXPECT_FALSE(shards_.all_ended());
  second().joining = false;
  second().follows = true;
  EXPECT_FALSE(shards_.all_ended());
}

TEST_F(ShardsTest, AShardAtRestMustFinishAgain) {
  place_two();
  second().finished = true;
  second().tip = block_at(5);
  shards_.retire(second());
  EXPECT_FALSE(second().finished);
  EXPECT_FALSE(second().tip);
  EXPECT_TRUE(shards_.contains(&second()));
}

// --- runs -----------------------------------------------------------------------------------------------------------

/// With a node that has 22 blocks.
class ShardRunsTest : public ShardsTest {
 protected:
  ShardRunsTest() {
    setup_.options.peers = {"127.0.0.1:" + std::to_string(server_.port())};
    setup_.options.follow = false;
    place_two();
  }
  void open_headers(Shard& shard) { shard.session.open_headers(session_); }
  void run(Shard& shard) {
    open_headers(shard);
    SessionHooks hooks;
    hooks.commit = [](const std::vector<MemberChanges>&) {};
    hooks.notify = [](const SyncEvent&) {};
    ASSERT_EQ(shard.session.run(session_, std::move(hooks)), RunResult::Finished);
  }

  test::FakeNode node_{test::paid_chain()};
  test::LoopbackServer server_{test::serve_node(node_)};
  SessionSetup session_{setup_.params, setup_.options, setup_.folder.headers().string()};
};

TEST_F(ShardRunsTest, TheOthersStartOnceTheFirstHasTheHeadersAndFindThemInTheFile) {
  EXPECT_EQ(shards_.due(), std::vector{&shards_.first()});
  open_headers(shards_.first());
  boost::asio::io_context io;
  shards_.first().session.prepare(io, session_, {});
  EXPECT_TRUE(shards_.due().empty()) << "the first has begun, and has no headers yet";
  EXPECT_FALSE(shards_.others_can_start());
  shards_.first().session.rest();
  run(shards_.first());
  EXPECT_TRUE(shards_.others_can_start());
  EXPECT_EQ(shards_.due(), std::vector{&second()});
  open_headers(second());
  EXPECT_EQ(second().session.headers()->tip_height(), 22);
  run(second());
  EXPECT_FALSE(shards_.others_can_start());
  EXPECT_TRUE(shards_.due().empty());
}

TEST_F(ShardRunsTest, ProgressIsThatOfTheSlowestAndBytesAreThoseOfAll) {
  run(shards_.first());
  auto progress = shards_.progress();
  EXPECT_EQ(progress.headers, 22);
  EXPECT_EQ(progress.announced, 22);
  EXPECT_EQ(progress.scanned, -1) << "the second has not begun";
  const auto of_first = progress.bytes_in;
  EXPECT_EQ(of_first, shards_.first().session.bytes().in);
  EXPECT_GT(of_first, 0U);
  run(second());
  progress = shards_.progress();
  EXPECT_EQ(progress.scanned, 22);
  EXPECT_EQ(progress.bytes_in, of_first + second().session.bytes().in);
  EXPECT_EQ(progress.bytes_out, shards_.first().session.bytes().out + second().session.bytes().out);
}

TEST_F(ShardRunsTest, BytesStayCountedAfterAShardIsRetiredAndAfterAll) {
  run(shards_.first());
  const auto read = shards_.progress().bytes_in;
  shards_.retire(shards_.first());
  open_headers(shards_.first());
  EXPECT_EQ(shards_.progress().bytes_in, read);
  run(shards_.first());
  const auto both = shards_.progress().bytes_in;
  EXPECT_GT(both, read);
  shards_.clear();
  EXPECT_TRUE(shards_.empty());
  EXPECT_EQ(shards_.headers(), nullptr);
  shards_.place(open(wallets_, "later"), wallets_);
  open_headers(shards_.first());
  EXPECT_EQ(shards_.progress().bytes_in, both);
}

}  // namespace
}  // namespace spv::client
