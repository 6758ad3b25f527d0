#include "tests/support/chain_builder.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "chain/header_chain.h"
#include "chain/params.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::test {
namespace {

using chain::Transaction;

TEST(TxBuilder, MakesDifferentTransactionsByTheSameSteps) {
  EXPECT_NE(TxBuilder().build().txid(), TxBuilder().build().txid());
  const auto parent = TxBuilder().build();
  EXPECT_NE(TxBuilder().spends(parent).build().txid(), TxBuilder().spends(parent).build().txid());
}

TEST(TxBuilder, RepeatsATransactionByItsNonce) {
  EXPECT_EQ(TxBuilder(7).pays(op_true(), 5).build(), TxBuilder(7).pays(op_true(), 5).build());
  EXPECT_NE(TxBuilder(7).build().txid(), TxBuilder(8).build().txid());
}

TEST(TxBuilder, MakesWhatItIsTold) {
  const auto parent = TxBuilder().build();
  const util::Bytes data{1, 2, 3};
  const auto tx = TxBuilder().spends(parent, 0, push(data)).witness(data).pays(op_true(), 42).op_return(data).build();
  ASSERT_EQ(tx.inputs.size(), 1U);
  EXPECT_EQ(tx.inputs[0].previous, (chain::OutPoint{parent.txid(), 0}));
  EXPECT_EQ(tx.inputs[0].script_sig, (util::Bytes{3, 1, 2, 3}));
  EXPECT_EQ(tx.inputs[0].witness, (std::vector<util::Bytes>{data}));
  ASSERT_EQ(tx.outputs.size(), 2U);
  EXPECT_EQ(tx.outputs[0], (chain::TxOutput{42, {0x51}}));
  EXPECT_EQ(tx.outputs[1], (chain::TxOutput{0, {0x6A, 3, 1, 2, 3}}));
  EXPECT_TRUE(check_structure(tx));
}

TEST(Scripts, PushHeightsAsBip34Wants) {
  EXPECT_EQ(push_height(0), (util::Bytes{0x00}));
  EXPECT_EQ(push_height(1), (util::Bytes{0x51}));
  EXPECT_EQ(push_height(16), (util::Bytes{0x60}));
  EXPECT_EQ(push_height(17), (util::Bytes{1, 17}));
  EXPECT_EQ(push_height(128), (util::Bytes{2, 0x80, 0x00}));
  EXPECT_EQ(push_height(500), (util::Bytes{2, 0xF4, 0x01}));
  EXPECT_EQ(push_height(40'000), (util::Bytes{3, 0x40, 0x9C, 0x00}));
}

TEST(ChainBuilder, StartsWithTheRealGenesisBlock) {
  const ChainBuilder chain;
  EXPECT_EQ(chain.height(), 0);
  EXPECT_EQ(chain.tip().hash, chain.header(0).hash());
  EXPECT_EQ(util::to_string(chain.tip().hash), "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
  EXPECT_EQ(bip37::merkle_root(chain.block(0).txids), chain.header(0).merkle_root);
}

TEST(ChainBuilder, LinksBlocksThatCommitToTheirTransactions) {
  const auto payment = TxBuilder().pays(op_true(), 5'000).build();
  const auto chain = ChainBuilder().blocks(20).block({payment, TxBuilder().build()}).pays(op_true(), 1).block({});
  ASSERT_EQ(chain.height(), 23);
  EXPECT_EQ(chain.block(21).txs.size(), 3U);
  EXPECT_EQ(chain.block(21).txids[1], payment.txid());
  EXPECT_EQ(chain.block(22).txs.size(), 2U);
  for (chain::Height h = 1; h <= chain.height(); ++h) {
    const Block& block = chain.block(h);
    EXPECT_EQ(block.height, h);
    EXPECT_EQ(block.hash, block.header.hash());
    EXPECT_EQ(block.header.previous, chain.block(h - 1).hash);
    EXPECT_EQ(block.header.merkle_root, bip37::merkle_root(block.txids));
    EXPECT_EQ(block.header.time, chain.header(h - 1).time + ChainBuilder::kDefaultTimeStep);
    EXPECT_TRUE(block.txs[0].is_coinbase());
    EXPECT_LT(block.hash.bytes[31], 0x80);
    for (const auto& tx : block.txs) EXPECT_TRUE(check_structure(tx));
  }
}

TEST(ChainBuilder, CommitsToWitnesses) {
  const auto spend = TxBuilder().spends(TxBuilder().build()).witness(op_true()).build();
  const auto chain = ChainBuilder().block({spend});
  const auto& coinbase = chain.block(1).txs[0];
  ASSERT_EQ(coinbase.outputs.size(), 2U);
  EXPECT_EQ(coinbase.outputs[1].script_pubkey.size(), 38U);
  EXPECT_EQ(coinbase.inputs[0].witness, (std::vector<util::Bytes>{util::Bytes(32, 0)}));
}

TEST(ChainBuilder, ForksShareTheirStemAndNothingElse) {
  const auto chain = ChainBuilder().blocks(10);
  const auto fork = chain.at_height(5).blocks(5);
  EXPECT_EQ(fork.height(), 10);
  EXPECT_EQ(chain.fork_height(fork), 5);
  EXPECT_EQ(fork.fork_height(chain), 5);
  EXPECT_NE(fork.tip().hash, chain.tip().hash);
  EXPECT_EQ(fork.find(chain.block(5).hash), 5);
  EXPECT_EQ(fork.find(chain.block(6).hash), std::nullopt);
  EXPECT_TRUE(chain.contains({6, chain.block(6).hash}));
  EXPECT_FALSE(fork.contains({6, chain.block(6).hash}));
  EXPECT_EQ(chain.at_height(5).salt(9).blocks(5).fork_height(fork), 5);
}

TEST(ChainBuilder, ACopyGrowsAlone) {
  const auto chain = ChainBuilder().blocks(3);
  auto copy = chain;
  copy.blocks(1);
  EXPECT_EQ(chain.height(), 3);
  EXPECT_EQ(copy.height(), 4);
}

TEST(ChainBuilder, SetsTimes) {
  const auto chain = ChainBuilder().time_step(60).blocks(1).next_time(1'700'000'000).blocks(2);
  EXPECT_EQ(chain.header(1).time, chain.header(0).time + 60);
  EXPECT_EQ(chain.header(2).time, 1'700'000'000U);
  EXPECT_EQ(chain.header(3).time, 1'700'000'060U);
}

TEST(ChainBuilder, RepeatsAChainByItsSteps) {
  const auto build = [] { return ChainBuilder().blocks(5).pays(op_true(), 7).at_height(3).pays(op_true(), 7).tip(); };
  EXPECT_EQ(build(), build());
}

TEST(ChainBuilder, IsAcceptedByTheRulesOfRegtest) {
  const auto& params = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store(0, params.genesis, 2);
  chain::HeaderChain headers(params, store);
  const auto chain = ChainBuilder().blocks(2'500);
  const auto now = chain.tip_block().header.time;
  EXPECT_EQ(headers.accept(chain.headers(), now).error, std::nullopt);
  EXPECT_EQ(headers.tip(), chain.tip());
  const auto fork = chain.at_height(2'400).blocks(101);
  EXPECT_EQ(headers.accept(fork.headers(2'401), now + ChainBuilder::kDefaultTimeStep).error, std::nullopt);
  EXPECT_EQ(headers.tip(), fork.tip());
}

}  // namespace
}  // namespace spv::test
