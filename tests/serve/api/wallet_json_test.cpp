#include "serve/api/wallet_json.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace spv::serve {
namespace {

TEST(WalletJson, IsAsTheContractHasIt) {
  client::WalletSummary wallet;
  wallet.balance = {50'000, -7, 3};
  wallet.scanned_to = 10;
  wallet.birthday = 1;
  wallet.gap_limit = 20;
  wallet.scripts = 400;
  client::ChainSummary chain;
  chain.tip = chain::BlockRef{.height = 10, .hash = {}};
  EXPECT_EQ(
      boost::json::serialize(wallet_json("shop", wallet, chain)),
      R"({"name":"shop","watch_only":true,"birthday":1,"gap_limit":20,"scripts":400,"scanned_to":10,"synced":true,)"
      R"("balance":{"confirmed_sat":50000,"unconfirmed_sat":-7,"immature_sat":3,"total_sat":49996}})");
  chain.tip->height = 11;
  EXPECT_EQ(wallet_json("shop", wallet, chain).at("synced"), false);
}

TEST(WalletJson, WhatIsNotKnownIsNull) {
  const auto document = wallet_json("new", {}, {});
  EXPECT_TRUE(document.at("birthday").is_null());
  EXPECT_TRUE(document.at("scanned_to").is_null());
  EXPECT_EQ(document.at("synced"), false);
}

}  // namespace
}  // namespace spv::serve
