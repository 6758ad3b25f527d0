#include "sync/relay/fee_survey.h"

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using chain::kCoin;
using std::chrono::seconds;
using test::TxBuilder;

constexpr chain::Amount kFees = 2'000'000;

class FeeSurveyTest : public testing::Test {
 protected:
  FeeSurveyTest() {
    blocks_.blocks(30);
    const auto headers = blocks_.headers(1);
    (void)chain_.accept(headers, 2'000'000'000);
    survey_.start(now_);
  }
  std::vector<Send> advance(std::vector<PeerId> ready, bool more_to_come = false, bool caught_up = true) {
    survey_.advance({.ready = std::move(ready), .more_to_come = more_to_come, .caught_up = caught_up}, now_, rng_,
                    out_);
    std::vector<Send> sent;
    for (auto& action : out_.take()) {
      if (auto* send = std::get_if<Send>(&action)) sent.push_back(std::move(*send));
      if (auto* notify = std::get_if<Notify>(&action)) known_ = std::get<FeesKnown>(notify->event);
    }
    return sent;
  }
  static chain::Transaction coinbase(chain::Height height, chain::Amount fees) {
    return TxBuilder::coinbase(height, test::op_true(), 50 * kCoin + fees);
  }
  bool answer(PeerId peer, chain::Height height, chain::Amount fees = kFees) {
    return survey_.on(peer, {blocks_.block(height).hash, {coinbase(height, fees)}});
  }
  void answer_all(PeerId peer, chain::Amount fees = kFees) {
    for (chain::Height height = 21; height <= 30; ++height) EXPECT_TRUE(answer(peer, height, fees)) << height;
  }

  test::ChainBuilder blocks_;
  const chain::NetworkParams& params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, chain::Uint256(2)};
  chain::HeaderChain chain_{params_, store_};
  FeeSurvey survey_{chain_};
  util::Rng rng_{5};
  Outbox out_;
  std::optional<FeesKnown> known_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(1'000), .wall = 1'700'000'000};
};

TEST_F(FeeSurveyTest, TwoPeersAreAskedForTheCoinbaseOfTheNewestTenBlocksAndNeverDeeper) {
  EXPECT_TRUE(advance({}).empty());
  EXPECT_TRUE(advance({1}, true).empty()) << "a second one may come";
  EXPECT_TRUE(advance({1, 2, 3}, false, false).empty()) << "the newest blocks are not known yet";
  const auto sent = advance({1, 2, 3});
  ASSERT_EQ(sent.size(), 20U);
  std::map<PeerId, std::set<chain::Height>> asked;
  for (const auto& send : sent) {
    const auto& message = std::get<p2p::GetBlockTxn>(send.message);
    EXPECT_EQ(message.indexes, std::vector<std::uint16_t>{0});
    asked[send.peer].insert(*blocks_.find(message.block));
  }
  EXPECT_EQ(asked.size(), 2U);
  for (const auto& [peer, heights] : asked) {
    EXPECT_EQ(heights.size(), 10U);
    EXPECT_EQ(*heights.begin(), 21);
    EXPECT_EQ(*heights.rbegin(), 30);
  }
}

TEST_F(FeeSurveyTest, EndsOnceAllIsAnswered) {
  survey_.on(1, p2p::FeeFilter{1'000});
  advance({1, 2});
  answer_all(1);
  answer_all(2);
  advance({1, 2});
  EXPECT_FALSE(known_.has_value()) << "two peers, and one has not told its floor";
  survey_.on(2, p2p::FeeFilter{1'200});
  advance({1, 2});
  ASSERT_TRUE(known_.has_value());
  EXPECT_EQ(known_->floor, 1'200);
  EXPECT_EQ(known_->peers_heard, 2U);
  EXPECT_EQ(known_->estimate, 2'000);
  EXPECT_EQ(known_->blocks_used, 10U);
  EXPECT_EQ(known_->blocks_by_two, 10U);
  EXPECT_FALSE(survey_.is_active());
  EXPECT_FALSE(survey_.deadline().has_value());
}

TEST_F(FeeSurveyTest, WhereTwoDifferNeitherCounts) {
  advance({1, 2});
  answer_all(1);
  for (chain::Height height = 21; height <= 30; ++height) answer(2, height, height < 25 ? kFees : 40 * kCoin);
  now_.monotonic += FeeSurvey::kAnswerTime;
  EXPECT_EQ(survey_.deadline(), now_.monotonic);
  advance({1, 2});
  ASSERT_TRUE(known_.has_value());
  EXPECT_EQ(known_->estimate, 2'000);
  EXPECT_EQ(known_->blocks_used, 4U);
  EXPECT_FALSE(known_->floor.has_value());
}

TEST_F(FeeSurveyTest, WhatWasNotAskedForIsNoAnswer) {
  EXPECT_FALSE(answer(1, 30)) << "nothing was asked yet";
  advance({1});
  EXPECT_FALSE(answer(2, 30)) << "another peer";
  EXPECT_FALSE(answer(1, 20)) << "a block that was not asked for";
  EXPECT_FALSE(survey_.on(1, {{}, {coinbase(30, kFees)}})) << "no block of ours";
  EXPECT_FALSE(survey_.on(1, {blocks_.block(29).hash, {}})) << "nothing in it";
  EXPECT_FALSE(survey_.on(1, {blocks_.block(28).hash, {coinbase(28, kFees), coinbase(28, kFees)}})) << "too much";
  EXPECT_TRUE(answer(1, 30));
  EXPECT_FALSE(answer(1, 30)) << "a second time";
  EXPECT_TRUE(answer(1, 27, 60 * kCoin)) << "an answer, if one that makes no sense";
  now_.monotonic += FeeSurvey::kAnswerTime;
  advance({1});
  ASSERT_TRUE(known_.has_value());
  EXPECT_FALSE(known_->estimate.has_value()) << "one block is not enough";
}

TEST_F(FeeSurveyTest, SilenceEndsItInTime) {
  now_.monotonic += FeeSurvey::kLongest;
  advance({});
  ASSERT_TRUE(known_.has_value());
  EXPECT_FALSE(known_->floor.has_value());
  EXPECT_FALSE(known_->estimate.has_value());
}

TEST_F(FeeSurveyTest, ALostPeerIsNotWaitedFor) {
  survey_.on(1, p2p::FeeFilter{1'000});
  advance({1, 2});
  answer_all(1);
  survey_.on_peer_lost(2);
  advance({1});
  ASSERT_TRUE(known_.has_value());
  EXPECT_EQ(known_->estimate, 2'000);
  EXPECT_EQ(known_->blocks_by_two, 0U);
}

}  // namespace
}  // namespace spv::sync
