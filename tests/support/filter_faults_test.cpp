#include "tests/support/filter_faults.h"

#include <gtest/gtest.h>

#include "bip158/gcs.h"
#include "tests/support/fake_peer.h"
#include "tests/support/faults.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::test {
namespace {

using p2p::CFCheckpt;
using p2p::CFHeaders;
using p2p::CFilter;

const util::Bytes kOurs = p2wpkh(util::Bytes(20, 0x11));

struct Serving {
  explicit Serving(ChainBuilder chain = ChainBuilder().blocks(5),
                   std::uint64_t services = FakeNode::kDefaultServices | p2p::services::kCompactFilters)
      : node(std::move(chain), services), peer(node) {
    peer.shake_hands();
  }
  [[nodiscard]] p2p::FilterRange range(std::uint32_t first, chain::Height last) const {
    return {bip158::kBasicType, first, node.chain().block(last).hash};
  }
  Reply filters(std::uint32_t first, chain::Height last) { return peer.handle(p2p::GetCFilters{range(first, last)}); }
  Reply headers(std::uint32_t first, chain::Height last) { return peer.handle(p2p::GetCFHeaders{range(first, last)}); }
  Reply checkpoints(chain::Height last) {
    return peer.handle(p2p::GetCFCheckpt{bip158::kBasicType, node.chain().block(last).hash});
  }
  FakeNode node;
  FakePeer peer;
};

bool matches(const CFilter& message, util::ByteView script) {
  bip158::ScriptSet scripts;
  scripts.add(script);
  bip158::Scratch scratch;
  const auto matched = bip158::match_any(message.filter, message.block, scripts, scratch);
  EXPECT_TRUE(matched);
  return matched && *matched;
}

bool is_silent(const Reply& reply) { return reply.messages.empty() && !reply.closed; }
bool hangs_up(const Reply& reply) { return reply.messages.empty() && reply.closed; }

TEST(FakePeer, ServesFiltersWhoseHeadersLink) {
  Serving c;
  const auto filters = c.filters(0, 5);
  const auto answer = c.headers(0, 5);
  ASSERT_EQ(filters.messages.size(), 6U);
  ASSERT_EQ(answer.messages.size(), 1U);
  const auto& headers = std::get<CFHeaders>(answer.messages.front());
  EXPECT_EQ(headers.stop, c.node.chain().tip().hash);
  EXPECT_TRUE(headers.previous_header.is_zero());
  ASSERT_EQ(headers.filter_hashes.size(), 6U);
  util::FilterHeader header;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& filter = std::get<CFilter>(filters.messages[i]);
    EXPECT_EQ(filter.block, c.node.chain().block(static_cast<int>(i)).hash);
    EXPECT_EQ(bip158::filter_hash(filter.filter), headers.filter_hashes[i]);
    header = bip158::filter_header(headers.filter_hashes[i], header);
    if (i == 5) break;
    const auto above = c.headers(static_cast<std::uint32_t>(i) + 1, 5);
    EXPECT_EQ(std::get<CFHeaders>(above.messages.front()).previous_header, header);
  }
  EXPECT_EQ(c.node.seen.filters[3], 1);
}

TEST(FakePeer, FiltersHoldWhatABlockPaysAndSpends) {
  ChainBuilder chain;
  const auto paying = TxBuilder(1).pays(kOurs, 5'000).build();
  chain.block({paying}).block().block({TxBuilder(2).spends(paying).pays(p2pk(util::Bytes(33, 2)), 4'000).build()});
  Serving c(chain);
  const auto reply = c.filters(1, 3);
  ASSERT_EQ(reply.messages.size(), 3U);
  EXPECT_TRUE(matches(std::get<CFilter>(reply.messages[0]), kOurs));
  EXPECT_FALSE(matches(std::get<CFilter>(reply.messages[1]), kOurs));
  EXPECT_TRUE(matches(std::get<CFilter>(reply.messages[2]), kOurs));
}

TEST(FakePeer, FiltersKnowWhatWasSpentOnTheirOwnBranchOnly) {
  const auto paying = TxBuilder(1).pays(kOurs, 5'000).build();
  const auto spending = TxBuilder(2).spends(paying).pays(p2pk(util::Bytes(33, 2)), 4'000).build();
  ChainBuilder common = ChainBuilder().block();
  Serving c(ChainBuilder(common).block({paying}).block({spending}));
  const auto stale = c.range(2, 3);
  EXPECT_TRUE(matches(std::get<CFilter>(c.filters(3, 3).messages.front()), kOurs));
  c.node.set_chain(common.salt(7).block().block({spending}).block());
  EXPECT_FALSE(matches(std::get<CFilter>(c.filters(3, 3).messages.front()), kOurs));
  EXPECT_EQ(c.peer.handle(p2p::GetCFilters{stale}).messages.size(), 2U) << "the branch that was left is still served";
}

TEST(FakePeer, HangsUpOnFilterRequestsAsCoreDoes) {
  const ChainBuilder chain = ChainBuilder().blocks(2005);
  EXPECT_EQ(Serving(chain).filters(1006, 2005).messages.size(), 1000U);
  EXPECT_TRUE(hangs_up(Serving(chain).filters(1005, 2005)));
  EXPECT_EQ(Serving(chain).headers(6, 2005).messages.size(), 1U);
  EXPECT_TRUE(hangs_up(Serving(chain).headers(5, 2005)));
  EXPECT_TRUE(hangs_up(Serving(chain).filters(6, 5)));
  EXPECT_TRUE(hangs_up(Serving(chain).headers(0xFFFF'FFFF, 5)));
  Serving unknown;
  EXPECT_TRUE(hangs_up(unknown.peer.handle(p2p::GetCFilters{{bip158::kBasicType, 0, {}}})));
  Serving type;
  EXPECT_TRUE(hangs_up(type.peer.handle(p2p::GetCFCheckpt{1, type.node.chain().tip().hash})));
  EXPECT_TRUE(hangs_up(Serving(chain, FakeNode::kDefaultServices).filters(1, 2)));
}

TEST(FakePeer, IsSilentAboveTheBlocksThatItHasFiltersOf) {
  Serving c;
  c.node.filters_up_to = 3;
  EXPECT_EQ(c.filters(0, 3).messages.size(), 4U);
  EXPECT_TRUE(is_silent(c.filters(0, 4)));
  EXPECT_TRUE(is_silent(c.headers(0, 4)));
  EXPECT_TRUE(is_silent(c.checkpoints(4)));
}

TEST(FakePeer, HasACheckpointForEachThousandBlocks) {
  Serving c(ChainBuilder().blocks(2000));
  const auto none = c.checkpoints(999);
  EXPECT_TRUE(std::get<CFCheckpt>(none.messages.front()).filter_headers.empty());
  const auto reply = c.checkpoints(2000);
  const auto& headers = std::get<CFCheckpt>(reply.messages.front()).filter_headers;
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers[0], c.node.filter_of(c.node.chain().block(1000)).header);
  EXPECT_EQ(headers[1], c.node.filter_of(c.node.chain().tip_block()).header);
}

TEST(FilterFaults, AForgedFilterLeavesAScriptOutAndItsHeadersAgree) {
  Serving honest(ChainBuilder().blocks(2).pays(kOurs, 5'000).blocks(1));
  Serving liar(honest.node.chain());
  liar.node.forge_filters(faults::omit_scripts({kOurs}));
  const auto truth = honest.filters(3, 3);
  const auto lie = liar.filters(3, 3);
  EXPECT_TRUE(matches(std::get<CFilter>(truth.messages.front()), kOurs));
  EXPECT_FALSE(matches(std::get<CFilter>(lie.messages.front()), kOurs));
  const auto headers = liar.headers(3, 4);
  const auto& claimed = std::get<CFHeaders>(headers.messages.front());
  EXPECT_EQ(claimed.filter_hashes.front(), bip158::filter_hash(std::get<CFilter>(lie.messages.front()).filter));
  const auto honest_headers = honest.headers(3, 4);
  EXPECT_EQ(claimed.previous_header, std::get<CFHeaders>(honest_headers.messages.front()).previous_header);
  EXPECT_EQ(claimed.filter_hashes.back(), std::get<CFHeaders>(honest_headers.messages.front()).filter_hashes.back());
}

TEST(FilterFaults, AFilterWithoutAScriptContradictsTheTrueHeaders) {
  Serving c(ChainBuilder().blocks(2).pays(kOurs, 5'000).blocks(1));
  c.node.add_fault(faults::filters_without(c.node, {kOurs}));
  const auto lie = c.filters(3, 3);
  const auto& filter = std::get<CFilter>(lie.messages.front());
  EXPECT_FALSE(matches(filter, kOurs));
  EXPECT_NE(c.node.filter_of(c.node.chain().block(3)).hash, bip158::filter_hash(filter.filter));
}

TEST(FilterFaults, AddedScriptsMatchEverywhere) {
  Serving c;
  c.node.forge_filters(faults::add_scripts({kOurs}));
  for (const auto& message : c.filters(0, 5).messages) EXPECT_TRUE(matches(std::get<CFilter>(message), kOurs));
}

/// What a fault does to the answers for blocks 1 to 5 of a chain of 1,000, and to a pong: seen from outside.
struct Answers {
  explicit Answers(FakeNode& node) {
    FakePeer peer(node);
    peer.shake_hands();
    const auto stop = node.chain().tip().hash;
    filters = peer.handle(p2p::GetCFilters{{bip158::kBasicType, 996, stop}});
    headers = peer.handle(p2p::GetCFHeaders{{bip158::kBasicType, 996, stop}});
    checkpoints = peer.handle(p2p::GetCFCheckpt{bip158::kBasicType, stop});
    pong = peer.handle(p2p::Ping{7});
  }
  Reply filters;
  Reply headers;
  Reply checkpoints;
  Reply pong;
};

bool same(const Reply& a, const Reply& b) { return a.messages == b.messages && a.closed == b.closed; }

TEST(FilterFaults, EachChangesWhatItsNameSays) {
  FakeNode node(ChainBuilder().blocks(1000), FakeNode::kDefaultServices | p2p::services::kCompactFilters);
  const Answers honest(node);
  enum class Kind { Filters, Headers, Checkpoints, Pong };
  const std::vector<std::pair<Kind, Tamper>> all{{Kind::Filters, faults::empty_filters()},
                                                 {Kind::Filters, faults::altered_filters()},
                                                 {Kind::Filters, faults::truncated_filters()},
                                                 {Kind::Filters, faults::extended_filters()},
                                                 {Kind::Filters, faults::filters_without_bytes()},
                                                 {Kind::Filters, faults::filters_of_a_huge_count()},
                                                 {Kind::Filters, faults::filters_of_endless_ones()},
                                                 {Kind::Filters, faults::filters_of_wrong_type()},
                                                 {Kind::Filters, faults::filters_of_an_unknown_block()},
                                                 {Kind::Filters, faults::filters_of_the_block_before(node)},
                                                 {Kind::Filters, faults::unasked_filters(node)},
                                                 {Kind::Filters, faults::repeated_filters()},
                                                 {Kind::Filters, faults::filters_backwards()},
                                                 {Kind::Filters, faults::drop_nth_filter(2)},
                                                 {Kind::Filters, faults::silent_filters()},
                                                 {Kind::Headers, faults::unlinked_filter_headers()},
                                                 {Kind::Headers, faults::altered_filter_hash()},
                                                 {Kind::Headers, faults::altered_filter_hash_at(node, 998)},
                                                 {Kind::Headers, faults::one_filter_hash_less()},
                                                 {Kind::Headers, faults::one_filter_hash_more()},
                                                 {Kind::Headers, faults::no_filter_hashes()},
                                                 {Kind::Headers, faults::filter_headers_of_wrong_type()},
                                                 {Kind::Headers, faults::filter_headers_of_another_stop()},
                                                 {Kind::Headers, faults::repeated_filter_headers()},
                                                 {Kind::Headers, faults::silent_filter_headers()},
                                                 {Kind::Checkpoints, faults::altered_checkpoint(0)},
                                                 {Kind::Checkpoints, faults::one_checkpoint_less()},
                                                 {Kind::Checkpoints, faults::one_checkpoint_more()},
                                                 {Kind::Checkpoints, faults::checkpoints_of_wrong_type()},
                                                 {Kind::Checkpoints, faults::checkpoints_of_another_stop()},
                                                 {Kind::Checkpoints, faults::silent_checkpoints()},
                                                 {Kind::Pong, faults::unasked_filter_headers()},
                                                 {Kind::Pong, faults::unasked_checkpoints()}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    node.clear_faults();
    node.add_fault(all[i].second);
    const Answers lies(node);
    EXPECT_EQ(same(lies.filters, honest.filters), all[i].first != Kind::Filters);
    EXPECT_EQ(same(lies.headers, honest.headers), all[i].first != Kind::Headers);
    EXPECT_EQ(same(lies.checkpoints, honest.checkpoints), all[i].first != Kind::Checkpoints);
    EXPECT_EQ(same(lies.pong, honest.pong), all[i].first != Kind::Pong);
  }
}

TEST(FilterFaults, StallsAndHangsUp) {
  Serving stalls;
  stalls.node.add_fault(faults::stall_after_filters(2));
  EXPECT_EQ(stalls.filters(1, 5).messages.size(), 2U);
  EXPECT_TRUE(is_silent(stalls.peer.handle(p2p::Ping{1})));
  Serving hangs;
  hangs.node.add_fault(faults::hang_up_at_filter(3));
  const auto reply = hangs.filters(1, 5);
  EXPECT_EQ(reply.messages.size(), 3U);
  EXPECT_TRUE(reply.closed);
}

TEST(FilterFaults, MalformedFiltersAreFound) {
  bip158::Scratch scratch;
  for (const auto& fault : {faults::truncated_filters(), faults::extended_filters(), faults::filters_without_bytes(),
                            faults::filters_of_a_huge_count(), faults::filters_of_endless_ones()}) {
    Serving c;
    c.node.add_fault(fault);
    const auto reply = c.filters(1, 1);
    EXPECT_FALSE(bip158::validate(std::get<CFilter>(reply.messages.front()).filter, scratch));
  }
}

}  // namespace
}  // namespace spv::test
