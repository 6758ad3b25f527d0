// Two filters of one block that differ, and what the block says of them.
#include "sync/scan/compact/filter_trial.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;
using test::TxBuilder;

constexpr PeerId kThem = 1;
constexpr PeerId kOurs = 2;

/// Block 1 pays one script and spends a coin of another, which is known.
class FilterTrialTest : public testing::Test {
 protected:
  FilterTrialTest() {
    mined_.block({TxBuilder(1).spends(coin_).pays(paid_, 500).build()}).blocks(2);
    EXPECT_FALSE(chain_.accept(mined_.headers(), 4'000'000'000).error);
    coinbase_ = mined_.block(1).txs[0].outputs[0].script_pubkey;
  }

  [[nodiscard]] util::Bytes filter_of(const std::vector<util::Bytes>& scripts) const {
    bip158::BasicFilterBuilder builder;
    for (const auto& script : scripts) builder.add_output(script);
    return builder.build(block().hash);
  }
  /// Everything that can be seen in the block.
  [[nodiscard]] std::vector<util::Bytes> all() const { return {coinbase_, paid_, spent_}; }
  [[nodiscard]] chain::BlockRef block() const { return {1, mined_.block(1).hash}; }
  [[nodiscard]] p2p::CFilter message(const util::Bytes& filter) const {
    return {.filter_type = bip158::kBasicType, .block = block().hash, .filter = filter};
  }
  void begin(const util::Bytes& theirs, const util::Bytes& ours) {
    kept_.replace_above(-1, std::array{bip158::FilterHeader{},
                                       bip158::filter_header(bip158::filter_hash(ours), bip158::FilterHeader{})});
    trial_.begin({.peer = kThem, .height = 1, .filter_hash = bip158::filter_hash(theirs)}, block());
    trial_.on_asked(kThem, trial_.theirs, now_);
    trial_.on_asked(kOurs, trial_.ours, now_);
  }
  void bring_block(bool news = false) {
    const auto whole = mined_.block(1).serialize();
    trial_.on_block(util::ByteView(whole).subspan(chain::BlockHeader::kSize), news);
  }
  std::optional<FilterTrial::Verdict> judge(const std::vector<util::Bytes>& theirs,
                                            const std::vector<util::Bytes>& ours) {
    const auto their_filter = filter_of(theirs);
    const auto our_filter = filter_of(ours);
    begin(their_filter, our_filter);
    EXPECT_TRUE(trial_.on_filter(kThem, message(their_filter), headers_));
    EXPECT_TRUE(trial_.on_filter(kOurs, message(our_filter), headers_));
    bring_block();
    return trial_.verdict(true);
  }

  util::Bytes paid_ = test::p2wpkh(util::Bytes(20, 0x11));
  util::Bytes spent_ = test::p2wpkh(util::Bytes(20, 0x22));
  util::Bytes other_ = test::p2wpkh(util::Bytes(20, 0x33));
  util::Bytes coinbase_;
  chain::OutPoint coin_{TxBuilder(9).build().txid(), 0};
  test::ChainBuilder mined_;
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
  bip158::MemoryFilterHeaders kept_{0};
  FilterHeaders headers_{chain_, kept_};
  FilterTrial trial_{
      [this](const chain::OutPoint& coin) { return coin == coin_ ? std::optional(spent_) : std::nullopt; }};
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 4'000'000'000};
};

TEST_F(FilterTrialTest, AFilterThatLeavesOutWhatTheBlockPaysIsFalse) {
  const auto verdict = judge({coinbase_, spent_}, all());
  ASSERT_TRUE(verdict.has_value());
  EXPECT_TRUE(verdict->theirs_false);
  EXPECT_FALSE(verdict->ours_false);
}

TEST_F(FilterTrialTest, SoIsOursIfItLeavesOutWhatTheBlockSpends) {
  const auto verdict = judge(all(), {coinbase_, paid_});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_FALSE(verdict->theirs_false);
  EXPECT_TRUE(verdict->ours_false);
}

TEST_F(FilterTrialTest, BothMayBeFalse) {
  const auto verdict = judge({other_}, {coinbase_});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_TRUE(verdict->theirs_false);
  EXPECT_TRUE(verdict->ours_false);
}

TEST_F(FilterTrialTest, WhatNobodyCanSeeInTheBlockConvictsNobody) {
  auto with_more = all();
  with_more.push_back(other_);
  const auto verdict = judge(with_more, all());
  ASSERT_TRUE(verdict.has_value());
  EXPECT_FALSE(verdict->theirs_false);
  EXPECT_FALSE(verdict->ours_false);
}

TEST_F(FilterTrialTest, ThereIsNoVerdictBeforeAllIsThere) {
  const auto theirs = filter_of({coinbase_});
  const auto ours = filter_of(all());
  begin(theirs, ours);
  EXPECT_TRUE(trial_.wants(block().hash));
  EXPECT_FALSE(trial_.verdict(true).has_value());
  EXPECT_TRUE(trial_.waits_for(kThem, block().hash));
  EXPECT_TRUE(trial_.on_filter(kThem, message(theirs), headers_));
  EXPECT_FALSE(trial_.waits_for(kThem, block().hash));
  EXPECT_FALSE(trial_.verdict(true).has_value());
  bring_block();
  EXPECT_FALSE(trial_.wants(block().hash));
  EXPECT_FALSE(trial_.verdict(true).has_value());
  EXPECT_TRUE(trial_.on_filter(kOurs, message(ours), headers_));
  EXPECT_TRUE(trial_.verdict(true).has_value());
}

TEST_F(FilterTrialTest, AFilterThatNobodyDefendsGivesWayToOneThatMayBeTrue) {
  const auto theirs = filter_of(all());
  begin(theirs, filter_of({coinbase_, paid_, spent_, other_}));
  EXPECT_TRUE(trial_.on_filter(kThem, message(theirs), headers_));
  bring_block();
  EXPECT_TRUE(trial_.verdict(false)->ours_false);
}

TEST_F(FilterTrialTest, AFilterWithAnotherHashIsNoAnswer) {
  const auto theirs = filter_of({coinbase_});
  const auto ours = filter_of(all());
  begin(theirs, ours);
  EXPECT_FALSE(trial_.on_filter(kThem, message(ours), headers_));
  EXPECT_FALSE(trial_.on_filter(kOurs, message(theirs), headers_));
  EXPECT_FALSE(trial_.on_filter(3, message(theirs), headers_)) << "of somebody who was not asked";
}

TEST_F(FilterTrialTest, AnAnswerBesideTheLaneIsExcusedOnce) {
  begin(filter_of({coinbase_}), filter_of(all()));
  EXPECT_TRUE(trial_.excuses(kThem, block().hash));
  EXPECT_FALSE(trial_.excuses(kThem, block().hash));
  EXPECT_FALSE(trial_.excuses(kOurs, mined_.block(2).hash));
}

TEST_F(FilterTrialTest, WhoeverLeavesIsNotWaitedFor) {
  begin(filter_of({coinbase_}), filter_of(all()));
  trial_.body.asked = kOurs;
  EXPECT_EQ(trial_.deadline(), now_.monotonic + FilterTrial::kStallTimeout);
  trial_.lost(kOurs);
  EXPECT_TRUE(trial_.is_on());
  EXPECT_EQ(trial_.ours.asked, 0U);
  EXPECT_EQ(trial_.body.asked, 0U);
  trial_.lost(kThem);
  EXPECT_FALSE(trial_.is_on()) << "nobody says so any more";
  EXPECT_FALSE(trial_.deadline().has_value());
}

TEST_F(FilterTrialTest, TheBlockIsAskedForAgainUnlessItIsThere) {
  begin(filter_of({coinbase_}), filter_of(all()));
  trial_.body.asked = kOurs;
  trial_.forget_block();
  EXPECT_EQ(trial_.body.asked, 0U);
  trial_.body.asked = kOurs;
  bring_block();
  trial_.forget_block();
  EXPECT_TRUE(trial_.body.came);
}

TEST_F(FilterTrialTest, WhetherTheBlockBroughtNewsIsKnownUntilTheNextTrial) {
  begin(filter_of({coinbase_}), filter_of(all()));
  bring_block(true);
  EXPECT_TRUE(trial_.brought_news());
  begin(filter_of({coinbase_}), filter_of(all()));
  EXPECT_FALSE(trial_.brought_news());
}

}  // namespace
}  // namespace spv::sync
