// Filtered blocks, whole ones, or what ends sooner: the built program against a real bitcoind.
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/socks5_server.h"

namespace spv::test {
namespace {

namespace json = boost::json;

constexpr std::int64_t kBtc = 100'000'000;

class Source : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    keys_.emplace(*node_, cli_);
    node_->mine(101);
    node_->send(keys_->receive_address(), kBtc);
    node_->mine(30);
  }
  json::value sync(std::vector<std::string> more) {
    more.insert(more.end(), {"--mempool-wait", "0"});
    auto summary = keys_->sync(std::move(more));
    EXPECT_EQ(blocks(summary) + merkleblocks(summary), node_->height() + 1) << "every block once, genesis too";
    EXPECT_EQ(summary.at("balance").at("confirmed_sat").as_int64(), kBtc);
    return summary;
  }
  static int blocks(const json::value& summary) { return summary.at("blocks").to_number<int>(); }
  static int merkleblocks(const json::value& summary) { return summary.at("merkleblocks").to_number<int>(); }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
  std::optional<SameKeys> keys_;
};

TEST_F(Source, IsAFilterUnlessTheSectionOfTheConfigFileSaysOtherwise) {
  std::ofstream(cli_.folder() / "spv.conf") << "[signet]\nsource=auto\n[regtest]\nsource=blocks\n";
  const auto whole = sync({});
  EXPECT_EQ(whole.at("source"), "blocks");
  EXPECT_EQ(merkleblocks(whole), 0);
  EXPECT_TRUE(whole.at("filter").is_null()) << "none is loaded";
  EXPECT_EQ(keys_->sync({"--mempool-wait", "0", "--source", "filter"}).at("source"), "filter")
      << "the command line counts more";

  std::ofstream(cli_.folder() / "spv.conf") << "[regtest]\nsource=rumours\n";
  const auto refused = cli_.run({"sync"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("spv.conf:2"), std::string::npos) << refused.err;

  std::filesystem::remove(cli_.folder() / "spv.conf");
  cli_.json({"rescan", "--from", "0"});
  const auto filtered = sync({});
  EXPECT_EQ(filtered.at("source"), "filter");
  EXPECT_EQ(blocks(filtered), 0);
}

TEST_F(Source, AutoTriesBothOnLoopbackWithoutALimit) {
  const auto summary = sync({"--source", "auto"});
  EXPECT_EQ(summary.at("source"), "auto");
  EXPECT_GE(blocks(summary), 40) << "a trial of whole blocks";
  EXPECT_GE(merkleblocks(summary), 40) << "and one of filtered ones";
}

TEST_F(Source, BeyondTheLocalNetworkAutoKeepsToTheLimit) {
  Socks5Server proxy;
  proxy.map("1.2.3.4", 18444, node_->port());
  const auto from_afar = [&](const std::string& limit) {
    cli_.json({"watch", "-w", limit, "--address", keys_->receive_address()});
    return cli_.json({"sync", "-w", limit, "--connect", "1.2.3.4:18444", "--proxy", proxy.address(), "--mempool-wait",
                      "0", "--source", "auto", "--max-download", limit});
  };
  EXPECT_EQ(blocks(from_afar("0")), 0);
  EXPECT_EQ(blocks(from_afar("3999999")), 0) << "a block may have four million bytes";
  EXPECT_GE(blocks(from_afar("1000000000")), 1);
}

TEST_F(Source, ANodeWithoutBloomFiltersServesWholeBlocks) {
  Bitcoind plain({.bloom_filters = false, .wallet = false});
  plain.connect_to(*node_);
  plain.sync_with(*node_);
  const auto summary = cli_.json({"sync", "--connect", plain.address(), "--mempool-wait", "0", "--source", "auto"});
  EXPECT_EQ(merkleblocks(summary), 0);
  EXPECT_EQ(summary.at("balance").at("confirmed_sat").as_int64(), kBtc);
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
}

// 12,000 scripts and their coins: two filters, one after the other.
TEST_F(Source, AWalletThatNoFilterHoldsIsScannedInSlices) {
  cli_.json({"restore", "-w", "large", "--gap-limit", "600", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
  const auto sync_large = [&](const std::string& wait) {
    return cli_.json(
        {"sync", "-w", "large", "--connect", node_->address(), "--source", "filter", "--mempool-wait", wait});
  };
  for (int i = 0; i < 20; ++i) node_->send(keys_->receive_address(), kBtc / 100);
  node_->mine(5);
  keys_->spend_all(node_->new_address());
  node_->mine(5);
  for (int i = 0; i < 20; ++i) node_->send(keys_->change_address(), kBtc / 200);
  node_->mine(40);
  const auto summary = sync_large("0");
  EXPECT_EQ(summary.at("answers").to_number<int>(), 2 * (node_->height() + 1)) << "every block under both filters";
  EXPECT_EQ(merkleblocks(summary), node_->height() + 1) << "and counted once";
  EXPECT_EQ(summary.at("relevant_txs").to_number<int>(), 42);
  EXPECT_EQ(summary.at("balance").at("confirmed_sat").as_int64(), 20 * kBtc / 200);
  EXPECT_LE(summary.at("false_positives").to_number<int>(), 5) << "filters keep their rate";
  keys_->sync();
  const auto history = [&](const std::string& wallet) { return cli_.json({"history", "-w", wallet}); };
  EXPECT_EQ(history("large").at("transactions"), history("default").at("transactions"));

  node_->send(keys_->receive_address(), 7'000);
  const auto later = sync_large("20");
  EXPECT_EQ(later.at("balance").at("unconfirmed_sat").as_int64(), 7'000);
  node_->mine(1);
  EXPECT_EQ(merkleblocks(sync_large("0")), 1) << "one block is not worth two filters";
  EXPECT_EQ(cli_.json({"balance", "-w", "large"}).at("total_sat").as_int64(), 20 * kBtc / 200 + 7'000);
}

}  // namespace
}  // namespace spv::test
