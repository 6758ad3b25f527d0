// A real node's compact filters: ours are the same bytes, they hold what they must, and the node's answers to BIP157's
// requests say what its RPC says.
#include <algorithm>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "bip158/basic_filter.h"
#include "bip158/gcs.h"
#include "chain/params.h"
#include "tests/integration/filter_chain.h"
#include "tests/support/raw_peer.h"
#include "util/rng.h"

namespace spv::test {
namespace {

constexpr std::uint32_t kMaxFilters = 1'000;  // that Core sends in answer to one request
constexpr std::size_t kCheckpointInterval = 1'000;

class CompactFilters : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (Bitcoind::binary()) chain_ = std::make_unique<FilterChain>();
  }
  static void TearDownTestSuite() { chain_.reset(); }
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    ASSERT_TRUE(chain_);
    ASSERT_EQ(chain_->blocks().size(), 2'051U);
  }

  static const std::vector<FilteredBlock>& blocks() { return chain_->blocks(); }
  static p2p::FilterRange range(std::uint32_t first, std::size_t last) {
    return {bip158::kBasicType, first, chain_->hash(last)};
  }

  void connect() {
    peer_ = std::make_unique<RawPeer>(chain_->node().port(), chain::params(chain::Network::Regtest).magic);
    EXPECT_NE(peer_->shake_hands().services & p2p::services::kCompactFilters, 0U);
    peer_->fence();
  }
  template <typename Request>
  std::vector<Received> ask(const Request& request) {
    peer_->send(request);
    return peer_->fence();
  }
  template <typename Request>
  void expect_hang_up(const Request& request) {
    connect();
    peer_->send(request);
    EXPECT_TRUE(peer_->hangs_up()) << Request::kCommand << " from " << request.range.start_height;
  }
  /// The node's answer is the one message, to the byte.
  template <typename Request>
  void expect_answer(const Request& request, const p2p::Message& expected) {
    const auto answers = ask(request);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_TRUE(answers[0].message == expected);
    EXPECT_TRUE(answers[0].payload == p2p::encode_payload(expected));
  }
  void expect_hashes(std::uint32_t first, std::uint32_t last) {
    SCOPED_TRACE(last);
    p2p::CFHeaders expected{bip158::kBasicType, chain_->hash(last), {}, {}};
    if (first > 0) expected.previous_header = blocks()[first - 1].header;
    for (auto height = first; height <= last; ++height) {
      expected.filter_hashes.push_back(bip158::filter_hash(blocks()[height].filter));
    }
    expect_answer(p2p::GetCFHeaders{range(first, last)}, expected);
  }

  static std::unique_ptr<FilterChain> chain_;
  std::unique_ptr<RawPeer> peer_;
};

std::unique_ptr<FilterChain> CompactFilters::chain_;

TEST_F(CompactFilters, OursAreTheNodesForEveryBlock) {
  util::FilterHeader previous;
  for (std::size_t height = 0; height < blocks().size(); ++height) {
    SCOPED_TRACE(height);
    const auto& block = blocks()[height];
    const auto filter = bip158::basic_filter(block.hash, block.txs, block.spent);
    ASSERT_EQ(filter, block.filter);
    previous = bip158::filter_header(bip158::filter_hash(filter), previous);
    ASSERT_EQ(previous, block.header);
  }
}

TEST_F(CompactFilters, EveryKindOfScriptWasSpent) {
  std::set<util::Bytes> spent;
  std::size_t random_spends = 0;
  for (const auto& block : blocks()) {
    spent.insert(block.spent.begin(), block.spent.end());
    random_spends += &block < &blocks()[191] ? block.spent.size() : 0;
  }
  ASSERT_EQ(chain_->surely_spent().size(), 50U);
  for (const auto& script : chain_->surely_spent()) EXPECT_TRUE(spent.contains(script));
  EXPECT_GE(random_spends, 200U);
}

TEST_F(CompactFilters, TheNodesHoldEveryOutputAndEverySpentScriptAndLittleElse) {
  bip158::Scratch scratch;
  const auto matches = [&](const FilteredBlock& block, util::ByteView script) {
    bip158::ScriptSet scripts;
    scripts.add(script);
    const auto any = bip158::match_any(block.filter, block.hash, scripts, scratch);
    EXPECT_TRUE(any);
    return any && *any;
  };
  util::Rng rng(5);
  std::size_t held = 0;
  std::size_t strangers = 0;
  for (const auto& block : blocks()) {
    SCOPED_TRACE(to_string(block.hash));
    for (const auto& tx : block.txs) {
      for (const auto& output : tx.outputs) {
        if (!bip158::holds_output(output.script_pubkey)) continue;
        ASSERT_TRUE(matches(block, output.script_pubkey));
        ++held;
      }
    }
    for (const auto& script : block.spent) {
      if (!bip158::holds_spent(script)) continue;
      ASSERT_TRUE(matches(block, script));
      ++held;
    }
    strangers += matches(block, rng.bytes(22)) ? 1U : 0U;
  }
  EXPECT_GE(held, 2'500U);
  // One in 784,931 by chance.
  EXPECT_LE(strangers, 3U);
}

TEST_F(CompactFilters, SendsTheFiltersOfARangeInOrder) {
  connect();
  for (const std::uint32_t first : {0U, 1'000U, 2'000U}) {
    const auto last = std::min<std::uint32_t>(first + kMaxFilters, static_cast<std::uint32_t>(blocks().size())) - 1;
    const auto answers = ask(p2p::GetCFilters{range(first, last)});
    ASSERT_EQ(answers.size(), last - first + 1);
    for (auto height = first; height <= last; ++height) {
      const p2p::CFilter expected{bip158::kBasicType, chain_->hash(height), blocks()[height].filter};
      ASSERT_TRUE(answers[height - first].message == p2p::Message(expected)) << height;
      ASSERT_TRUE(answers[height - first].payload == p2p::encode_payload(expected)) << height;
    }
  }
}

TEST_F(CompactFilters, SendsTheHashesOfARangeAndTheHeaderBeforeIt) {
  connect();
  expect_hashes(0, 0);
  expect_hashes(0, p2p::kMaxFilterHeaders - 1);
  expect_hashes(1, p2p::kMaxFilterHeaders);
  expect_hashes(2'050, 2'050);
}

TEST_F(CompactFilters, SendsAHeaderForEveryThousandthBlock) {
  connect();
  for (const std::size_t last : {999U, 1'000U, 2'050U}) {
    SCOPED_TRACE(last);
    p2p::CFCheckpt expected{bip158::kBasicType, chain_->hash(last), {}};
    for (auto height = kCheckpointInterval; height <= last; height += kCheckpointInterval) {
      expected.filter_headers.push_back(blocks()[height].header);
    }
    expect_answer(p2p::GetCFCheckpt{bip158::kBasicType, chain_->hash(last)}, expected);
  }
}

// What a client must never ask: each costs the connection.
TEST_F(CompactFilters, HangsUpWhenAskedForTooMuchOrForNoRange) {
  auto other_type = range(1, 2);
  other_type.filter_type = 1;
  auto unknown_stop = range(1, 2);
  unknown_stop.stop.bytes[0] ^= 1U;
  for (const auto& bad : {range(1, kMaxFilters + 1), range(3, 2), other_type, unknown_stop}) {
    expect_hang_up(p2p::GetCFilters{bad});
  }
  expect_hang_up(p2p::GetCFHeaders{range(1, p2p::kMaxFilterHeaders + 1)});
}

}  // namespace
}  // namespace spv::test
