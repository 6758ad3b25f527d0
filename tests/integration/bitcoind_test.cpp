// The real node that the other integration tests stand on.
#include "tests/support/bitcoind.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace spv::test {
namespace {

bool serves_bloom_filters(Bitcoind& node) {
  const auto info = node.rpc("getnetworkinfo");
  for (const auto& service : info.at("localservicesnames").as_array()) {
    if (service.as_string() == "BLOOM") return true;
  }
  return false;
}

TEST(Bitcoind, MinesPaysAndConfirms) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  EXPECT_TRUE(serves_bloom_filters(node));
  EXPECT_EQ(node.mine(101).size(), 101U);
  const auto to = node.new_address("legacy");
  const auto txid = node.send(to, 123'456'789);
  node.mine(1);
  EXPECT_EQ(node.height(), 102);
  const auto seen = node.wallet_rpc(Bitcoind::kWallet, "getreceivedbyaddress", to);
  EXPECT_EQ(to_sat(seen), 123'456'789);
  const auto tx = node.wallet_rpc(Bitcoind::kWallet, "gettransaction", txid);
  EXPECT_EQ(tx.at("blockheight").as_int64(), 102);
}

TEST(Bitcoind, GeneratesABlockOfChosenTransactionsInOrder) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(102);
  const auto first = node.send(node.new_address(), 10'000);
  const auto second = node.send(node.new_address(), 20'000);
  const auto hash = node.generate_block(node.new_address(), {first});
  const auto block = node.rpc("getblock", hash);
  const auto& txs = block.at("tx").as_array();
  ASSERT_EQ(txs.size(), 2U);
  EXPECT_EQ(txs[1].as_string(), first);
  const auto pool = node.rpc("getrawmempool").as_array();
  ASSERT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool[0].as_string(), second);
}

// Its wallet draws lock times below the tip now and then, and one of them is that of an overlay protocol.
TEST(Bitcoind, TakesATransactionOfWhateverLockTime) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(101);
  const auto raw = node.rpc("createrawtransaction", boost::json::array{},
                            boost::json::array{boost::json::object{{node.new_address(), 1}}}, 21);
  const auto funded = node.rpc("fundrawtransaction", raw);
  const auto signed_tx = node.rpc("signrawtransactionwithwallet", funded.at("hex"));
  const auto txid = node.rpc("sendrawtransaction", signed_tx.at("hex"));
  EXPECT_EQ(node.rpc("getrawmempool").as_array(), boost::json::array{txid});
}

TEST(Bitcoind, InvalidatesABlockAndKeepsTheRestOverARestart) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  const auto hashes = node.mine(10);
  node.invalidate_block(hashes[5]);
  EXPECT_EQ(node.best_block(), hashes[4]);
  const auto port = node.port();
  node.restart();
  EXPECT_EQ(node.port(), port);
  EXPECT_EQ(node.best_block(), hashes[4]);
  EXPECT_NO_THROW(node.new_address());
}

TEST(Bitcoind, TwoNodesAgreeOnTheLongerChain) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind left;
  Bitcoind right({.bloom_filters = false});
  EXPECT_FALSE(serves_bloom_filters(right));
  left.mine(3);
  const auto longer = right.mine(5);
  left.connect_to(right);
  left.sync_with(right);
  EXPECT_EQ(left.best_block(), longer.back());
}

TEST(Bitcoind, LeavesNothingBehind) {
  SPV_BITCOIND_OR_SKIP();
  std::filesystem::path folder;
  {
    Bitcoind node({.wallet = false});
    folder = node.folder();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Bitcoind, RefusedCallsAndBadArgumentsAreErrorsWithAReason) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node({.wallet = false});
  try {
    node.rpc("getblockhash", 1);
    FAIL() << "height 1 is not there yet";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.code(), -8);
  }
  EXPECT_EQ(node.height(), 0) << "the connection survives a refusal";
}

}  // namespace
}  // namespace spv::test
