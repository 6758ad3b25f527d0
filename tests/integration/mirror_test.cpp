// A real node and our model of it answer the same questions with the same bytes: the model is what the scenario
// tests trust, and what the client's own mirror of the node's filter is made of.
#include <algorithm>

#include <gtest/gtest.h>

#include "chain/params.h"
#include "tests/integration/random_chain.h"
#include "tests/support/bitcoind.h"
#include "tests/support/fake_peer.h"
#include "tests/support/raw_peer.h"
#include "util/hex.h"

namespace spv::test {
namespace {

constexpr int kBlocks = 1'250;
constexpr std::uint64_t kSeed = 20'090'103;
constexpr std::int64_t kSilence = 21'000'000LL * 100'000'000;  // a feefilter that no transaction passes

struct Sides {
  std::vector<util::Bytes> real;
  std::vector<util::Bytes> model;
  std::size_t merkle_blocks = 0;
  std::size_t transactions = 0;
};

class MirrorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Bitcoind::binary()) return;
    random_chain_ = std::make_unique<RandomChain>(kSeed);
    random_chain_->grow(kBlocks);
    // The chain is of 2011: without maxtipage the node would think that it is still syncing.
    node_ = std::make_unique<Bitcoind>(BitcoindOptions{.wallet = false, .arguments = {"-maxtipage=2000000000"}});
    for (chain::Height h = 1; h <= chain().height(); ++h) {
      const auto result = node_->rpc("submitblock", util::to_hex(chain().block(h).serialize()));
      ASSERT_TRUE(result.is_null()) << "block " << h << ": " << boost::json::serialize(result);
    }
  }
  static void TearDownTestSuite() {
    node_.reset();
    random_chain_.reset();
  }

  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    ASSERT_TRUE(node_ && node_->height() == chain().height());
    real_ = std::make_unique<RawPeer>(node_->port(), chain::params(chain::Network::Regtest).magic);
    const auto version = real_->shake_hands();
    EXPECT_NE(version.services & p2p::services::kBloom, 0U);
    model_node_ = std::make_unique<FakeNode>(chain());
    model_ = std::make_unique<FakePeer>(*model_node_);
    model_->shake_hands();
    real_->fence();
    ask({p2p::FeeFilter{kSilence}});
  }

  static const ChainBuilder& chain() { return random_chain_->chain(); }
  static util::Rng& rng() { return random_chain_->rng(); }

  /// Sends the same to both and gives the payloads of both answers.
  Sides ask(const Messages& messages) {
    Sides sides;
    for (const auto& message : messages) {
      real_->send(message);
      for (const auto& answer : model_->handle(message).messages) {
        sides.model.push_back(p2p::encode_payload(answer));
        sides.merkle_blocks += std::holds_alternative<p2p::MerkleBlock>(answer) ? 1U : 0U;
        sides.transactions += std::holds_alternative<p2p::Tx>(answer) ? 1U : 0U;
      }
    }
    for (auto& answer : real_->fence()) sides.real.push_back(std::move(answer.payload));
    return sides;
  }

  static p2p::GetData filtered(chain::Height first, chain::Height last) {
    p2p::GetData request;
    for (auto h = first; h <= std::min(last, chain().height()); ++h) {
      request.items.push_back({p2p::InventoryType::FilteredBlock, util::retag<util::Hash256>(chain().block(h).hash)});
    }
    return request;
  }

  static std::unique_ptr<RandomChain> random_chain_;
  static std::unique_ptr<Bitcoind> node_;
  std::unique_ptr<RawPeer> real_;
  std::unique_ptr<FakeNode> model_node_;
  std::unique_ptr<FakePeer> model_;
};

std::unique_ptr<RandomChain> MirrorTest::random_chain_;
std::unique_ptr<Bitcoind> MirrorTest::node_;

// Equality without a dump of a megabyte when it fails: the first answer that differs alone.
void expect_equal(const Sides& sides) {
  const auto [real, model] =
      std::mismatch(sides.real.begin(), sides.real.end(), sides.model.begin(), sides.model.end());
  if (real == sides.real.end() && model == sides.model.end()) return;
  const auto text = [](auto at, const auto& side) { return at == side.end() ? "nothing" : util::to_hex(*at); };
  FAIL() << "answer " << real - sides.real.begin() << " of " << sides.real.size() << " and " << sides.model.size()
         << "\n real: " << text(real, sides.real) << "\nmodel: " << text(model, sides.model);
}

class MirrorScan : public MirrorTest, public testing::WithParamInterface<bip37::UpdateFlags> {};

TEST_P(MirrorScan, OneFilterOverTheWholeChainMatchesByteForByte) {
  Messages script{p2p::FilterLoad{random_chain_->random_filter(GetParam())}};
  for (chain::Height h = 1; h <= chain().height(); h += 100) script.emplace_back(filtered(h, h + 99));
  const auto sides = ask(script);
  expect_equal(sides);
  EXPECT_GE(sides.merkle_blocks, 1'000U);
  EXPECT_GT(sides.transactions, 0U);
}

TEST_P(MirrorScan, ManyFiltersOverRandomRangesMatchByteForByte) {
  std::size_t blocks = 0;
  std::size_t transactions = 0;
  for (int round = 0; round < 25; ++round) {
    SCOPED_TRACE(round);
    const auto first = static_cast<chain::Height>(1 + rng().below(kBlocks));
    const auto length = static_cast<chain::Height>(rng().below(100));
    const auto sides = ask({p2p::FilterLoad{random_chain_->random_filter(GetParam())}, filtered(first, first + length),
                            filtered(first, first + 5)});  // again, with the filter as it has become
    ASSERT_NO_FATAL_FAILURE(expect_equal(sides));
    blocks += sides.merkle_blocks;
    transactions += sides.transactions;
  }
  EXPECT_GE(blocks, 500U);
  EXPECT_GE(transactions, 100U);
}

INSTANTIATE_TEST_SUITE_P(Flags, MirrorScan,
                         testing::Values(bip37::UpdateFlags::None, bip37::UpdateFlags::All,
                                         bip37::UpdateFlags::P2PubkeyOnly),
                         [](const auto& flags) -> std::string {
                           if (flags.param == bip37::UpdateFlags::None) return "None";
                           return flags.param == bip37::UpdateFlags::All ? "All" : "P2PubkeyOnly";
                         });

TEST_F(MirrorTest, P6_SilenceForUnknownBlocksAndWithoutAFilter) {
  auto unknown = filtered(200, 200);
  unknown.items[0].hash.bytes[0] ^= 1U;
  const auto sides = ask({filtered(200, 201), p2p::FilterLoad{random_chain_->random_filter({})}, unknown,
                          filtered(200, 200), p2p::FilterClear{}, filtered(200, 201)});
  expect_equal(sides);
  EXPECT_EQ(sides.merkle_blocks, 1U);
}

TEST_F(MirrorTest, P9_AFilterLoadBetweenTwoRequestsActsInOrder) {
  const auto first = random_chain_->random_filter(bip37::UpdateFlags::All);
  const auto second = random_chain_->random_filter(bip37::UpdateFlags::All);
  expect_equal(ask({p2p::FilterLoad{first}, filtered(300, 400), p2p::FilterLoad{second}, filtered(300, 400),
                    p2p::FilterLoad{first}, filtered(350, 450)}));
}

TEST_F(MirrorTest, P12_UnknownTransactionsAreNotFoundAfterTheBlockBehindThem) {
  auto request = filtered(500, 501);
  const p2p::InventoryItem unknown{p2p::InventoryType::Tx, {{1, 2, 3}}};
  request.items.insert(request.items.begin(), unknown);
  request.items.push_back(unknown);
  expect_equal(ask({p2p::FilterLoad{random_chain_->random_filter({})}, request}));
}

TEST_F(MirrorTest, HeadersAreServedFromTheForkAndToTheStop) {
  const auto at = [&](chain::Height h) { return chain().block(h).hash; };
  const auto stranger = ChainBuilder().salt(77).blocks(1).tip().hash;
  expect_equal(ask({p2p::GetHeaders{.locator = {at(0)}, .stop = {}}, p2p::GetHeaders{.locator = {stranger}, .stop = {}},
                    p2p::GetHeaders{.locator = {stranger, at(1'000)}, .stop = {}},
                    p2p::GetHeaders{.locator = {at(1'000)}, .stop = at(1'010)},
                    p2p::GetHeaders{.locator = {chain().tip().hash}, .stop = {}}}));
}

TEST_F(MirrorTest, P3_AnOversizedLocatorEndsTheConnection) {
  const p2p::GetHeaders request{.locator = std::vector<chain::BlockHash>(p2p::kMaxLocator + 1), .stop = {}};
  real_->send(request);
  EXPECT_TRUE(real_->hangs_up());
  EXPECT_TRUE(model_->handle(request).closed);
}

}  // namespace
}  // namespace spv::test
