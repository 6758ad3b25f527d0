// Descriptors to and from bitcoind, and an encrypted wallet in a whole sync.
#include <algorithm>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

namespace json = boost::json;

constexpr std::int64_t kBtc = 100'000'000;
constexpr const char* kTypes[]{"legacy", "p2sh-segwit", "bech32", "bech32m"};

class DescriptorExchange : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    node_->mine(101);
  }
  void restore(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"restore", "--mnemonic-file", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    cli_.json(arguments, std::string(SameKeys::kMnemonic) + "\n");
  }
  void import(const char* wallet, bool without_keys, const json::value& descriptors) {
    node_->rpc("createwallet", wallet, without_keys, true, "", false, true);
    const auto results = node_->wallet_rpc(wallet, "importdescriptors", descriptors);
    ASSERT_EQ(results.as_array().size(), descriptors.as_array().size());
    for (const auto& result : results.as_array())
      EXPECT_TRUE(result.at("success").as_bool()) << json::serialize(results);
  }
  std::string first_address(const char* wallet, const char* type) {
    return std::string(node_->wallet_rpc(wallet, "getnewaddress", "", type).as_string());
  }
  std::string sync_and_show() {
    cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0"});
    return json::serialize(cli_.json({"balance"}));
  }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
};

TEST_F(DescriptorExchange, PublicOnesMakeTheNodesWalletWatchTheSame) {
  restore({"--script", "all"});
  import("copy", true, cli_.json({"descriptors"}));
  const auto ours = cli_.json({"addresses"});
  std::set<std::string> known;
  for (const auto& entry : ours.at("addresses").as_array()) known.emplace(entry.at("address").as_string());
  for (const char* type : kTypes) EXPECT_TRUE(known.contains(first_address("copy", type))) << type;
  node_->send(first_address("copy", "bech32m"), kBtc);
  node_->mine(1);
  sync_and_show();
  EXPECT_EQ(cli_.json({"balance"}).at("confirmed_sat").as_int64(), kBtc);
  EXPECT_EQ(to_sat(node_->wallet_rpc("copy", "getbalances").at("mine").at("trusted")), kBtc);
}

TEST_F(DescriptorExchange, PrivateOnesMakeTheNodesWalletSpendTheSame) {
  restore({"--script", "all", "--account", "3", "--account", "8", "--account", "3"});
  const auto descriptors = cli_.json({"descriptors", "--private"});
  EXPECT_EQ(descriptors.as_array().size(), 16U);  // two accounts of four kinds, each with change
  import("copy", false, descriptors);
  const auto ours = cli_.json({"addresses"});
  for (const auto& entry : ours.at("addresses").as_array()) {
    if (entry.at("path").as_string() != "m/86'/1'/8'/0/0") continue;
    node_->send(std::string(entry.at("address").as_string()), kBtc);
  }
  for (const char* type : kTypes) node_->send(first_address("copy", type), kBtc);
  node_->mine(1);
  node_->wallet_rpc("copy", "sendall", json::array{node_->new_address()});
  node_->mine(1);
  sync_and_show();
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat").as_int64(), 0);
  EXPECT_EQ(cli_.json({"history"}).at("transactions").as_array().size(), 6U);
}

TEST_F(DescriptorExchange, WatchTakesAllThatListdescriptorsGives) {
  std::vector<std::string> arguments{"watch"};
  const auto listed = node_->wallet_rpc(Bitcoind::kWallet, "listdescriptors");
  for (const auto& entry : listed.at("descriptors").as_array()) {
    arguments.insert(arguments.end(), {"--descriptor", std::string(entry.at("desc").as_string())});
  }
  ASSERT_GE(arguments.size(), 17U) << "four types, receive and change";
  cli_.json(arguments);
  const auto ours = cli_.json({"descriptors"});
  for (const auto& entry : listed.at("descriptors").as_array()) {
    const auto same = std::ranges::find_if(ours.as_array(), [&](const json::value& our) {
      return our.at("internal") == entry.at("internal") &&
             node_->rpc("getdescriptorinfo", our.at("desc")).at("descriptor") ==
                 node_->rpc("getdescriptorinfo", entry.at("desc")).at("descriptor");
    });
    EXPECT_NE(same, ours.as_array().end()) << json::serialize(entry);
  }
  node_->send(node_->new_address("legacy"), kBtc);
  node_->mine(1);
  sync_and_show();
  const auto theirs = node_->wallet_rpc(Bitcoind::kWallet, "getbalances").at("mine");
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat").as_int64(),
            to_sat(theirs.at("trusted")) + to_sat(theirs.at("immature")));
}

TEST_F(DescriptorExchange, AWatchOnlyWalletGivesPublicOnesAndHasNoPrivateOnes) {
  cli_.json({"watch", "--address", node_->new_address(), "--descriptor", "raw(6a)"});
  import("copy", true, cli_.json({"descriptors"}));
  EXPECT_EQ(cli_.run({"descriptors", "--private"}).exit_code, 1);
}

TEST_F(DescriptorExchange, K1_AnEncryptedWalletSyncsWithoutItsPassphrase) {
  const TempDir folder;
  std::ofstream(folder.file("passphrase")) << "correct horse\n";
  restore({"--encrypt", "--passphrase-file", folder.file("passphrase")});
  const auto address = cli_.json({"address"}).at("address");
  node_->send(std::string(address.as_string()), kBtc);
  node_->mine(1);
  sync_and_show();
  EXPECT_EQ(cli_.json({"balance"}).at("confirmed_sat").as_int64(), kBtc);
  EXPECT_TRUE(cli_.json({"status"}).at("encrypted").as_bool());
}

}  // namespace
}  // namespace spv::test
