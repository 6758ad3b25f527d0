#include "report/logged_events.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::report {
namespace {

std::string shown(store::EventData data, const std::string& wallet = "") {
  const store::LoggedEvent event{.seq = 17, .wallet = wallet, .time = 1'700'000'000, .data = std::move(data)};
  return boost::json::serialize(event_json(event, chain::params(chain::Network::Main)));
}

const std::string kZeros(64, '0');

TEST(LoggedEvents, AConfirmedPaymentNamesItsBlockAndWhatItPays) {
  wallet::TxEvent tx;
  tx.state = wallet::TxStanding::Confirmed;
  tx.net = 5'000;
  tx.confirmation = wallet::Confirmation{.block = {.height = 101, .hash = {}}, .block_time = 1, .index = 2};
  tx.outputs = {{.vout = 1, .value = 5'000, .script = test::foreign_script(), .chain = 0, .index = 3},
                {.vout = 2, .value = 0, .script = {0x6A}, .chain = 1, .index = 0}};
  EXPECT_EQ(shown(tx, "shop"),
            R"({"seq":17,"type":"tx","wallet":"shop","txid":")" + kZeros +
                R"(","state":"confirmed","net_sat":5000,"height":101,"block":")" + kZeros +
                R"(","replaced_by":null,"outputs":[{"vout":1,"amount_sat":5000,)"
                R"("address":"bc1qqrhwamhwamhwamhwamhwamhwamhwamhw4kumvr","chain":0,"index":3},)"
                R"({"vout":2,"amount_sat":0,"address":null,"chain":1,"index":0}],"time":1700000000})");
}

TEST(LoggedEvents, WhatIsInNoBlockHasNone) {
  wallet::TxEvent tx;
  tx.state = wallet::TxStanding::Conflicted;
  tx.net = -7;
  tx.replaced_by = chain::Txid{};
  EXPECT_EQ(shown(tx, "a"), R"({"seq":17,"type":"tx","wallet":"a","txid":")" + kZeros +
                                R"(","state":"conflicted","net_sat":-7,"height":null,"block":null,"replaced_by":")" +
                                kZeros + R"(","outputs":[],"time":1700000000})");
}

TEST(LoggedEvents, EveryStateHasItsWord) {
  const auto state_of = [](wallet::TxStanding state) {
    wallet::TxEvent tx;
    tx.state = state;
    return std::string(boost::json::parse(shown(tx, "a")).at("state").as_string());
  };
  EXPECT_EQ(state_of(wallet::TxStanding::Unconfirmed), "unconfirmed");
  EXPECT_EQ(state_of(wallet::TxStanding::Confirmed), "confirmed");
  EXPECT_EQ(state_of(wallet::TxStanding::Conflicted), "conflicted");
  EXPECT_EQ(state_of(wallet::TxStanding::Forgotten), "forgotten");
  EXPECT_EQ(state_of(wallet::TxStanding::Locked), "locked");
  EXPECT_EQ(state_of(wallet::TxStanding::Abandoned), "abandoned");
}

TEST(LoggedEvents, TheChainAndTheWalletsHaveTheirOwn) {
  EXPECT_EQ(shown(store::TipEvent{{.height = 9, .hash = {}}}),
            R"({"seq":17,"type":"tip","height":9,"hash":")" + kZeros + R"(","time":1700000000})");
  EXPECT_EQ(shown(store::ReorgEvent{.from = {}, .to = {}, .fork_height = 8}),
            R"({"seq":17,"type":"reorg","from":")" + kZeros + R"(","to":")" + kZeros +
                R"(","fork_height":8,"time":1700000000})");
  EXPECT_EQ(shown(store::WalletEvent{store::WalletState::Synced}, "shop"),
            R"({"seq":17,"type":"wallet","wallet":"shop","state":"synced","time":1700000000})");
}

}  // namespace
}  // namespace spv::report
