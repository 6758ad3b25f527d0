// Other processes beside `sync --follow`: what they hand out is watched, and what both write survives.
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

/// Waits for a fact, for a minute.
template <typename Fact>
bool comes_true(Fact fact) {
  for (int tries = 0; tries < 1'200; ++tries) {
    if (fact()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class BesideAFollower : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    node_->mine(101);
    cli_.json({"create"});
    follow();
    EXPECT_TRUE(comes_true([&] { return height() == node_->height(); })) << text();
  }
  void follow() {
    follower_.emplace(Arguments{SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "--json", "sync",
                                "--follow", "--connect", node_->address(), "--mempool-wait", "1"},
                      events_.file("events"));
  }
  void end_follower() {
    follower_->signal(SIGTERM);
    EXPECT_EQ(follower_->wait(std::chrono::seconds(60)), 0) << text();
  }
  int height() {
    const auto height = cli_.json({"balance"}).at("height");
    return height.is_null() ? -1 : height.to_number<int>();
  }
  std::string text() {
    std::ifstream in(events_.file("events"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool told(const std::string& txid, bool confirmed) {
    std::istringstream lines(text());
    boost::system::error_code error;
    for (std::string line; std::getline(lines, line);) {
      const auto event = json::parse(line, error);
      if (error || event.at("event") != "tx" || event.at("txid") != json::value(txid)) continue;
      if (event.at("height").is_null() != confirmed) return true;
    }
    return false;
  }
  std::string next_address() { return std::string(cli_.json({"address", "--new"}).at("address").as_string()); }

  using Arguments = std::vector<std::string>;
  std::optional<Bitcoind> node_;
  SpvCli cli_;
  TempDir events_;
  std::optional<ChildProcess> follower_;
};

TEST_F(BesideAFollower, AddressesAreHandedOutAndWatchedAndNeverTwice) {
  std::set<std::string> handed_out;
  std::string last;
  for (int i = 0; i < 8; ++i) handed_out.insert(last = next_address());
  EXPECT_EQ(handed_out.size(), 8U);
  const auto txid = node_->send(last, 100'000'000);
  EXPECT_TRUE(comes_true([&] { return told(txid, false); })) << text();
  node_->mine(1);
  EXPECT_TRUE(comes_true([&] { return told(txid, true); })) << text();
  EXPECT_TRUE(comes_true([&] { return height() == node_->height(); }));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(handed_out.insert(next_address()).second) << "handed out before";
  node_->mine(1);
  EXPECT_TRUE(comes_true([&] { return height() == node_->height(); })) << "it follows on";
  end_follower();
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat").as_int64(), 100'000'000);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(handed_out.insert(next_address()).second) << "handed out before";
  follow();
  EXPECT_TRUE(handed_out.insert(next_address()).second);
  EXPECT_TRUE(comes_true([&] { return text().find(R"("event":"tip")") != std::string::npos; })) << text();
  end_follower();
}

TEST_F(BesideAFollower, LabelsAreWrittenAndTheWalletIsCopiedButNotMoved) {
  const auto address = next_address();
  const auto txid = node_->send(address, 50'000'000);
  EXPECT_TRUE(comes_true([&] { return told(txid, false); })) << text();
  EXPECT_EQ(cli_.run({"label", txid.substr(0, 10), "salary"}).exit_code, 0);
  EXPECT_EQ(cli_.run({"label", address, "employer"}).exit_code, 0);
  node_->mine(1);
  EXPECT_TRUE(comes_true([&] { return told(txid, true); })) << text();
  EXPECT_EQ(cli_.json({"history"}).at("transactions").at(0).at("label"), "salary");
  EXPECT_EQ(cli_.json({"tx", txid}).at("label"), "salary");
  EXPECT_EQ(cli_.json({"utxos"}).at("utxos").at(0).at("label"), "employer");
  EXPECT_THAT(cli_.run({"history"}).out, HasSubstr("salary"));
  const auto copy = events_.file("copy.sqlite");
  EXPECT_EQ(cli_.run({"backup", copy}).exit_code, 0);
  for (const Arguments& command : {Arguments{"rename", "other"}, Arguments{"delete", "--yes"},
                                   Arguments{"set", "--gap-limit", "30"}, Arguments{"rescan", "--from", "0"}}) {
    const auto refused = cli_.run(command);
    EXPECT_EQ(refused.exit_code, 4) << command[0];
    EXPECT_THAT(refused.err, HasSubstr("in use by process")) << command[0];
  }
  end_follower();
  std::filesystem::copy_file(copy, cli_.folder() / "regtest/wallets/copy.sqlite");
  EXPECT_EQ(cli_.json({"history", "-w", "copy"}), cli_.json({"history"}));
  EXPECT_EQ(cli_.run({"rename", "other"}).exit_code, 0);
  EXPECT_EQ(cli_.run({"label", "-w", "other", address}).out, "employer\n");
}

class GrowingWallet : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    node_->mine(101);
  }
  json::value sync(const std::string& wallet) {
    return cli_.json({"sync", "-w", wallet, "--connect", node_->address(), "--mempool-wait", "0"});
  }
  std::int64_t total(const std::string& wallet) { return sync(wallet).at("balance").at("total_sat").as_int64(); }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
};

TEST_F(GrowingWallet, WhatIsAddedIsFoundInBlocksThatWereScanned) {
  const auto first = node_->new_address();
  const auto second = node_->new_address();
  node_->send(first, 10'000'000);
  node_->send(second, 20'000'000);
  node_->mine(1);
  cli_.json({"watch", "-w", "w", "--address", first});
  EXPECT_EQ(total("w"), 10'000'000);
  const auto added = cli_.json({"watch", "-w", "w", "--add", "--address", second});
  EXPECT_EQ(added.at("rescan_from"), json::value(0));
  EXPECT_EQ(total("w"), 30'000'000);
  EXPECT_EQ(cli_.json({"watch", "-w", "late", "--address", first, "--birthday", "102"}).at("wallet"), "late");
  EXPECT_EQ(total("late"), 10'000'000);
  node_->mine(1, second);
  EXPECT_EQ(cli_.json({"watch", "-w", "late", "--add", "--address", second, "--birthday", "50"}).at("rescan_from"),
            json::value(50))
      << "earlier than the wallet";
  const auto balance = sync("late").at("balance");
  EXPECT_EQ(balance.at("confirmed_sat").as_int64(), 30'000'000);
  EXPECT_EQ(balance.at("immature_sat").as_int64(), 5'000'000'000);
}

TEST_F(GrowingWallet, WhatIsAddedIsFoundBelowTheWalletsBirthday) {
  const auto old = node_->new_address();
  node_->send(old, 20'000'000);
  node_->mine(5);
  cli_.json({"watch", "-w", "young", "--address", node_->new_address(), "--birthday", "104"});
  EXPECT_EQ(total("young"), 0);
  cli_.json({"watch", "-w", "young", "--add", "--address", old});
  EXPECT_EQ(total("young"), 20'000'000);
}

TEST_F(GrowingWallet, APaymentBeyondTheOldGapLimitIsFoundWithTheNewOne) {
  const auto wide = cli_.json({"create", "-w", "wide"});
  const auto words = cli_.folder() / "words";
  std::ofstream(words) << std::string(wide.at("mnemonic").as_string());
  std::string far;
  for (int i = 0; i < 15; ++i)
    far = std::string(cli_.json({"address", "-w", "wide", "--new"}).at("address").as_string());
  node_->send(far, 10'000'000);
  node_->mine(1);
  cli_.json({"restore", "-w", "narrow", "--mnemonic-file", words.string(), "--gap-limit", "1"});
  EXPECT_EQ(total("narrow"), 0) << "index 14 is beyond ten times the limit";
  EXPECT_EQ(cli_.json({"set", "-w", "narrow", "--gap-limit", "2"}).at("rescan_from"), json::value(0));
  EXPECT_EQ(total("narrow"), 10'000'000);
}

TEST_F(GrowingWallet, TheDescriptorsOfTheNodesWalletAreTakenAsItListsThem) {
  const auto document = json::serialize(node_->wallet_rpc(Bitcoind::kWallet, "listdescriptors"));
  const auto made = cli_.run({"watch", "-w", "node", "--descriptors-file", "-", "--birthday", "0", "--json"}, document);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  sync("node");
  const auto balances = node_->wallet_rpc(Bitcoind::kWallet, "getbalances").at("mine");
  const auto ours = cli_.json({"balance", "-w", "node"});
  EXPECT_EQ(ours.at("total_sat").as_int64(), to_sat(balances.at("trusted")) + to_sat(balances.at("immature")));
  const auto secret = json::serialize(node_->wallet_rpc(Bitcoind::kWallet, "listdescriptors", true));
  const auto refused = cli_.run({"watch", "-w", "secret", "--descriptors-file", "-"}, secret);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("private key"));
}

}  // namespace
}  // namespace spv::test
