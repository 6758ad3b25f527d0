#include "sync/relay/rebroadcast.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::TxBuilder;

class RebroadcastTest : public testing::Test {
 protected:
  static OwnTransaction own(std::uint64_t number, chain::Height seen_at) {
    auto tx = TxBuilder(number).build();
    const auto txid = tx.txid();
    return {txid, std::move(tx), seen_at};
  }
  void elapse(util::Duration duration) { now_.monotonic += duration; }
  /// Goes on until something is due, and announces it; how long that took.
  util::Duration announce(PeerId peer) {
    const auto from = now_.monotonic;
    EXPECT_TRUE(rebroadcast_.deadline().has_value());
    now_.monotonic = std::max(now_.monotonic, *rebroadcast_.deadline());
    EXPECT_TRUE(rebroadcast_.is_due(now_));
    EXPECT_TRUE(rebroadcast_.announce(peer, now_, rng_, out_));
    return now_.monotonic - from;
  }
  std::vector<chain::Txid> announced() {
    std::vector<chain::Txid> txids;
    for (const auto& action : out_.take()) {
      const auto* send = std::get_if<Send>(&action);
      const auto* inv = send == nullptr ? nullptr : std::get_if<p2p::Inv>(&send->message);
      if (inv == nullptr) continue;
      EXPECT_EQ(inv->items.size(), 1U) << "never a batch";
      for (const auto& item : inv->items) txids.push_back(util::retag<chain::Txid>(item.hash));
    }
    return txids;
  }
  std::size_t sent_for(PeerId peer, const std::vector<OwnTransaction>& wanted) {
    p2p::GetData request;
    for (const auto& tx : wanted) {
      request.items.push_back({p2p::InventoryType::Tx, util::retag<util::Hash256>(tx.txid)});
    }
    rebroadcast_.on(peer, request, out_);
    return out_.take().size();
  }

  Rebroadcast rebroadcast_;
  util::Rng rng_{5};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::hours(1), .wall = 1'700'000'000};
};

TEST_F(RebroadcastTest, NothingIsDueBeforeABlockPassedItBy) {
  rebroadcast_.update({own(1, 100)}, 100, now_, rng_);
  EXPECT_FALSE(rebroadcast_.deadline().has_value());
  rebroadcast_.update({own(1, 100)}, 101, now_, rng_);
  ASSERT_TRUE(rebroadcast_.deadline().has_value());
  EXPECT_LE(*rebroadcast_.deadline(), now_.monotonic + Rebroadcast::kLongestDelay);
}

TEST_F(RebroadcastTest, P6_TheDelayIsRandomAndAtMostThirtySeconds) {
  util::Duration longest{};
  for (int i = 0; i < 200; ++i) {
    rebroadcast_ = Rebroadcast();
    rebroadcast_.update({own(1, 100)}, 101, now_, rng_);
    const auto delay = *rebroadcast_.deadline() - now_.monotonic;
    ASSERT_LE(delay, Rebroadcast::kLongestDelay);
    longest = std::max(longest, delay);
  }
  EXPECT_GT(longest, std::chrono::seconds(20));
}

TEST_F(RebroadcastTest, P6_OneAtATimeEachToItsOwnPeerThenNotForHalfADay) {
  const std::vector<OwnTransaction> both{own(1, 100), own(2, 100)};
  rebroadcast_.update(both, 101, now_, rng_);
  EXPECT_LE(announce(8), Rebroadcast::kLongestDelay);
  EXPECT_LE(announce(9), 2 * Rebroadcast::kLongestDelay);
  EXPECT_EQ(announced().size(), 2U);
  sent_for(8, both);
  sent_for(9, both);
  elapse(Rebroadcast::kFetchTime);
  EXPECT_TRUE(rebroadcast_.is_done(8, now_));
  rebroadcast_.end(8, now_, rng_);
  rebroadcast_.end(9, now_, rng_);
  rebroadcast_.update(both, 140, now_, rng_);
  const auto pause = announce(10);
  EXPECT_GT(pause, std::chrono::hours(11));
  EXPECT_LT(pause, std::chrono::hours(25));
}

TEST_F(RebroadcastTest, P6_APeerGetsOnlyWhatWasAnnouncedToIt) {
  const std::vector<OwnTransaction> both{own(1, 100), own(2, 100)};
  rebroadcast_.update(both, 101, now_, rng_);
  announce(8);
  announce(9);
  const auto order = announced();
  const bool first_is_first = order[0] == both[0].txid;
  EXPECT_EQ(sent_for(8, {both[first_is_first ? 1 : 0]}), 0U);
  EXPECT_EQ(sent_for(7, both), 0U);
  EXPECT_EQ(sent_for(8, both), 1U);
  rebroadcast_.end(8, now_, rng_);
  EXPECT_EQ(sent_for(8, both), 0U);
}

TEST_F(RebroadcastTest, P6_WhereTheFirstPeerDoesNotFetchItOneOtherIsTold) {
  const auto tx = own(1, 100);
  rebroadcast_.update({tx}, 101, now_, rng_);
  announce(8);
  elapse(Rebroadcast::kFetchTime);
  rebroadcast_.end(8, now_, rng_);
  EXPECT_TRUE(rebroadcast_.has_ignored(8, now_));
  EXPECT_FALSE(rebroadcast_.has_ignored(9, now_));
  rebroadcast_.update({tx}, 102, now_, rng_);
  EXPECT_TRUE(rebroadcast_.has_ignored(8, now_)) << "a block changes nothing of that";
  EXPECT_LE(announce(9), Rebroadcast::kLongestDelay);
  elapse(Rebroadcast::kFetchTime);
  rebroadcast_.end(9, now_, rng_);
  EXPECT_GT(announce(8), std::chrono::hours(11)) << "two in a row are enough";
}

TEST_F(RebroadcastTest, WhereNobodyElseIsThereItRestsForHalfADay) {
  rebroadcast_.update({own(1, 100)}, 101, now_, rng_);
  announce(8);
  rebroadcast_.end(8, now_, rng_);
  rebroadcast_.rest(now_, rng_);
  EXPECT_GT(announce(8), std::chrono::hours(11));
}

TEST_F(RebroadcastTest, WhatIsConfirmedIsForgotten) {
  rebroadcast_.update({own(1, 100)}, 101, now_, rng_);
  rebroadcast_.update({}, 102, now_, rng_);
  EXPECT_FALSE(rebroadcast_.deadline().has_value());
  EXPECT_FALSE(rebroadcast_.announce(8, now_, rng_, out_));
}

}  // namespace
}  // namespace spv::sync
