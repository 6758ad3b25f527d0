// The chain of filter headers: whose it is, what is asked for, and what is made of answers that differ.
#include "sync/scan/compact/filter_headers.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"

namespace spv::sync {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A chain of 5,000 blocks, and peers whose filters' hashes are made up: alike but where a test says otherwise.
class FilterHeadersTest : public testing::Test {
 protected:
  static constexpr chain::Height kTip = 5'000;

  FilterHeadersTest() {
    mined_.blocks(kTip);
    EXPECT_FALSE(chain_.accept(mined_.headers(), 4'000'000'000).error);
    headers_.begin_at(1);
  }

  /// One that has other filters at these heights.
  using Others = std::set<chain::Height>;
  static bip158::FilterHash hash_at(chain::Height height, const Others& others) {
    bip158::FilterHash hash;
    for (std::size_t i = 0; i < 4; ++i) hash.bytes.at(i) = static_cast<std::uint8_t>(height >> (8 * i));
    hash.bytes[31] = others.contains(height) ? 1 : 0;
    return hash;
  }
  bip158::FilterHeader header_at(chain::Height height, const Others& others) {
    bip158::FilterHeader header{};
    for (chain::Height at = 0; at <= height; ++at) header = bip158::filter_header(hash_at(at, others), header);
    return header;
  }
  /// What the peer is asked for, if it is asked for anything.
  std::optional<p2p::FilterRange> ask(PeerId peer, chain::Height last = kTip) {
    Outbox out;
    headers_.ask(peer, last, ++fence_, now_, out);
    for (const auto& action : out.take()) {
      const auto& message = std::get<Send>(action).message;
      if (const auto* request = std::get_if<p2p::GetCFHeaders>(&message)) return request->range;
    }
    return std::nullopt;
  }
  p2p::CFHeaders answer_to(const p2p::FilterRange& range, const Others& others = {}) {
    p2p::CFHeaders answer;
    answer.filter_type = bip158::kBasicType;
    answer.stop = range.stop;
    const auto first = static_cast<chain::Height>(range.start_height);
    if (first > 0) answer.previous_header = header_at(first - 1, others);
    for (auto at = first; at <= *mined_.find(range.stop); ++at) answer.filter_hashes.push_back(hash_at(at, others));
    return answer;
  }
  /// The peer is asked for what comes next, and answers.
  FilterHeaders::Step serve(PeerId peer, const Others& others = {}, chain::Height last = kTip) {
    const auto range = ask(peer, last);
    if (!range) return {};
    return headers_.on(peer, answer_to(*range, others));
  }
  void serve_all(PeerId peer, const Others& others = {}) {
    while (headers_.reach(peer) < kTip) {
      const auto step = serve(peer, others);
      ASSERT_TRUE(step.taken && !step.fault && !step.difference);
    }
  }

  std::optional<FilterDifference> next_difference(PeerId peer, const Others& others) {
    for (int answers = 0; answers < 10 && headers_.reach(peer) < kTip; ++answers) {
      if (const auto step = serve(peer, others); step.difference) return step.difference;
    }
    return std::nullopt;
  }

  test::ChainBuilder mined_;
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
  bip158::MemoryFilterHeaders kept_{0};
  FilterHeaders headers_{chain_, kept_};
  std::uint64_t fence_ = 0;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 4'000'000'000};
};

TEST_F(FilterHeadersTest, ThoseOfTheFirstPeerAreKept) {
  headers_.add(1);
  serve_all(1);
  EXPECT_EQ(kept_.tip_height(), kTip);
  EXPECT_EQ(kept_.at(kTip), header_at(kTip, {}));
  EXPECT_TRUE(headers_.is_ours(77, hash_at(77, {})));
  EXPECT_FALSE(headers_.is_ours(77, hash_at(77, {77})));
  EXPECT_FALSE(headers_.is_ours(kTip + 1, hash_at(kTip + 1, {})));
  EXPECT_TRUE(headers_.vouches(1, 77));
  EXPECT_EQ(headers_.sent_by_two(), -1);
}

TEST_F(FilterHeadersTest, OneRangeAtATimeIsAskedForAndNoMoreThanAnAnswerHolds) {
  headers_.add(1);
  const auto range = ask(1);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->start_height, 0U);
  EXPECT_EQ(range->stop, mined_.block(1'999).hash);
  EXPECT_FALSE(ask(1).has_value()) << "an answer is due";
  EXPECT_FALSE(ask(2).has_value()) << "nobody knows this peer";
}

TEST_F(FilterHeadersTest, NothingIsAskedForAboveTheLimit) {
  headers_.add(1);
  EXPECT_TRUE(serve(1, {}, 100).taken);
  EXPECT_FALSE(ask(1, 100).has_value());
  EXPECT_EQ(headers_.reach(1), 100);
  EXPECT_EQ(ask(1, 150)->start_height, 101U);
}

TEST_F(FilterHeadersTest, WhatTwoPeersHaveSentAlikeIsKnown) {
  for (const PeerId peer : {1U, 2U}) headers_.add(peer);
  serve_all(1);
  EXPECT_TRUE(serve(2).taken);
  EXPECT_EQ(headers_.sent_by_two(), headers_.reach(2));
  EXPECT_EQ(headers_.vouching(5), (std::vector<PeerId>{1U, 2U}));
  headers_.remove(2);
  EXPECT_EQ(headers_.sent_by_two(), -1);
  EXPECT_EQ(headers_.vouching(5), std::vector<PeerId>{1});
}

// A header commits to all below it, so the first one that differs is found hash by hash.
TEST_F(FilterHeadersTest, TheFirstFilterThatDiffersIsFound) {
  for (const PeerId peer : {1U, 2U}) headers_.add(peer);
  serve_all(1);
  const auto found = next_difference(2, {2'345, 2'350});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->peer, 2U);
  EXPECT_EQ(found->height, 2'345);
  EXPECT_EQ(found->filter_hash, hash_at(2'345, {2'345}));
  EXPECT_EQ(headers_.reach(2), 2'344);
  EXPECT_FALSE(headers_.vouches(2, 2'345));
}

TEST_F(FilterHeadersTest, ADifferenceThatIsPassedOverIsNotMetAgain) {
  headers_.add(1);
  serve_all(1);
  headers_.begin_at(4'000);
  headers_.add(2);
  const Others others{2'345};
  const auto found = next_difference(2, others);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(headers_.pass_over(*found));
  serve_all(2, others);
  EXPECT_FALSE(headers_.vouches(2, 2'345)) << "two filters are there, and one of them is a lie";
  EXPECT_TRUE(headers_.vouches(2, 2'346));
  // A scan that begins lower compares again, and knows of it.
  headers_.begin_at(0);
  ASSERT_LT(headers_.reach(2), 2'345);
  serve_all(2, others);
  // What a reorganisation replaces is not known any more.
  headers_.cut_above(2'000);
  for (const PeerId peer : {1U, 2U}) EXPECT_EQ(headers_.reach(peer), 2'000);
  serve_all(1);
  EXPECT_TRUE(next_difference(2, others).has_value());
}

TEST_F(FilterHeadersTest, APeerThatDiffersInTooManyBlocksIsNotComparedOn) {
  for (const PeerId peer : {1U, 2U}) headers_.add(peer);
  serve_all(1);
  Others others;
  for (chain::Height at = 10; others.size() <= FilterHeaders::kMostPassed; ++at) others.insert(at);
  for (const chain::Height at : others) {
    const auto found = next_difference(2, others);
    ASSERT_TRUE(found.has_value()) << at;
    EXPECT_EQ(found->height, at);
    EXPECT_EQ(headers_.pass_over(*found), at != *others.rbegin());
  }
}

TEST_F(FilterHeadersTest, APeerWhosePastDiffersIsComparedFromTheBeginning) {
  headers_.add(1);
  serve_all(1);
  headers_.begin_at(4'000);
  headers_.add(2);
  const Others others{50};
  EXPECT_FALSE(serve(2, others).difference.has_value()) << "it cannot be told where";
  EXPECT_EQ(ask(2)->start_height, 1U);
}

TEST_F(FilterHeadersTest, AnAnswerMustBeCompleteAndFollowTheLast) {
  for (PeerId peer = 1; peer <= 3; ++peer) headers_.add(peer);
  auto range = ask(1);
  auto answer = answer_to(*range);
  answer.filter_hashes.pop_back();
  EXPECT_EQ(headers_.on(1, answer).fault, DisconnectReason::BadFilterHeaders);
  answer = answer_to(*ask(2));
  answer.previous_header.bytes[0] = 1;  // nothing comes before genesis
  EXPECT_EQ(headers_.on(2, answer).fault, DisconnectReason::BadFilterHeaders);
  EXPECT_TRUE(serve(3).taken);
  EXPECT_EQ(headers_.on(3, answer_to(*ask(3), {17})).fault, DisconnectReason::BadFilterHeaders)
      << "it has sent other headers before";
}

TEST_F(FilterHeadersTest, WhatWasNotAskedForIsNotTaken) {
  headers_.add(1);
  const auto range = ask(1);
  auto answer = answer_to(*range);
  answer.filter_type = 1;
  EXPECT_FALSE(headers_.on(1, answer).taken);
  answer = answer_to(*range);
  answer.stop = mined_.block(3).hash;
  EXPECT_FALSE(headers_.on(1, answer).taken);
  EXPECT_TRUE(headers_.on(1, answer_to(*range)).taken);
  EXPECT_FALSE(headers_.on(1, answer_to(*range)).taken) << "twice";
}

TEST_F(FilterHeadersTest, AnAnswerThatAReorganisationOvertakesDoesNotCount) {
  headers_.add(1);
  const auto range = ask(1);
  headers_.cut_above(100);
  EXPECT_TRUE(headers_.on(1, answer_to(*range)).taken);
  EXPECT_LT(kept_.tip_height(), 0);
}

// A node that has just got a block may not have its filter yet.
TEST_F(FilterHeadersTest, APeerThatPassesOverAQuestionIsAskedAgainAndAtLastStalls) {
  headers_.add(1);
  EXPECT_FALSE(headers_.deadline(1).has_value());
  EXPECT_TRUE(ask(1).has_value());
  const auto begun = now_.monotonic;
  EXPECT_EQ(headers_.deadline(1), begun + FilterHeaders::kStallTimeout);
  headers_.on_fence(1, fence_ + 1, now_);  // of something else
  EXPECT_FALSE(headers_.ask_again_at().has_value());
  headers_.on_fence(1, fence_, now_);
  EXPECT_FALSE(ask(1).has_value()) << "not at once";
  EXPECT_EQ(headers_.ask_again_at(), begun + FilterHeaders::kPause);
  now_.monotonic += FilterHeaders::kPause;
  EXPECT_TRUE(ask(1).has_value());
  EXPECT_EQ(headers_.deadline(1), begun + FilterHeaders::kStallTimeout) << "since it was asked first";
  headers_.note_progress(1, now_);
  EXPECT_EQ(headers_.deadline(1), begun + FilterHeaders::kStallTimeout) << "other answers are no excuse";
}

TEST_F(FilterHeadersTest, APeerThatIsBusyIsNotSilent) {
  headers_.add(1);
  EXPECT_TRUE(ask(1).has_value());
  now_.monotonic += seconds(5);
  headers_.note_progress(1, now_);
  EXPECT_EQ(headers_.deadline(1), now_.monotonic + FilterHeaders::kStallTimeout);
}

}  // namespace
}  // namespace spv::sync
