#include "sync/peers/peer_pool.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::seconds;

class PeerPoolTest : public testing::Test {
 protected:
  std::vector<PeerId> connect(PeerPool& pool) {
    Outbox out;
    pool.connect_due(now_, rng_, out);
    std::vector<PeerId> ids;
    for (const auto& action : out.take()) ids.push_back(std::get<Connect>(action).peer);
    return ids;
  }
  util::Rng rng_{3};
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'700'000'000};
};

TEST_F(PeerPoolTest, EveryAddressIsTriedAtOnceAndOnce) {
  PeerPool pool({{"a", 1}, {"b", 2}}, false);
  EXPECT_EQ(connect(pool).size(), 2U);
  EXPECT_TRUE(connect(pool).empty());
}

TEST_F(PeerPoolTest, AFailedAddressIsTriedAgainAfterAGrowingPauseAndThenGivenUp) {
  PeerPool pool({{"a", 1}}, false);
  std::vector<util::Duration> pauses;
  for (unsigned i = 0; i < PeerPool::kMaxAttempts; ++i) {
    const auto ids = connect(pool);
    ASSERT_EQ(ids.size(), 1U);
    EXPECT_FALSE(pool.exhausted());
    pool.on_lost(ids[0], "refused", std::nullopt, now_, rng_);
    if (pool.exhausted()) break;
    pauses.push_back(*pool.next_deadline() - now_.monotonic);
    now_.monotonic = *pool.next_deadline();
  }
  EXPECT_TRUE(pool.exhausted());
  ASSERT_EQ(pauses.size(), 2U);
  for (std::size_t i = 0; i < pauses.size(); ++i) {  // with jitter
    EXPECT_LE(pauses[i], seconds(1) * (i + 1));
    EXPECT_GE(pauses[i], seconds(1) * (i + 1) * 3 / 4);
  }
  EXPECT_EQ(pool.errors(), "a:1: refused");
}

TEST_F(PeerPoolTest, AFollowerNeverGivesUpAndNeverWaitsLongerThanFourSeconds) {
  PeerPool pool({{"a", 1}}, true);
  for (int i = 0; i < 20; ++i) {
    pool.on_lost(connect(pool).at(0), "refused", std::nullopt, now_, rng_);
    ASSERT_FALSE(pool.exhausted());
    EXPECT_LE(*pool.next_deadline() - now_.monotonic, seconds(4));
    now_.monotonic = *pool.next_deadline();
  }
}

TEST_F(PeerPoolTest, APeerThatBrokeTheRulesIsNotUsedAgain) {
  PeerPool pool({{"a", 1}}, true);
  pool.on_lost(connect(pool).at(0), "lied", DisconnectReason::BadProof, now_, rng_);
  EXPECT_TRUE(pool.exhausted());
}

TEST_F(PeerPoolTest, ProgressMakesEarlierFailuresForgotten) {
  PeerPool pool({{"a", 1}}, false);
  for (int i = 0; i < 10; ++i) {
    const auto id = connect(pool).at(0);
    pool.note_progress(id);
    pool.on_lost(id, "gone", std::nullopt, now_, rng_);
    ASSERT_FALSE(pool.exhausted());
    now_.monotonic = *pool.next_deadline();
  }
}

TEST_F(PeerPoolTest, WhoeverIsStillConnectingIsWaitedForAtTheStartOnly) {
  PeerPool pool({{"a", 1}}, false);
  pool.on_started(now_);
  EXPECT_EQ(pool.waits_for_others(now_), std::nullopt);
  connect(pool);
  EXPECT_EQ(pool.waits_for_others(now_), now_.monotonic + PeerPool::kConnectGrace);
  now_.monotonic += PeerPool::kConnectGrace;
  EXPECT_EQ(pool.waits_for_others(now_), std::nullopt);
}

TEST_F(PeerPoolTest, ANamedNodeWithoutFiltersIsTheStrangerAndIsDialledOnRequestOnly) {
  PeerPool pool({{"a", 1}}, true);
  Outbox out;
  EXPECT_EQ(pool.dial_stranger(now_, rng_, out), std::nullopt);
  pool.on_lost(connect(pool).at(0), "no filters", DisconnectReason::NoBloomFilters, now_, rng_);
  EXPECT_TRUE(connect(pool).empty());
  for (int i = 0; i < 2; ++i) {
    const auto id = pool.dial_stranger(now_, rng_, out);
    ASSERT_TRUE(id);
    EXPECT_EQ(pool.dial_stranger(now_, rng_, out), std::nullopt) << "it is in use";
    pool.on_stranger_lost(*id, "finished", DisconnectReason::Finished, now_, rng_);
    EXPECT_TRUE(connect(pool).empty());
  }
}

TEST_F(PeerPoolTest, AnIpv6AddressIsShownInBrackets) { EXPECT_EQ(to_string(PeerAddress{"::1", 18444}), "[::1]:18444"); }

}  // namespace
}  // namespace spv::sync
