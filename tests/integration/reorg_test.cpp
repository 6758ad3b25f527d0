// The built program follows real reorganisations of a bitcoind, and shows the chain that it follows.
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

constexpr std::int64_t kBtc = 100'000'000;

class Reorganisation : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    keys_.emplace(*node_, cli_);
    node_->mine(101);
  }
  std::optional<Bitcoind> node_;
  SpvCli cli_;
  std::optional<SameKeys> keys_;
};

TEST_P(Reorganisation, H14_IsFollowedToTheNodesTipAndBalance) {
  const int depth = GetParam();
  node_->send(keys_->receive_address(), kBtc);
  node_->mine(1);
  const auto txid = node_->send(keys_->receive_address(), 2 * kBtc);
  const auto raw = node_->wallet_rpc(Bitcoind::kWallet, "gettransaction", txid).at("hex");
  const auto left = node_->mine(depth);
  EXPECT_EQ(keys_->sync().at("tip").as_string(), node_->best_block());
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());

  node_->invalidate_block(left.front());
  // From more than ten blocks a node takes nothing back into its mempool.
  if (depth > 10) node_->rpc("sendrawtransaction", raw);
  node_->send(keys_->receive_address(), 4 * kBtc);
  node_->mine(depth + 1);
  const auto summary = keys_->sync();
  EXPECT_EQ(summary.at("reorgs").to_number<int>(), 1);
  EXPECT_EQ(summary.at("height").as_int64(), node_->height());
  EXPECT_EQ(summary.at("tip").as_string(), node_->best_block());
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());

  // And the file that is left behind holds that chain.
  const auto status = cli_.json({"status"});
  EXPECT_EQ(status.at("tip").as_string(), node_->best_block());
  EXPECT_EQ(status.at("headers_from").as_int64(), 0);
  EXPECT_EQ(status.at("chain_work").as_string(), node_->rpc("getblockchaininfo").at("chainwork").as_string());
  const auto shown = cli_.json({"headers"});
  for (const auto& header : shown.at("headers").as_array()) {
    EXPECT_EQ(header.at("hash").as_string(), node_->rpc("getblockhash", header.at("height").as_int64()).as_string());
  }
}
INSTANTIATE_TEST_SUITE_P(Depth, Reorganisation, testing::Values(1, 6, 100, 150), testing::PrintToStringParamName());

TEST_F(Reorganisation, HeadersShowsWhatTheNodeShows) {
  keys_->sync();
  const auto shown = cli_.json({"headers"});
  ASSERT_EQ(shown.at("headers").as_array().size(), 10U);
  const auto& last = shown.at("headers").as_array().back();
  const auto facts = node_->rpc("getblockheader", node_->best_block());
  EXPECT_EQ(last.at("height"), facts.at("height"));
  EXPECT_EQ(last.at("hash"), facts.at("hash"));
  EXPECT_EQ(last.at("previous"), facts.at("previousblockhash"));
  EXPECT_EQ(last.at("merkle_root"), facts.at("merkleroot"));
  EXPECT_EQ(last.at("time"), facts.at("time"));
  EXPECT_EQ(last.at("bits"), facts.at("bits"));
  EXPECT_EQ(last.at("nonce"), facts.at("nonce"));
  EXPECT_EQ(last.at("version"), facts.at("version"));
  const auto first = cli_.json({"headers", "--from", "0", "--count", "2"});
  EXPECT_EQ(first.at("headers").as_array().size(), 2U);
  EXPECT_EQ(first.at("headers").as_array().at(0).at("height").as_int64(), 0);
  EXPECT_EQ(cli_.run({"headers", "--from", "102"}).exit_code, 1);
  EXPECT_EQ(cli_.run({"headers", "--count", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace spv::test
