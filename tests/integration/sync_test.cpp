// Whole syncs of the built program against a real bitcoind, compared with bitcoind's own wallet on the same keys.
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

constexpr std::int64_t kBtc = 100'000'000;

class Sync : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    keys_.emplace(*node_, cli_);
    node_->mine(101);
  }
  void expect_equal() {
    keys_->sync();
    EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
  }
  /// Filtered or whole: the tests run both ways.
  static int blocks_in(const boost::json::value& summary) {
    return summary.at("merkleblocks").to_number<int>() + summary.at("compact_filters").to_number<int>() +
           summary.at("blocks").to_number<int>();
  }
  std::string elsewhere() { return node_->new_address(); }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
  std::optional<SameKeys> keys_;
};

TEST_F(Sync, FindsPaymentsAtReceiveAndChangeAddresses) {
  node_->send(keys_->receive_address(), 150'000'000);
  node_->send(keys_->change_address(), 25'000'000);
  node_->mine(1);
  const auto summary = keys_->sync();
  EXPECT_EQ(summary.at("height").as_int64(), 102);
  EXPECT_EQ(summary.at("scanned_to").as_int64(), 102);
  EXPECT_EQ(summary.at("headers_added").to_number<int>(), 102);
  EXPECT_EQ(summary.at("relevant_txs").to_number<int>(), 2);
  EXPECT_EQ(summary.at("rescans").to_number<int>(), 0);
  EXPECT_EQ(blocks_in(summary), 103);  // genesis too
  EXPECT_EQ(summary.at("mempool").as_string(), "skipped");
  EXPECT_EQ(summary.at("balance").at("confirmed_sat").as_int64(), 175'000'000);
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
}

TEST_F(Sync, FollowsSpendsWithChangeWithoutChangeAndChainedInOneBlock) {
  for (int i = 0; i < 5; ++i) node_->send(keys_->receive_address(), kBtc);
  node_->mine(1);
  expect_equal();
  keys_->spend(elsewhere(), 30'000'000);
  keys_->spend(elsewhere(), 270'000'000);  // spends the change of the one before, in the same block
  node_->mine(1);
  expect_equal();
  keys_->spend_all(elsewhere());
  node_->mine(1);
  expect_equal();
  EXPECT_EQ(keys_->by_spv().total, 0);
}

TEST_F(Sync, FindsAReceiptAndItsSpendInOneSyncAndInOneBlock) {
  node_->send(keys_->receive_address(), kBtc);
  node_->mine(1);
  keys_->spend_all(elsewhere());
  node_->mine(1);
  const auto in = node_->send(keys_->receive_address(), 2 * kBtc);
  const auto out = keys_->spend_unsafe(elsewhere(), 2 * kBtc);
  node_->mine(1);
  expect_equal();
  EXPECT_EQ(keys_->by_spv().heights.at(in), keys_->by_spv().heights.at(out));
}

TEST_F(Sync, FollowsAReorganisationOfSixBlocks) {
  node_->send(keys_->receive_address(), kBtc);
  const auto blocks = node_->mine(6);
  expect_equal();
  node_->invalidate_block(blocks.front());
  node_->send(keys_->receive_address(), 3 * kBtc);
  node_->mine(7);
  const auto summary = keys_->sync();
  EXPECT_EQ(summary.at("reorgs").to_number<int>(), 1);
  EXPECT_EQ(summary.at("height").as_int64(), 108);
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
}

TEST_F(Sync, ForgetsAPaymentThatADoubleSpendReplacedInAReorganisation) {
  node_->send(keys_->receive_address(), 5 * kBtc);
  node_->mine(1);
  const auto spent = keys_->spend(elsewhere(), kBtc);
  const auto blocks = node_->mine(2);
  expect_equal();
  node_->invalidate_block(blocks.front());
  node_->rpc("prioritisetransaction", spent, 0, -10'000'000);  // mined no more
  keys_->sync();
  node_->mine(3);
  expect_equal();
}

TEST_F(Sync, CountsCoinbasesAsImmatureForHundredBlocks) {
  node_->mine(3, keys_->receive_address());
  expect_equal();
  EXPECT_GT(cli_.json({"balance"}).at("immature_sat").as_int64(), 0);
  node_->mine(97);
  keys_->sync();
  const auto balance = cli_.json({"balance"});
  // The first of three is mature once a block a hundred above it can spend it.
  EXPECT_EQ(balance.at("confirmed_sat").as_int64(), 50 * kBtc);
  EXPECT_EQ(balance.at("immature_sat").as_int64(), 100 * kBtc);
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
}

TEST_F(Sync, SeesUnconfirmedPaymentsInTheMempool) {
  keys_->sync();
  node_->send(keys_->receive_address(), kBtc);
  const auto summary = keys_->sync({"--mempool-wait", "60"});
  EXPECT_EQ(summary.at("mempool").as_string(), "answered");
  EXPECT_EQ(summary.at("balance").at("unconfirmed_sat").as_int64(), kBtc);
  EXPECT_EQ(keys_->by_spv(), keys_->by_bitcoind());
}

TEST_F(Sync, ASecondSyncAsksForNothingAgain) {
  node_->send(keys_->receive_address(), kBtc);
  node_->mine(1);
  keys_->sync();
  const auto again = keys_->sync();
  EXPECT_EQ(again.at("headers_added").to_number<int>(), 0);
  EXPECT_EQ(blocks_in(again), 0);
  EXPECT_EQ(again.at("balance").at("total_sat").as_int64(), kBtc);
  node_->mine(2);
  const auto later = keys_->sync();
  EXPECT_EQ(blocks_in(later), 2);
}

TEST_F(Sync, SpeaksTheEncryptedTransportAndThePlainOne) {
  const auto used = [&](const std::string& choice) {
    const auto summary = keys_->sync({"--mempool-wait", "0", "--transport", choice});
    return std::string(summary.at("peers").at(0).at("transport").as_string());
  };
  EXPECT_EQ(used("auto"), "v2");
  EXPECT_EQ(used("v2"), "v2");
  EXPECT_EQ(used("v1"), "v1");
}

TEST_F(Sync, StartsAtABirthdayGivenAsADate) {
  node_->send(keys_->receive_address(), kBtc);
  node_->mine(1);
  const auto total_of = [&](const std::string& wallet, const std::string& birthday) {
    cli_.json({"restore", "--mnemonic-file", "-", "-w", wallet, "--birthday", birthday}, SameKeys::kMnemonic);
    cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", wallet});
    return cli_.json({"balance", "-w", wallet}).at("total_sat").as_int64();
  };
  EXPECT_EQ(total_of("early", "2011-02-03"), kBtc);
  // The genesis block of regtest is from 2011, and all that follow are from now.
  EXPECT_EQ(cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", "early"}).at("complete"),
            true);
  const auto refused =
      cli_.run({"restore", "--mnemonic-file", "-", "-w", "late", "--birthday", "2090-01-01"}, SameKeys::kMnemonic);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("in the future"), std::string::npos) << refused.err;
}

TEST_F(Sync, FindsWhatComesAfterAWalletWasCreated) {
  cli_.json({"create", "-w", "fresh"});
  const std::string address(cli_.json({"address", "-w", "fresh"}).at("address").as_string());
  cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", "fresh"});
  node_->send(address, kBtc);
  node_->mine(1);
  cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", "fresh"});
  EXPECT_EQ(cli_.json({"balance", "-w", "fresh"}).at("confirmed_sat").as_int64(), kBtc);
}

TEST_F(Sync, WatchesAnXpubAndAnAddressLikeTheFullWallet) {
  const auto address = keys_->receive_address();
  node_->send(address, kBtc);
  node_->send(keys_->receive_address(), 2 * kBtc);
  node_->mine(1);
  // The account key m/84'/1'/0' of the test mnemonic.
  const auto restored = cli_.json({"restore", "--mnemonic-file", "-", "-w", "other"}, std::string(SameKeys::kMnemonic));
  const std::string descriptor(restored.at("descriptors").as_array().at(0).as_string());
  const auto start = descriptor.find(']') + 1;
  const auto xpub = descriptor.substr(start, descriptor.find('/', start) - start);
  cli_.json({"watch", "--xpub", xpub, "--script", "wpkh", "-w", "xpub"});
  cli_.json({"watch", "--address", address, "-w", "address"});
  for (const char* wallet : {"xpub", "address"}) {
    cli_.json({"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", wallet});
  }
  EXPECT_EQ(cli_.json({"balance", "-w", "xpub"}).at("total_sat").as_int64(), 3 * kBtc);
  EXPECT_EQ(cli_.json({"balance", "-w", "address"}).at("total_sat").as_int64(), kBtc);
}

}  // namespace
}  // namespace spv::test
