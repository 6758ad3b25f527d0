// Whole blocks: what proves them, what is found in them, and the ways in which they can be forged.
#include "sync/scan/block_matcher.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "util/codec.h"

namespace spv::sync {
namespace {

using test::ChainBuilder;
using test::TxBuilder;

util::Bytes body_of(const std::vector<chain::Transaction>& txs) {
  util::Writer out;
  out.compact_size(txs.size());
  for (const auto& tx : txs) tx.encode(out);
  return out.take();
}

class BlockMatcherTest : public testing::Test {
 protected:
  using Result = util::Expected<BlockMatches, BlockError>;

  BlockMatcherTest() { matcher_.watch({ours_}, {watched_}); }
  Result match(const test::Block& block, bool with_spends = false) {
    return matcher_.match(block.header, body_of(block.txs), with_spends);
  }
  Result match(const test::Block& block, const std::vector<chain::Transaction>& txs) {
    return matcher_.match(block.header, body_of(txs), false);
  }
  static test::Block block_of(std::vector<chain::Transaction> txs) {
    return ChainBuilder().block(std::move(txs)).tip_block();
  }
  static std::vector<chain::Txid> found(const Result& result) {
    std::vector<chain::Txid> out;
    for (const auto& proven : result->matched) out.push_back(proven.txid);
    return out;
  }

  util::Bytes ours_ = test::p2wpkh(util::Bytes(20, 0x11));
  chain::OutPoint watched_ = test::outpoint(TxBuilder(99).build());
  BlockMatcher matcher_{util::Rng(1)};
  chain::Transaction payment_ = TxBuilder(1).pays(ours_, 500).build();
  chain::Transaction spend_ =
      TxBuilder(2).spends(payment_).witness(util::Bytes(64, 7)).pays(util::Bytes(3, 0x51), 400).build();
  chain::Transaction other_ = TxBuilder(3).pays(test::p2wpkh(util::Bytes(20, 0x12)), 500).build();
};

TEST_F(BlockMatcherTest, FindsPaymentsAndSpendsAndNothingElse) {
  const auto spends_watched = TxBuilder(4).spends(watched_).build();
  const auto result = match(block_of({other_, payment_, spends_watched}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->transactions, 4U);
  EXPECT_EQ(found(result), (std::vector{payment_.txid(), spends_watched.txid()}));
  EXPECT_EQ(result->matched[0].index, 2U);
  EXPECT_EQ(result->matched[0].tx, payment_);
}

TEST_F(BlockMatcherTest, AWatchedScriptMatchesWholeNotInPart) {
  auto longer = ours_;
  longer.push_back(0x51);
  const auto shorter = util::to_bytes(util::ByteView(ours_).first(ours_.size() - 1));
  const auto result = match(block_of({TxBuilder(5).pays(longer, 1).pays(shorter, 1).build()}));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->matched.empty());
}

TEST_F(BlockMatcherTest, ACoinIsFollowedInItsBlockAndInLaterOnes) {
  const auto result = match(block_of({payment_, other_, spend_}));
  ASSERT_TRUE(result);
  EXPECT_EQ(found(result), (std::vector{payment_.txid(), spend_.txid()}));
  EXPECT_EQ(result->matched[1].tx, spend_);  // with its witness
  BlockMatcher fresh(util::Rng(2));
  fresh.watch({ours_}, {});
  const auto first = block_of({payment_});
  const auto second = block_of({spend_});
  ASSERT_TRUE(fresh.match(first.header, body_of(first.txs), false));
  EXPECT_EQ(fresh.match(second.header, body_of(second.txs), false)->matched.size(), 1U);
}

TEST_F(BlockMatcherTest, LearnsTheCoinsOfATransactionThatCameOtherwise) {
  EXPECT_EQ(matcher_.learn(payment_, payment_.txid()), std::vector{test::outpoint(payment_)});
  EXPECT_TRUE(matcher_.learn(other_, other_.txid()).empty());
  EXPECT_EQ(match(block_of({spend_}))->matched.size(), 1U);
}

TEST_F(BlockMatcherTest, TellsWhatABlockSpends) {
  const auto result = match(block_of({other_, spend_}), true);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->matched.empty());
  EXPECT_TRUE(matcher_.spends(result->spends, test::outpoint(payment_)));
  EXPECT_FALSE(matcher_.spends(result->spends, test::outpoint(other_)));
}

TEST_F(BlockMatcherTest, ItsProofIsTheOneOfAMerkleblock) {
  const auto block = block_of({other_, payment_, spend_});
  const auto result = match(block);
  ASSERT_TRUE(result);
  const auto proven = bip37::extract_matches(result->tree);
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->root, block.header.merkle_root);
  EXPECT_EQ(result->tree, bip37::build_partial_tree(block.txids, {false, false, true, true}));
}

TEST_F(BlockMatcherTest, M6_AChangedOrMissingTransactionIsRefused) {
  const auto block = block_of({payment_, other_, spend_});
  for (std::size_t left_out = 1; left_out < block.txs.size(); ++left_out) {
    auto txs = block.txs;
    txs.erase(txs.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(match(block, txs).error(), BlockError::WrongRoot);
  }
  auto txs = block.txs;
  txs[1].outputs[0].value += 1;
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongRoot);
  txs = block.txs;
  std::swap(txs[1], txs[2]);
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongRoot);
}

TEST_F(BlockMatcherTest, M3_RepeatedTransactionsOfTheSameRootAreRefused) {
  const auto three = block_of({payment_, other_});
  auto txs = three.txs;
  txs.push_back(txs.back());  // the tree of three repeats its last leaf by itself
  EXPECT_EQ(match(three, txs).error(), BlockError::Repeated);
  const auto six = block_of({payment_, other_, spend_, TxBuilder(8).build(), TxBuilder(9).build()});
  txs = six.txs;
  txs.push_back(txs[4]);
  txs.push_back(txs[5]);
  EXPECT_EQ(match(six, txs).error(), BlockError::Repeated);
  EXPECT_TRUE(match(six));
}

TEST_F(BlockMatcherTest, M4_ABlockMustBeginWithACoinbase) {
  auto block = block_of({payment_});
  block.header.merkle_root = bip37::merkle_root({payment_.txid()});
  EXPECT_EQ(match(block, {payment_}).error(), BlockError::NoCoinbase);
}

TEST_F(BlockMatcherTest, AWitnessThatIsKeptMustBeTheOneThatTheBlockCommitsTo) {
  const auto block = block_of({payment_, spend_});
  ASSERT_TRUE(match(block));
  auto txs = block.txs;
  txs[2].inputs[0].witness[0][5] ^= 1U;  // no part of the txid
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongWitness);
  txs = block.txs;
  txs[0].inputs[0].witness[0][0] ^= 1U;  // what the commitment is salted with
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongWitness);
  txs = block.txs;
  txs[0].inputs[0].witness.clear();
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongWitness);
}

TEST_F(BlockMatcherTest, AWitnessWithoutACommitmentIsRefused) {
  const auto block = block_of({payment_});
  auto txs = block.txs;
  txs[1].inputs[0].witness.push_back({1, 2, 3});
  EXPECT_EQ(match(block, txs).error(), BlockError::WrongWitness);
}

TEST_F(BlockMatcherTest, ATransactionOf64BytesNeverReachesTheWallet) {
  chain::Transaction tx = TxBuilder(6).pays(util::Bytes(4, 0x51), 1).build();
  ASSERT_EQ(tx.serialize().size(), 64U);
  matcher_.watch({tx.outputs[0].script_pubkey}, {});
  const auto result = match(block_of({tx}));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->matched.empty());
}

TEST_F(BlockMatcherTest, M9_ATransactionForUsThatBreaksTheRulesIsRefused) {
  auto tx = payment_;
  tx.inputs.push_back(tx.inputs[0]);
  EXPECT_EQ(match(block_of({tx})).error(), BlockError::BadTransaction);
}

TEST_F(BlockMatcherTest, ABodyThatEndsEarlyOrGoesOnIsRefused) {
  const auto block = block_of({payment_});
  const auto body = body_of(block.txs);
  ASSERT_TRUE(matcher_.match(block.header, body, false));
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_EQ(matcher_.match(block.header, util::ByteView(body).first(size), false).error(), BlockError::Malformed);
  }
  util::Bytes longer = body;
  longer.push_back(0);
  EXPECT_EQ(matcher_.match(block.header, longer, false).error(), BlockError::Malformed);
}

TEST_F(BlockMatcherTest, R2_MegabytesOfNonsenseAreRefused) {
  util::Rng rng(5);
  const auto header = ChainBuilder().block().tip_block().header;
  EXPECT_EQ(matcher_.match(header, rng.bytes(3'999'000), false).error(), BlockError::Malformed);
  EXPECT_EQ(matcher_.match(header, util::Bytes(3'999'000, 0), false).error(), BlockError::Malformed);
  // The most outputs that fit: no more memory than bytes that came.
  TxBuilder many(1);
  for (int i = 0; i < 100'000; ++i) many.pays({}, 0);
  EXPECT_EQ(matcher_.match(header, body_of({many.build()}), false).error(), BlockError::NoCoinbase);
}

TEST_F(BlockMatcherTest, RealBlocksGiveEveryOutputThatIsWatched) {
  for (const char* name : {"169482", "300025", "481829", "830000", "831328"}) {
    SPV_VECTOR_FILE_OR_SKIP(path, "blocks/mainnet_" + std::string(name) + ".bin");
    const auto bytes = test::read_binary(path);
    util::Reader in(bytes);
    const auto header = chain::BlockHeader::decode(in);
    std::vector<chain::Transaction> txs;
    util::Reader body(in.rest());
    for (auto count = body.compact_size(); count > 0; --count) txs.push_back(chain::Transaction::decode(body));
    // Every tenth transaction's first output, by its script; and what every tenth spends first.
    std::vector<util::Bytes> scripts;
    std::vector<chain::OutPoint> outpoints;
    for (std::size_t i = 0; i < txs.size(); i += 10) scripts.push_back(txs[i].outputs[0].script_pubkey);
    for (std::size_t i = 5; i < txs.size(); i += 10) outpoints.push_back(txs[i].inputs[0].previous);
    BlockMatcher matcher(util::Rng(3));
    matcher.watch(scripts, outpoints);
    const auto result = matcher.match(header, in.rest(), false);
    ASSERT_TRUE(result) << name << ": " << to_string(result.error());
    std::set<std::uint32_t> places;
    for (const auto& proven : result->matched) {
      places.insert(proven.index);
      EXPECT_EQ(proven.tx, txs[proven.index]);
    }
    for (std::uint32_t i = 0; i < txs.size(); i += 5) EXPECT_TRUE(places.contains(i)) << name << " " << i;
    EXPECT_EQ(bip37::extract_matches(result->tree)->root, header.merkle_root);
  }
}

}  // namespace
}  // namespace spv::sync
