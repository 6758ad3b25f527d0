// On whose word a balance rests, as the program tells it, and own transactions that are told again: both against real
// nodes.
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

namespace json = boost::json;

constexpr const char* kXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";

int count(const json::value& document, const char* name) { return document.at("attested").at(name).to_number<int>(); }

class TellsOnWhoseWord : public testing::Test {
 protected:
  json::value sync(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"sync", "--mempool-wait", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cli_.json(arguments);
  }
  SpvCli cli_;
};

TEST_F(TellsOnWhoseWord, E11_EveryBalanceSaysAsOfWhichBlockAndByWhom) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  Bitcoind other({.wallet = false});
  cli_.json({"watch", "--address", node.new_address(), "--birthday", "1"});
  const auto fresh = cli_.json({"balance"});
  for (const char* unknown : {"time", "height", "tip", "headers"}) EXPECT_TRUE(fresh.at(unknown).is_null()) << unknown;
  EXPECT_EQ(fresh.at("complete"), json::value(false));
  EXPECT_EQ(fresh.at("peers").to_number<int>(), 0);
  EXPECT_EQ(count(fresh, "blocks"), 0);

  node.mine(20);
  sync({"--connect", node.address()});
  const auto alone = cli_.json({"balance"});
  const auto header = node.rpc("getblockheader", node.best_block());
  EXPECT_EQ(alone.at("time").to_number<std::int64_t>(), header.at("time").to_number<std::int64_t>());
  EXPECT_EQ(alone.at("height").to_number<int>(), 20);
  EXPECT_EQ(alone.at("headers").to_number<int>(), 20);
  EXPECT_EQ(alone.at("complete"), json::value(true));
  EXPECT_EQ(alone.at("peers").to_number<int>(), 1);
  EXPECT_EQ(count(alone, "by_one"), 20);

  other.connect_to(node);
  json::value summary;
  int by_one = 20;
  // On a busy machine the second node may not be there in time: then with ten blocks more.
  for (int attempt = 0; attempt < 5; ++attempt) {
    node.mine(10);
    other.sync_with(node);
    summary = sync({"--connect", node.address(), "--connect", other.address(), "--cross-check", "full"});
    if (summary.at("tip_peers").to_number<int>() != 1) break;
    by_one += 10;
  }
  EXPECT_EQ(summary.at("tip_peers").to_number<int>(), 2);
  const auto checked = cli_.json({"balance"});
  EXPECT_EQ(checked.at("attested"), summary.at("attested"));
  EXPECT_EQ(count(checked, "by_two"), 10) << "the ten that came since";
  EXPECT_EQ(count(checked, "by_one"), by_one);
  EXPECT_EQ(cli_.json({"status"}).at("attested"), checked.at("attested"));

  node.mine(5);
  sync({"--connect", node.address(), "--source", "blocks"});
  EXPECT_EQ(count(cli_.json({"balance"}), "whole"), 5);
  const auto words = std::to_string(by_one) + " answered by one peer, 10 by two peers, 5 downloaded whole";
  EXPECT_NE(cli_.run({"balance"}).out.find(words), std::string::npos);

  cli_.json({"rescan", "--from", "25"});
  const auto owed = cli_.json({"balance"});
  EXPECT_EQ(owed.at("rescan").at("from").to_number<int>(), 25);
  EXPECT_LE(count(owed, "by_two"), 4) << "what is to be looked at again rests on nothing yet";
  sync({"--connect", node.address()});
  EXPECT_TRUE(cli_.json({"balance"}).at("rescan").is_null());
}

TEST_F(TellsOnWhoseWord, P8_ABirthdayIsRoundedDownToItsPeriod) {
  const auto folder = cli_.folder().string();
  const auto spv = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SpvCli::binary(), "--network", "main", "--datadir", folder, "--json"});
    return run(arguments);
  };
  ASSERT_EQ(spv({"watch", "--xpub", kXpub, "--script", "wpkh", "--birthday", "850123"}).exit_code, 0);
  const auto birthday = json::parse(spv({"status"}).out).at("birthday").to_number<int>();
  EXPECT_EQ(birthday, 850'123 - 850'123 % 2'016);
}

TEST(OwnTransactions, P6_AreToldAgainToANodeThatNeverGotOurFilter) {
  SPV_BITCOIND_OR_SKIP();
  const auto wait_until = [](const auto& holds) {
    for (int tries = 0; tries < 1'200; ++tries) {  // a due one may be put off for half a minute, twice
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  SpvCli cli;
  Bitcoind served;
  Bitcoind plain({.bloom_filters = false, .wallet = false});
  SameKeys keys(served, cli);
  served.mine(101);
  served.send(keys.receive_address(), 100'000'000);
  served.mine(1);
  plain.connect_to(served);
  plain.sync_with(served);
  plain.rpc("addnode", served.address(), "remove");  // or it would dial again, and be told by the other node
  plain.rpc("setnetworkactive", false);
  ASSERT_TRUE(wait_until([&] { return plain.rpc("getpeerinfo").as_array().empty(); }));
  plain.rpc("setnetworkactive", true);
  const auto txid = keys.spend(served.new_address(), 30'000'000);
  ASSERT_TRUE(plain.rpc("getrawmempool").as_array().empty()) << "the two are no peers any more";

  ChildProcess follower({SpvCli::binary(), "--regtest", "--datadir", cli.folder().string(), "sync", "--follow",
                         "--mempool-wait", "1", "--connect", served.address(), "--connect", plain.address()},
                        (cli.folder() / "follow").string());
  const auto knows_it = [&] {
    const auto known = cli.json({"history"});
    return json::serialize(known).find(txid) != std::string::npos;
  };
  ASSERT_TRUE(wait_until(knows_it)) << "from the mempool of the node that serves us";
  const auto passed_by = served.generate_block(served.new_address(), {});
  plain.rpc("submitblock", served.rpc("getblock", passed_by, 0));
  EXPECT_TRUE(wait_until([&] { return !plain.rpc("getrawmempool").as_array().empty(); }));
  const auto held = plain.rpc("getrawmempool");
  EXPECT_EQ(json::serialize(held), "[\"" + txid + "\"]");
  follower.signal(15);
  EXPECT_EQ(follower.wait(std::chrono::seconds(30)), 0);
}

}  // namespace
}  // namespace spv::test
