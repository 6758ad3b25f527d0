// What the program says of the wallet's transactions while they come, are confirmed, undone and double-spent, against a
// real bitcoind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr std::int64_t kCoin = 100'000'000;

class TellsWhatHappened : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    node_.emplace();
    keys_.emplace(*node_, cli_);
    node_->mine(101);
  }
  /// Spends the first input of a transaction that waits in the mempool to the node itself; gives the txid.
  std::string double_spend(const std::string& txid) {
    const auto spent = node_->rpc("getrawtransaction", txid, true).at("vin").at(0);
    const auto coin = node_->rpc("gettxout", spent.at("txid"), spent.at("vout"), false);
    const auto amount = to_sat(coin.at("value")) - kCoin / 100;
    const json::array inputs{json::object{{"txid", spent.at("txid")}, {"vout", spent.at("vout")}}};
    const json::object outputs{{node_->new_address(), to_btc(amount)}};
    const auto raw = node_->rpc("createrawtransaction", inputs, outputs);
    const auto hex = node_->wallet_rpc(Bitcoind::kWallet, "signrawtransactionwithwallet", raw).at("hex");
    return std::string(node_->rpc("sendrawtransaction", hex, 0).as_string());
  }
  json::array history() { return cli_.json({"history"}).at("transactions").as_array(); }
  static json::object item(int count, std::int64_t net) { return {{"count", count}, {"net_sat", net}}; }
  /// What a summary says; what is not named did not happen.
  static void expect_changes(const json::value& summary, const json::object& happened) {
    for (const char* kind : {"new", "confirmed", "unconfirmed_again", "conflicted"}) {
      const auto expected = happened.contains(kind) ? happened.at(kind).as_object() : item(0, 0);
      EXPECT_EQ(json::serialize(summary.at("changes").at(kind)), json::serialize(expected)) << kind;
    }
  }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
  std::optional<SameKeys> keys_;
};

TEST_F(TellsWhatHappened, APaymentThatComesIsConfirmedAndUndone) {
  const auto txid = node_->send(keys_->receive_address(), 2 * kCoin);
  expect_changes(keys_->sync_with_mempool(), {{"new", item(1, 2 * kCoin)}});
  const auto block = node_->mine(1).front();
  expect_changes(keys_->sync(), {{"confirmed", item(1, 2 * kCoin)}});
  expect_changes(keys_->sync(), {});
  node_->invalidate_block(block);
  const auto to = node_->new_address();
  for (int i = 0; i < 2; ++i) node_->generate_block(to, {});
  expect_changes(keys_->sync(), {{"unconfirmed_again", item(1, 2 * kCoin)}});
  EXPECT_EQ(history().at(0).at("status"), "unconfirmed");
  node_->mine(1);
  const auto text = cli_.run({"sync", "--mempool-wait", "0", "--connect", node_->address(), "--unit", "sat"}).out;
  EXPECT_THAT(text, HasSubstr("\n1 confirmed, +200000000 sat\nbalance 200000000 sat\n"));
  EXPECT_THAT(cli_.run({"sync", "--mempool-wait", "0", "--connect", node_->address()}).out,
              HasSubstr("\nnothing new since the last sync\n"));
}

TEST_F(TellsWhatHappened, APaymentThatIsDoubleSpentNamesWhatReplacedIt) {
  const auto kept = node_->send(keys_->receive_address(), kCoin);
  node_->mine(1);
  const auto lost = node_->send(keys_->receive_address(), 2 * kCoin);
  keys_->sync_with_mempool();
  const auto by = double_spend(lost);
  node_->mine(1);
  expect_changes(keys_->sync(), {{"conflicted", item(1, -2 * kCoin)}});

  const auto entries = history();
  ASSERT_EQ(entries.size(), 2U) << "the double spend is a stranger's";
  const auto& replaced = entries.at(0).at("txid") == json::value(lost) ? entries.at(0) : entries.at(1);
  EXPECT_EQ(replaced.at("txid"), json::value(lost));
  EXPECT_EQ(replaced.at("status"), "conflicted");
  EXPECT_EQ(replaced.at("reason"), "conflict");
  EXPECT_EQ(replaced.at("replaced_by"), json::value(by));
  EXPECT_EQ(cli_.json({"tx", lost}).at("replaced_by"), json::value(by));
  EXPECT_THAT(cli_.run({"tx", lost}).out, HasSubstr("replaced by  " + by + "\n"));
  const auto stranger = cli_.json({"tx", by});
  EXPECT_EQ(stranger.at("status"), "confirmed") << "who wants to know can look at it";
  for (const auto& output : stranger.at("outputs").as_array()) EXPECT_EQ(output.at("mine"), json::value(false));

  // What comes later stands above it.
  const auto late = node_->send(keys_->receive_address(), 3 * kCoin);
  node_->rpc("setmocktime", replaced.at("time").as_int64() + 7'200);
  node_->mine(1);
  keys_->sync();
  EXPECT_EQ(history().at(0).at("txid"), json::value(late));
}

TEST_F(TellsWhatHappened, ATransactionShowsWhatIsOursAndWhatItCost) {
  const auto address = keys_->receive_address();
  node_->send(address, 3 * kCoin);
  node_->mine(1);
  const auto spend = keys_->spend(node_->new_address(), kCoin);
  keys_->sync_with_mempool();
  const auto facts = node_->rpc("getmempoolentry", spend);
  const auto shown = cli_.json({"tx", spend});
  EXPECT_EQ(shown.at("vsize").as_int64(), facts.at("vsize").as_int64());
  EXPECT_EQ(shown.at("fee_sat").as_int64(), to_sat(facts.at("fees").at("base")));
  EXPECT_NEAR(shown.at("fee_rate").to_number<double>(),
              shown.at("fee_sat").to_number<double>() / facts.at("vsize").to_number<double>(), 0.001);
  const auto& input = shown.at("inputs").at(0);
  EXPECT_EQ(input.at("mine"), json::value(true));
  EXPECT_EQ(input.at("address"), json::value(address));
  EXPECT_EQ(input.at("path"), "m/84'/1'/0'/0/0");
  int own = 0;
  for (const auto& output : shown.at("outputs").as_array()) {
    own += output.at("mine").as_bool() ? 1 : 0;
    EXPECT_EQ(output.at("mine").as_bool(), output.at("path").is_string());
    EXPECT_EQ(output.at("mine").as_bool(), output.at("amount_sat").as_int64() != kCoin);
  }
  EXPECT_EQ(own, 1) << "the change";
  const auto text = cli_.run({"tx", spend}).out;
  EXPECT_THAT(text, HasSubstr(" sat/vB)\n"));
  EXPECT_THAT(text, HasSubstr("size         " + std::to_string(facts.at("vsize").as_int64()) + " vB\n"));
  EXPECT_THAT(text, HasSubstr("  yours  "));

  // Another copy of the wallet, from blocks alone, shows the same fees; the witness is not part of a filtered block.
  node_->mine(1);
  keys_->sync();
  cli_.json({"restore", "-w", "copy", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
  cli_.json({"sync", "-w", "copy", "--mempool-wait", "0", "--connect", node_->address()});
  const auto copied = cli_.json({"history", "-w", "copy"}).at("transactions").as_array();
  const auto entries = history();
  ASSERT_EQ(copied.size(), entries.size());
  for (std::size_t i = 0; i < copied.size(); ++i) EXPECT_EQ(copied[i].at("fee_sat"), entries[i].at("fee_sat"));
}

}  // namespace
}  // namespace spv::test
