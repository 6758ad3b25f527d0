#include "sync/headers/header_sync.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"

namespace spv::sync {
namespace {

using chain::BlockHeader;
using chain::Checkpoint;
using chain::test::kLater;
using chain::test::mine_on;

constexpr std::size_t kBatch = p2p::kMaxHeaders;
constexpr PeerId kPeer = 1;
constexpr PeerId kOther = 2;

/// A chain whose network has checkpoints a period apart, on the headers `real`, and one peer that sends.
class HeaderSyncTest : public testing::Test {
 protected:
  HeaderSyncTest() {
    network_.checkpoints = checkpoints_;
    sync_.add_peer(kPeer, {"a", 1});
  }
  HeaderSync::Result receive(std::span<const BlockHeader> headers, PeerId peer = kPeer) {
    p2p::Headers message;
    message.headers.assign(headers.begin(), headers.end());
    return sync_.on(peer, message, now_, out_);
  }
  /// Who was asked for headers since the last call.
  std::vector<PeerId> whom_asked() {
    std::vector<PeerId> peers;
    for (const auto& action : out_.take()) {
      const auto* send = std::get_if<Send>(&action);
      if (send != nullptr && std::holds_alternative<p2p::GetHeaders>(send->message)) peers.push_back(send->peer);
    }
    return peers;
  }
  std::size_t asked() { return whom_asked().size(); }
  std::size_t held() const {
    std::size_t sum = 0;
    for (const auto& branch : chain_.side_branches().all()) sum += branch.headers.size();
    return sum;
  }

  const std::vector<BlockHeader> real_ = mine_on(chain::params(chain::Network::Regtest).genesis, 6100, 1);
  const std::array<Checkpoint, 3> checkpoints_ = {Checkpoint{.height = 2015, .hash = real_[2014].hash()},
                                                  Checkpoint{.height = 4031, .hash = real_[4030].hash()},
                                                  Checkpoint{.height = 6047, .hash = real_[6046].hash()}};
  chain::NetworkParams network_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, network_.genesis, 2};
  chain::HeaderChain chain_{network_, store_};
  HeaderSync sync_{chain_, true};
  Outbox out_;
  util::Now now_{.monotonic = {}, .wall = kLater};
};

TEST_F(HeaderSyncTest, H9_SpamFromGenesisCostsThePeerItsConnectionWithinTwoBatchesAndUsNothing) {
  const auto spam = mine_on(network_.genesis, 2 * kBatch, 2);
  EXPECT_EQ(receive(std::span(spam).first(kBatch)).fault, std::nullopt);
  EXPECT_EQ(chain_.height(), 0);
  EXPECT_TRUE(receive(std::span(spam).subspan(kBatch)).fault);
  EXPECT_EQ(chain_.height(), 0);
  EXPECT_LE(held(), 2 * kBatch);
}

TEST_F(HeaderSyncTest, H9_SpamThatForksBelowACheckpointPassedIsRefusedAtOnce) {
  for (std::size_t at = 0; at < 3 * kBatch; at += kBatch) receive(std::span(real_).subspan(at, kBatch));
  ASSERT_EQ(chain_.height(), 4031);
  const auto before = held();
  EXPECT_TRUE(receive(mine_on(real_[3000], 10, 2)).fault);
  EXPECT_EQ(held(), before);
}

TEST_F(HeaderSyncTest, TheTrueChainIsAskedForOnAndOnAndStoredAtEveryCheckpoint) {
  std::vector<chain::Height> heights;
  for (std::size_t at = 0; at < real_.size(); at += kBatch) {
    const auto batch = std::span(real_).subspan(at, std::min(kBatch, real_.size() - at));
    EXPECT_EQ(receive(batch).fault, std::nullopt);
    EXPECT_EQ(sync_.deadline(kPeer).has_value(), batch.size() == kBatch);
    EXPECT_LE(held(), 2 * kBatch);
    heights.push_back(chain_.height());
  }
  EXPECT_EQ(heights, (std::vector<chain::Height>{0, 2015, 4031, 6100}));
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
  EXPECT_EQ(sync_.added(), real_.size());
}

// The next question goes out before the batch is taken, and so knows nothing of its height.
TEST_F(HeaderSyncTest, APeerWhoseChainEndsWithAFullBatchServesAllOfIt) {
  network_.checkpoints = {};
  receive(std::span(real_).first(kBatch));
  ASSERT_EQ(chain_.height(), 2'000);
  EXPECT_EQ(sync_.serves_to(kPeer), 2'000);
  receive({});
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
  EXPECT_EQ(sync_.serves_to(kPeer), 2'000);
}

TEST_F(HeaderSyncTest, WhatFollowsAFullBatchIsAskedForOnceBeforeItIsChecked) {
  network_.checkpoints = {};
  p2p::Headers message;
  message.headers.assign(real_.begin(), real_.begin() + kBatch);
  sync_.ask_ahead(kPeer, message, now_, out_);
  EXPECT_EQ(chain_.height(), 0);
  EXPECT_EQ(asked(), 1U);
  EXPECT_EQ(sync_.on(kPeer, message, now_, out_).fault, std::nullopt);
  EXPECT_EQ(chain_.height(), 2'000);
  EXPECT_EQ(asked(), 0U);
  EXPECT_TRUE(sync_.deadline(kPeer));
  EXPECT_EQ(receive(std::span(real_).subspan(kBatch, 100)).fault, std::nullopt);
  EXPECT_EQ(chain_.height(), 2'100);
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
}

TEST_F(HeaderSyncTest, NothingIsAskedForAheadOfABatchThatIsNotFull) {
  p2p::Headers message;
  message.headers.assign(real_.begin(), real_.begin() + kBatch - 1);
  sync_.ask_ahead(kPeer, message, now_, out_);
  EXPECT_EQ(asked(), 0U);
}

TEST_F(HeaderSyncTest, H13_BatchesThatGainNothingEndTheAsking) {
  receive(std::span(real_).first(kBatch));
  for (int i = 0; i < 3 && !sync_.is_caught_up(kPeer); ++i) receive(std::span(real_).first(kBatch));
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
  EXPECT_FALSE(sync_.deadline(kPeer));
}

TEST_F(HeaderSyncTest, H18_AReorganisationBelowTheLastCheckpointPassedEndsTheConnectionWithItsReason) {
  for (std::size_t at = 0; at < real_.size(); at += kBatch) {
    receive(std::span(real_).subspan(at, std::min(kBatch, real_.size() - at)));
  }
  ASSERT_EQ(chain_.height(), 6100);
  EXPECT_EQ(receive(mine_on(real_[6045], 9, 2)).fault, DisconnectReason::CheckpointMismatch);
  EXPECT_EQ(receive(mine_on(real_[6046], 9, 2)).fault, std::nullopt) << "leaves at the checkpoint itself";
  EXPECT_EQ(chain_.tip().hash, real_.back().hash());
}

TEST_F(HeaderSyncTest, TheNextQuestionIsThereWhateverBecomesOfTheBatch) {
  auto batch = mine_on(network_.genesis, kBatch, 1);
  batch[1].bits = 0;
  EXPECT_TRUE(receive(batch).fault);
  EXPECT_EQ(asked(), 1U) << "it was asked before the batch was looked at";
}

TEST_F(HeaderSyncTest, H12_AnAnnouncementWhileAnAnswerIsDueSettlesNothing) {
  receive(std::span(real_).first(kBatch));
  ASSERT_EQ(asked(), 1U);
  const auto deadline = sync_.deadline(kPeer);
  now_.monotonic += std::chrono::seconds(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(receive(std::span(real_).last(1)).fault, std::nullopt);
  EXPECT_EQ(asked(), 0U);
  EXPECT_EQ(sync_.deadline(kPeer), deadline);
  EXPECT_FALSE(sync_.is_caught_up(kPeer));
  receive(std::span(real_).subspan(kBatch, kBatch));
  receive(std::span(real_).subspan(2 * kBatch, kBatch));
  receive(std::span(real_).subspan(3 * kBatch));
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
  EXPECT_EQ(asked(), 3U) << "two batches, and once more for what was announced";
}

TEST_F(HeaderSyncTest, H12_AShortAnswerAfterAForkIsAnAnswer) {
  network_.checkpoints = {};
  receive(std::span(real_).first(100));
  sync_.on_block_announced(kPeer, real_[3000].hash(), now_, out_);
  ASSERT_TRUE(sync_.deadline(kPeer));
  ASSERT_FALSE(sync_.is_caught_up(kPeer));
  receive(mine_on(real_[97], 3, 2));  // it has left our chain: what it sends follows a block of our locator
  EXPECT_FALSE(sync_.deadline(kPeer));
  EXPECT_TRUE(sync_.is_caught_up(kPeer));
  EXPECT_EQ(chain_.height(), 101);
}

TEST_F(HeaderSyncTest, H7_HeadersFromTheFutureAreNoFaultHoweverOftenTheyCome) {
  network_.checkpoints = {};
  now_.wall = util::UnixTime{real_[9].time} - chain::kMaxFutureSeconds;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(receive(std::span(real_).first(20)).fault, std::nullopt);
    EXPECT_EQ(receive(std::span(real_).subspan(15, 1)).fault, std::nullopt) << "connects to nothing that we took";
    EXPECT_TRUE(sync_.deadline(kPeer));
  }
  EXPECT_EQ(chain_.height(), 10);
  std::vector<std::int64_t> warnings;
  for (const auto& action : out_.take()) {
    const auto* told = std::get_if<Notify>(&action);
    if (told != nullptr) warnings.push_back(std::get<ClockSuspected>(told->event).seconds);
  }
  EXPECT_EQ(warnings, std::vector<std::int64_t>{chain::kMaxFutureSeconds + 600}) << "told once";
  now_.wall = kLater;
  receive(std::span(real_).subspan(10, 10));
  EXPECT_EQ(chain_.height(), 20);
}

TEST_F(HeaderSyncTest, PeersAreAskedOneAfterTheOther) {
  network_.checkpoints = {};
  sync_.add_peer(kOther, {"b", 1});
  EXPECT_FALSE(sync_.caught_up());
  sync_.pump(now_, out_);
  EXPECT_EQ(whom_asked(), std::vector{kPeer});
  sync_.pump(now_, out_);
  EXPECT_EQ(whom_asked(), std::vector<PeerId>{}) << "one leads";
  receive(std::span(real_).first(100));
  sync_.pump(now_, out_);
  EXPECT_EQ(whom_asked(), std::vector{kOther});
  EXPECT_FALSE(sync_.caught_up());
  receive({}, kOther);
  EXPECT_TRUE(sync_.caught_up());
  EXPECT_EQ(sync_.serves_to(kOther), 100);
}

TEST_F(HeaderSyncTest, APeerOutOfTurnIsListenedToButNeitherAskedNorWaitedFor) {
  network_.checkpoints = {};
  sync_.add_peer(kOther, {"courier", 1}, false);
  receive(std::span(real_).first(100));
  EXPECT_TRUE(sync_.caught_up());
  sync_.pump(now_, out_);
  EXPECT_EQ(asked(), 0U);
  receive(std::span(real_).subspan(100, 1), kOther);
  EXPECT_EQ(chain_.height(), 101);
  sync_.remove_peer(kPeer);
  EXPECT_FALSE(sync_.caught_up()) << "nobody is left who could say so";
}

TEST_F(HeaderSyncTest, AfterAReorganisationTheOthersServeOnlyWhatTheyShare) {
  network_.checkpoints = {};
  sync_.add_peer(kOther, {"b", 1});
  receive(std::span(real_).first(100));
  receive(std::span(real_).first(100), kOther);
  ASSERT_EQ(sync_.serves_to(kPeer), 100);
  const auto result = receive(mine_on(real_[97], 5, 2), kOther);
  EXPECT_TRUE(result.update.is_reorganisation());
  EXPECT_EQ(sync_.reorganisations(), 1U);
  EXPECT_EQ(sync_.serves_to(kPeer), 98);
  EXPECT_EQ(sync_.serves_to(kOther), 103);
}

TEST_F(HeaderSyncTest, TheNextDeadlineIsTheEarliestAndIsPutOffByOtherProgress) {
  sync_.add_peer(kOther, {"b", 1});
  EXPECT_EQ(sync_.next_deadline(), std::nullopt);
  sync_.on_block_announced(kPeer, real_[0].hash(), now_, out_);
  const auto first = sync_.next_deadline();
  ASSERT_EQ(first, now_.monotonic + HeaderSync::kAnswerTimeout);
  now_.monotonic += std::chrono::seconds(1);
  sync_.on_block_announced(kOther, real_[0].hash(), now_, out_);
  EXPECT_EQ(sync_.next_deadline(), first);
  sync_.on_other_progress(kPeer, now_);
  EXPECT_EQ(sync_.next_deadline(), *first + std::chrono::seconds(1));
  sync_.remove_peer(kPeer);
  sync_.remove_peer(kOther);
  EXPECT_EQ(sync_.next_deadline(), std::nullopt);
}

// --- peers that claim more than they serve

class HeaderClaimsTest : public HeaderSyncTest {
 protected:
  HeaderClaimsTest() { network_.checkpoints = {}; }  // below them nothing counts at once
};

TEST_F(HeaderClaimsTest, APeerThatServesLessThanItClaimsIsDoubtful) {
  sync_.add_peer(kPeer, {"a", 1}, true, 130);
  sync_.pump(now_, out_);
  EXPECT_FALSE(sync_.overclaim(kPeer)) << "it has not answered yet";
  receive(std::span(real_).first(119));
  const auto claim = sync_.overclaim(kPeer);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->claimed, 130);
  EXPECT_EQ(claim->shown, 119);
  EXPECT_TRUE(sync_.all_overclaim());
  EXPECT_FALSE(sync_.is_outdone(kPeer)) << "there is nobody else";
  EXPECT_EQ(sync_.serves_to(kPeer), 119);
  receive(std::span(real_).subspan(119, 11));
  EXPECT_FALSE(sync_.overclaim(kPeer)) << "it has caught up";
  EXPECT_FALSE(sync_.all_overclaim());
}

TEST_F(HeaderClaimsTest, AnEmptyAnswerShowsNoMoreThanWeHave) {
  sync_.add_peer(kPeer, {"a", 1}, true, 5);
  sync_.pump(now_, out_);
  receive({});
  EXPECT_TRUE(sync_.overclaim(kPeer));
  sync_.add_peer(kPeer, {"a", 1}, true, 0);
  EXPECT_FALSE(sync_.overclaim(kPeer));
}

TEST_F(HeaderClaimsTest, WhereAnotherServesWhatItClaimsADoubtfulPeerServesNothing) {
  sync_.add_peer(kPeer, {"a", 1}, true, 130);
  sync_.add_peer(kOther, {"b", 1}, true, 119);
  sync_.pump(now_, out_);
  receive(std::span(real_).first(119));
  EXPECT_EQ(sync_.serves_to(kPeer), 119) << "the other has not answered yet";
  sync_.pump(now_, out_);
  receive({}, kOther);
  EXPECT_TRUE(sync_.is_outdone(kPeer));
  EXPECT_EQ(sync_.serves_to(kPeer), -1);
  EXPECT_EQ(sync_.serves_to(kOther), 119);
  EXPECT_FALSE(sync_.all_overclaim());
  sync_.remove_peer(kOther);
  EXPECT_EQ(sync_.serves_to(kPeer), 119) << "better than nobody";
}

}  // namespace
}  // namespace spv::sync
