// Coins that are kept from being spent, and payments that wait, were given up or never went out: without a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/open_wallet.h"
#include "tests/support/spv_cli.h"
#include "tests/support/tx_builder.h"
#include "wallet/address.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using wallet::SendState;

constexpr const char* kCoinAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";

class Coins : public testing::Test {
 protected:
  Coins() : data_(cli_.folder(), chain::Network::Regtest) {
    cli_.json({"watch", "--address", kCoinAddress});
    auto wallet = open(store::Access::Write);
    const wallet::Confirmation block{.block = {.height = 5, .hash = {}}, .block_time = 1'600'000'000, .index = 1};
    for (const auto* tx : {&first_, &second_}) {
      client::commit_changes(wallet, wallet.wallet.apply_confirmed(*tx, block, {}, 1), 1);
    }
    wallet::ScanState scan = wallet.wallet.scan();
    scan.scanned_to.height = 10;
    client::commit_changes(wallet, wallet.wallet.set_scan(scan), 1);
  }
  client::OpenWallet open(store::Access access) {
    return client::open_wallet(client::make_store(data_, chain::Network::Regtest), "default", access);
  }
  void make(const chain::Transaction& tx, SendState state) {
    auto wallet = open(store::Access::Write);
    const auto added = wallet.wallet.add_own(tx, state, 1'700'000'000);
    ASSERT_TRUE(added) << added.error().message;
    client::commit_changes(wallet, *added, 1);
  }
  json::object utxo(const chain::Transaction& tx) {
    const auto document = cli_.json({"utxos"});
    for (const auto& each : document.at("utxos").as_array()) {
      if (each.at("txid") == json::value(util::to_string(tx.txid()))) return each.as_object();
    }
    ADD_FAILURE() << "no such coin";
    return {};
  }
  static util::Bytes script() {
    return wallet::script_of_address(kCoinAddress, chain::params(chain::Network::Regtest)).value();
  }

  SpvCli cli_;
  client::DataFolder data_;
  const chain::Transaction first_ = TxBuilder(1).pays(script(), 5'000).build();
  const chain::Transaction second_ = TxBuilder(2).pays(script(), 7'000).build();
  const chain::Transaction payment_ =
      TxBuilder(3).spends(first_).sequence(0xFFFF'FFFD).pays(util::Bytes{0x51}, 1'000).pays(script(), 3'900).build();
  const std::string txid_ = util::to_string(payment_.txid());
  const std::string coin_ = util::to_string(first_.txid()) + ":0";
};

TEST_F(Coins, ACoinIsFrozenBesideTheProcessThatFollowsTheWallet) {
  auto follower = open(store::Access::Write);
  EXPECT_THAT(cli_.run({"freeze", coin_}).out, HasSubstr("is frozen"));
  EXPECT_THAT(cli_.run({"freeze", coin_}).out, HasSubstr("already frozen"));
  client::note_frozen(follower);
  EXPECT_TRUE(follower.wallet.coins().at(0).frozen || follower.wallet.coins().at(1).frozen);
  EXPECT_EQ(utxo(first_).at("frozen"), json::value(true));
  EXPECT_EQ(utxo(first_).at("spendable"), json::value(false));
  EXPECT_EQ(utxo(second_).at("frozen"), json::value(false));
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat"), json::value(12'000));
  EXPECT_THAT(cli_.run({"utxos"}).out, HasSubstr("no, frozen"));
  EXPECT_EQ(cli_.run({"label", coin_, "savings"}).exit_code, 0);
  EXPECT_EQ(cli_.run({"label", coin_, ""}).exit_code, 0);
  EXPECT_EQ(utxo(first_).at("frozen"), json::value(true)) << "its label comes and goes, it stays frozen";
  EXPECT_EQ(cli_.json({"unfreeze", coin_}).at("frozen"), json::value(false));
  EXPECT_EQ(utxo(first_).at("spendable"), json::value(true));
  EXPECT_THAT(cli_.run({"unfreeze", coin_}).out, HasSubstr("is not frozen"));
  const auto locked = cli_.run({"abandon", util::to_string(first_.txid())});
  EXPECT_EQ(locked.exit_code, 4) << "a payment is given up by who follows the wallet, or nobody: " << locked.err;
}

TEST_F(Coins, WhatIsNotSentReservesItsCoinsUntilItIsAbandoned) {
  make(payment_, SendState::NotSent);
  EXPECT_EQ(utxo(first_).at("reserved"), json::value(true));
  EXPECT_EQ(utxo(first_).at("spendable"), json::value(false));
  EXPECT_EQ(cli_.json({"utxos"}).at("utxos").as_array().size(), 2U) << "its change is no coin";
  EXPECT_THAT(cli_.run({"utxos"}).out, HasSubstr("no, reserved"));
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat"), json::value(12'000));
  const auto entry = cli_.json({"history"}).at("transactions").at(0);
  EXPECT_EQ(entry.at("txid"), json::value(txid_));
  EXPECT_EQ(entry.at("status"), json::value("unconfirmed"));
  EXPECT_EQ(entry.at("send_state"), json::value("not-sent"));
  EXPECT_FALSE(entry.as_object().contains("reason"));
  EXPECT_THAT(cli_.run({"history"}).out, HasSubstr("not sent"));
  EXPECT_THAT(cli_.run({"tx", txid_}).out, HasSubstr("until spv broadcast or spv abandon"));
  const auto abandoned = cli_.run({"abandon", txid_});
  EXPECT_EQ(abandoned.exit_code, 0) << abandoned.err;
  EXPECT_THAT(abandoned.out, HasSubstr("its coins are free"));
  EXPECT_THAT(abandoned.err, Not(HasSubstr("still confirm"))) << "nobody has it";
  EXPECT_EQ(utxo(first_).at("reserved"), json::value(false));
  EXPECT_EQ(cli_.json({"tx", txid_}).at("reason"), json::value("abandoned"));
  EXPECT_EQ(cli_.run({"abandon", txid_}).exit_code, 1) << "it is already";
}

TEST_F(Coins, WhatMayBeOutIsAbandonedWithAWarning) {
  make(payment_, SendState::Uncertain);
  EXPECT_EQ(cli_.json({"balance"}).at("unconfirmed_sat"), json::value(-1'100));
  EXPECT_THAT(cli_.run({"history"}).out, HasSubstr("uncertain"));
  EXPECT_EQ(cli_.json({"tx", txid_}).at("send_state"), json::value("uncertain"));
  EXPECT_THAT(cli_.run({"tx", txid_}).out, HasSubstr("the next sync announces it again"));
  const auto result = cli_.run({"--json", "abandon", txid_.substr(0, 8)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("can still confirm"));
  EXPECT_EQ(json::parse(result.out),
            json::parse("{\"txid\":\"" + txid_ + R"(","send_state":"abandoned","also_abandoned":[]})"));
  EXPECT_EQ(cli_.json({"balance"}).at("total_sat"), json::value(12'000));
  EXPECT_THAT(cli_.run({"history"}).out, HasSubstr("abandoned"));
}

TEST_F(Coins, WhatAPeerHasIsNotAbandoned) {
  make(payment_, SendState::Accepted);
  EXPECT_EQ(cli_.json({"history"}).at("transactions").at(0).at("send_state"), json::value("accepted"));
  const auto result = cli_.run({"abandon", txid_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("was accepted by a peer"));
  EXPECT_EQ(cli_.run({"abandon", util::to_string(first_.txid())}).exit_code, 1);
  EXPECT_EQ(cli_.run({"freeze", util::to_string(payment_.txid()) + ":0"}).exit_code, 1) << "not ours";
}

}  // namespace
}  // namespace spv::test
