// What a wallet owes once it watches more, and what the commands say about a birthday above the tip: without a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/open_wallet.h"
#include "store/header_file.h"
#include "tests/support/chain_builder.h"
#include "tests/support/spv_cli.h"
#include "tests/support/tx_builder.h"
#include "wallet/address.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGrownAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
constexpr const char* kMoreAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
constexpr const char* kGrownXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

class Growing : public testing::Test {
 protected:
  Growing() : data_(cli_.folder(), chain::Network::Regtest) {}

  client::OpenWallet open() {
    return client::open_wallet(client::make_store(data_, chain::Network::Regtest), "default", store::Access::Write);
  }
  /// As a sync would have left it at this block.
  void scan_to(chain::Height height) {
    const auto chain = ChainBuilder().blocks(height);
    const auto file = store::HeaderFile::open(data_.headers().string(), chain::params(chain::Network::Regtest));
    file->replace_above(0, chain.headers(1), chain.tip().hash,
                        chain::Uint256(2 * (static_cast<std::uint64_t>(height) + 1)));
    file->flush();
    auto held = open();
    wallet::ScanState scan = held.wallet.scan();
    scan.scanned_to = {height, chain.tip().hash};
    client::commit_changes(held, held.wallet.set_scan(std::move(scan)), 1);
  }
  /// A payment in block 5.
  chain::Txid pay(const std::vector<std::string>& addresses) {
    TxBuilder tx;
    for (const auto& address : addresses) {
      tx.pays(*wallet::script_of_address(address, chain::params(chain::Network::Regtest)), 1'000);
    }
    const auto built = tx.build();
    auto held = open();
    const wallet::Confirmation at{.block = {5, ChainBuilder().blocks(5).tip().hash}, .block_time = 1, .index = 1};
    client::commit_changes(held, held.wallet.apply_confirmed(built, at, util::Bytes{1}, 1), 1);
    return built.txid();
  }
  json::value rescan_from(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.begin(), {"watch", "--add"});
    return cli_.json(arguments, input).at("rescan_from");
  }
  void refused(const std::vector<std::string>& arguments, const std::string& words, const std::string& input = {}) {
    const auto result = cli_.run(arguments, input);
    EXPECT_EQ(result.exit_code, 1) << words << ": " << result.err << result.out;
    EXPECT_THAT(result.err, HasSubstr(words));
  }

  SpvCli cli_;
  client::DataFolder data_;
};

std::string listed_at(const std::string& timestamp, int chain = 0) {
  return R"([{"desc":"wpkh()" + std::string(kGrownXpub) + "/" + std::to_string(chain) +
         "/*)\",\"timestamp\":" + timestamp + "}]";
}

TEST_F(Growing, WhatIsAddedMayBePaidBeforeTheWalletsBirthday) {
  cli_.json({"watch", "--birthday", "110", "--address", kGrownAddress});
  scan_to(148);
  EXPECT_EQ(rescan_from({"--address", kMoreAddress}), json::value(0));
  EXPECT_EQ(cli_.json({"status"}).at("birthday"), json::value(0));
  EXPECT_EQ(cli_.json({"status"}).at("complete"), json::value(false));
}

TEST_F(Growing, TheEarliestTimestampCountsAlsoForWhatIsAdded) {
  cli_.json({"watch", "--birthday", "110", "--address", kGrownAddress});
  scan_to(148);
  const auto chain = ChainBuilder().blocks(148);
  const auto born = std::to_string(chain.header(60).time + 7'200);
  EXPECT_EQ(rescan_from({"--descriptors-file", "-"}, listed_at(born)), json::value(60));
  EXPECT_EQ(rescan_from({"--descriptors-file", "-"}, listed_at("0", 1)), json::value(0)) << "none, so genesis";
}

TEST_F(Growing, AWatchedAddressWithAnEarlierBirthdayIsScannedFromThere) {
  cli_.json({"watch", "--birthday", "110", "--address", kGrownAddress});
  scan_to(148);
  EXPECT_EQ(rescan_from({"--address", kGrownAddress}), json::value(nullptr)) << "nothing is new";
  EXPECT_EQ(rescan_from({"--address", kGrownAddress, "--birthday", "120"}), json::value(nullptr)) << "scanned already";
  EXPECT_EQ(rescan_from({"--address", kGrownAddress, "--birthday", "30"}), json::value(30));
  EXPECT_EQ(cli_.json({"balance"}).at("rescan"), json::parse(R"({"from":30,"to":148})"));
}

TEST_F(Growing, TheGapLimitIsRaisedByAddAndNotLowered) {
  cli_.json({"watch", "--gap-limit", "30", "--descriptor", std::string("wpkh(") + kGrownXpub + "/0/*)"});
  scan_to(148);
  refused({"watch", "--add", "--gap-limit", "29", "--address", kGrownAddress}, "the gap limit is 30 and cannot be");
  EXPECT_EQ(cli_.json({"descriptors"}).as_array().size(), 1U) << "and nothing is added then";
  EXPECT_EQ(rescan_from({"--gap-limit", "40", "--address", kGrownAddress, "--birthday", "100"}), json::value(0))
      << "for the chain that was there";
  EXPECT_EQ(cli_.json({"status"}).at("gap_limit"), json::value(40));
  rescan_from({"--address", kMoreAddress});
  EXPECT_EQ(cli_.json({"status"}).at("gap_limit"), json::value(40)) << "kept where it is not given";
}

TEST_F(Growing, DescriptorsFromTheFutureAreRefused) {
  refused({"watch", "--descriptors-file", "-"}, "the timestamp 4102444800 of the descriptors is in the future",
          listed_at("4102444800"));
  EXPECT_TRUE(cli_.json({"list"}).at("wallets").as_array().empty());
  cli_.json({"watch", "--address", kGrownAddress});
  refused({"watch", "--add", "--descriptors-file", "-"}, "in the future", listed_at("4102444800"));
  EXPECT_EQ(
      cli_.run({"watch", "-w", "x", "--birthday", "5", "--descriptors-file", "-"}, listed_at("4102444800")).exit_code,
      0)
      << "the user says more";
}

TEST_F(Growing, AUsedAddressIsNotHandedOutByAChainThatIsAddedLater) {
  const std::string chain = std::string("wpkh(") + kGrownXpub + "/0/*)";
  cli_.json({"watch", "-w", "all", "--descriptor", chain});
  std::vector<std::string> addresses;
  for (int i = 0; i < 5; ++i) {
    addresses.emplace_back(cli_.json({"address", "-w", "all", "--new"}).at("address").as_string());
  }
  cli_.json({"watch", "--address", addresses[0], "--address", addresses[3]});
  pay({addresses[0], addresses[3]});
  scan_to(20);
  cli_.json({"watch", "--add", "--descriptor", chain});
  EXPECT_EQ(cli_.json({"address", "--type", "wpkh"}).at("address"), json::value(addresses[4]));
}

TEST_F(Growing, BlocksThatAreOwedAreNotCalledScanned) {
  cli_.json({"watch", "--birthday", "125", "--address", kGrownAddress});
  scan_to(148);
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("\n24 blocks scanned, each answered by one peer"));
  rescan_from({"--address", kMoreAddress, "--birthday", "30"});
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("incomplete: 0 of 119 blocks scanned"));
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("\n0 blocks scanned\n"));
  EXPECT_EQ(cli_.json({"balance"}).at("attested").at("blocks"), json::value(0));
  EXPECT_EQ(cli_.json({"status"}).at("attested").at("blocks"), json::value(0));
}

TEST_F(Growing, UntilTheChainReachesTheBirthdayAllSayTheSame) {
  cli_.json({"watch", "--birthday", "500", "--address", kGrownAddress});
  scan_to(148);
  const std::string words = "incomplete: the wallet's birthday (block 500) is above the best block (148)";
  for (const char* command : {"balance", "status"}) {
    EXPECT_EQ(cli_.json({command}).at("complete"), json::value(false)) << command;
    EXPECT_THAT(cli_.run({command}).out, HasSubstr(words)) << command;
    EXPECT_THAT(cli_.run({command}).out, HasSubstr("0 blocks scanned since the birthday")) << command;
  }
  EXPECT_EQ(cli_.json({"status"}).at("scanned_to"), json::value(148));
  EXPECT_EQ(cli_.json({"list"}).at("details").at(0).at("height"), json::value(148));
  scan_to(510);
  for (const char* command : {"balance", "status"}) {
    EXPECT_EQ(cli_.json({command}).at("complete"), json::value(true)) << command;
    EXPECT_THAT(cli_.run({command}).out, Not(HasSubstr("incomplete"))) << command;
    EXPECT_THAT(cli_.run({command}).out, HasSubstr("11 blocks scanned, each answered by one peer")) << command;
  }
}

TEST_F(Growing, OnlyOutputsThatAreThereAreLabelled) {
  cli_.json({"watch", "--address", kGrownAddress});
  const auto txid = util::to_string(pay({kGrownAddress}));
  refused({"label", txid + ":5", "x"}, "there is no output " + txid + ":5: the last one of this transaction is 0");
  refused({"label", txid.substr(0, 8) + ":1", "x"}, "there is no output");
  EXPECT_EQ(cli_.run({"label", txid + ":0", "x"}).exit_code, 0);
  EXPECT_EQ(cli_.run({"label", txid + ":5", ""}).exit_code, 0) << "one that was set before can be removed";
  EXPECT_EQ(cli_.run({"label", std::string(64, 'a') + ":5", "x"}).exit_code, 0) << "it may come later";
}

}  // namespace
}  // namespace spv::test
