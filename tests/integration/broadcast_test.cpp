// A session that tells real nodes a transaction, and what evidence there is of it; and what they say about fees.
#include <gtest/gtest.h>

#include "client/session.h"
#include "tests/support/bitcoind.h"
#include "tests/support/temp_dir.h"
#include "util/hex.h"

namespace spv::test {
namespace {

namespace json = boost::json;

class RealBroadcast : public testing::Test {
 protected:
  /// What a session says that does this and nothing else.
  template <typename E>
  std::vector<E> run(const std::vector<const Bitcoind*>& peers, client::SessionErrands errands) {
    const auto& params = chain::params(chain::Network::Regtest);
    Options options;
    options.data_dir = folder_.file("data");
    options.network = NetworkId::Regtest;
    for (const auto* peer : peers) options.peers.push_back(peer->address());
    errands.scan = false;
    client::SessionSetup setup{params, options, folder_.file("headers")};
    setup.errands = std::move(errands);
    std::vector<E> said;
    client::SessionHooks hooks;
    hooks.commit = [](const auto&) {};
    hooks.notify = [&](const client::SyncEvent& event) {
      if (const auto* wanted = std::get_if<E>(&event)) said.push_back(*wanted);
    };
    client::Session session(store::HeaderBase::genesis(params));
    session.open_headers(setup);
    EXPECT_EQ(session.run(setup, std::move(hooks)), client::RunResult::Finished);
    return said;
  }
  client::BroadcastChanged send(const std::vector<const Bitcoind*>& peers, const chain::Transaction& tx) {
    client::SessionErrands errands;
    errands.broadcasts = {tx};
    errands.broadcast_wait = std::chrono::seconds(90);  // the machine may be busy
    const auto said = run<client::BroadcastChanged>(peers, std::move(errands));
    EXPECT_FALSE(said.empty());
    return said.empty() ? client::BroadcastChanged{} : said.back();
  }
  /// A finished transaction of the node's wallet that no node has seen.
  static chain::Transaction payment(Bitcoind& node) {
    const json::array outputs{json::object{{node.new_address(), "1.00000000"}}};
    const auto raw = node.rpc("createrawtransaction", json::array{}, outputs);
    const auto funded =
        node.wallet_rpc(Bitcoind::kWallet, "fundrawtransaction", raw, json::object{{"fee_rate", 50}}).at("hex");
    const auto done = node.wallet_rpc(Bitcoind::kWallet, "signrawtransactionwithwallet", funded);
    const auto hex = done.at("hex").as_string();
    return chain::Transaction::parse(*util::from_hex(std::string_view(hex.data(), hex.size()))).value();
  }
  static bool has(Bitcoind& node, const chain::Transaction& tx) {
    const auto held = json::serialize(node.rpc("getrawmempool"));
    return held.find(util::to_string(tx.txid())) != std::string::npos;
  }

  TempDir folder_;
};

TEST_F(RealBroadcast, OneOfTwoNodesIsToldAndTheOtherOneAnnouncesIt) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  Bitcoind other({.wallet = false});
  node.mine(101);
  other.connect_to(node);
  other.sync_with(node);
  const auto tx = payment(node);
  const auto result = send({&node, &other}, tx);
  EXPECT_EQ(result.state, client::BroadcastState::Accepted);
  EXPECT_EQ(result.peers_accepted, 1U);
  EXPECT_EQ(result.fetched_by.size(), 1U);
  EXPECT_TRUE(result.final);
  EXPECT_EQ(result.txid, tx.txid());
  EXPECT_TRUE(has(node, tx));
  EXPECT_TRUE(has(other, tx));
}

TEST_F(RealBroadcast, TheOnlyNodeFetchesItAndSaysSoWhereItHasItAlready) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(101);
  const auto tx = payment(node);
  const auto first = send({&node}, tx);
  EXPECT_EQ(first.state, client::BroadcastState::Fetched);
  EXPECT_EQ(first.fetched_by, std::vector<std::string>{node.address()});
  EXPECT_TRUE(has(node, tx)) << "it is read before the session ends";
  const auto again = send({&node}, tx);
  EXPECT_EQ(again.state, client::BroadcastState::Accepted) << "it was not sent this time";
  EXPECT_TRUE(again.fetched_by.empty());
}

TEST_F(RealBroadcast, NodesTellTheirFloorAndTheCoinbaseOfTheNewestBlocks) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(110);
  for (int i = 0; i < 10; ++i) {
    const auto tx = payment(node);
    node.rpc("sendrawtransaction", util::to_hex(tx.serialize(chain::Witness::Include)));
    node.mine(1);
  }
  client::SessionErrands errands;
  errands.fees = true;
  const auto said = run<client::FeesKnown>({&node}, std::move(errands));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].peers_heard, 1U);
  ASSERT_TRUE(said[0].floor.has_value());
  EXPECT_GE(*said[0].floor, 90);
  EXPECT_LE(*said[0].floor, 1'200);
  EXPECT_EQ(said[0].blocks_used, 10U);
  ASSERT_TRUE(said[0].estimate.has_value());
  EXPECT_EQ(*said[0].estimate, 7) << "7,050 sat a block, as if it were full";
}

}  // namespace
}  // namespace spv::test
