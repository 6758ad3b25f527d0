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
