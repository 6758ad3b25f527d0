// Documents of a small wallet, whole: a field that is lost, renamed or moved is seen.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "report/addresses.h"
#include "report/balance.h"
#include "report/coins.h"
#include "report/fees.h"
#include "report/history.h"
#include "report/payment.h"
#include "report/transaction.h"
#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::report {
namespace {

namespace json = boost::json;
using test::TxBuilder;
using Names = std::vector<std::string>;

Names names_of(const json::object& object) {
  Names out;
  for (const auto& field : object) out.emplace_back(field.key());
  return out;
}

class Documents : public ::testing::Test {
 protected:
  Documents() {
    test::confirm(wallet_, payment_, 5);
    wallet_.set_scan(test::scanned_to(10));
  }

  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
  wallet::Wallet wallet_ = test::sample_wallet();
  chain::Transaction payment_ = TxBuilder().pays(test::receive_script(2), 50'000).build();
  LabelBook no_labels_{{}};
};

TEST_F(Documents, AHistoryRow) {
  const auto entry = *wallet_.entry(payment_.txid());
  const auto row = history_row(entry, no_labels_, LabelForm::OrNull);
  EXPECT_EQ(names_of(row),
            (Names{"txid", "height", "block", "time", "net_sat", "fee_sat", "confirmations", "status", "label"}));
  EXPECT_EQ(row.at("height"), 5);
  EXPECT_EQ(row.at("time"), 1'600'003'000);
  EXPECT_EQ(row.at("net_sat"), 50'000);
  EXPECT_TRUE(row.at("fee_sat").is_null());
  EXPECT_EQ(row.at("confirmations"), 6);
  EXPECT_EQ(row.at("status"), "confirmed");
  EXPECT_TRUE(row.at("label").is_null());
  EXPECT_FALSE(history_row(entry, no_labels_).contains("label"));
}

TEST_F(Documents, WhatCountsNowhereSaysWhyAndWhatCountsInstead) {
  const auto first = TxBuilder().pays(test::receive_script(0), 100).build();
  const auto second = TxBuilder().spends(first.inputs[0].previous).pays(test::receive_script(0), 90).build();
  wallet_.apply_unconfirmed(first, test::kNow);
  wallet_.apply_unconfirmed(second, test::kNow + 1);
  const auto row = history_row(*wallet_.entry(first.txid()), no_labels_);
  EXPECT_EQ(row.at("status"), "conflicted");
  EXPECT_EQ(row.at("reason"), "conflict");
  EXPECT_EQ(row.at("replaced_by"), json::value(util::to_string(second.txid())));
  EXPECT_TRUE(row.at("height").is_null());
}

TEST_F(Documents, ACoin) {
  const auto coins = wallet_.coins();
  ASSERT_EQ(coins.size(), 1U);
  const auto row = coin_row(coins[0], wallet_, params_, no_labels_);
  EXPECT_EQ(names_of(row), (Names{"txid", "vout", "amount_sat", "address", "height", "confirmations", "spendable",
                                  "frozen", "reserved", "path"}));
  EXPECT_EQ(row.at("amount_sat"), 50'000);
  EXPECT_EQ(row.at("spendable"), true);
  const LabelBook book({{.kind = wallet::LabelKind::Address,
                         .ref = std::string(row.at("address").as_string()),
                         .text = "shop",
                         .origin = {}}});
  EXPECT_EQ(coin_row(coins[0], wallet_, params_, book).at("label"), "shop");
}

TEST_F(Documents, EachAddressOnce) {
  auto config = test::sample_config();
  const auto script = test::receive_script(5);  // which the receive chain does not list yet
  for (const auto& text :
       {"addr(" + *wallet::address_of_script(script, params_) + ")", "raw(" + util::to_hex(script) + ")"}) {
    config.key_chains.push_back({.descriptor = test::parse_descriptors(text)[0], .change = false});
  }
  wallet::Wallet twice(config, wallet::Wallet::fresh_state(config));
  EXPECT_EQ(twice.addresses()->size(), 4U);
  const auto entries = addresses_of(twice);
  ASSERT_EQ(entries.size(), 3U);
  const auto row = address_row(entries[0], twice, params_, no_labels_);
  EXPECT_EQ(names_of(row), (Names{"address", "path", "used", "received_sat"}));
}

TEST_F(Documents, ATransaction) {
  const auto* record = wallet_.find(payment_.txid());
  const auto document = transaction_json({wallet_, *record, *wallet_.entry(record->txid), params_, ""});
  EXPECT_EQ(names_of(document),
            (Names{"txid", "status", "replaced_by", "height", "block", "block_index", "time", "confirmations",
                   "net_sat", "fee_sat", "vsize", "fee_rate", "proof", "inputs", "outputs", "hex"}));
  EXPECT_EQ(document.at("proof"), true);
  const auto& output = document.at("outputs").as_array().at(0).as_object();
  EXPECT_EQ(names_of(output), (Names{"vout", "amount_sat", "address", "mine", "path", "script"}));
  EXPECT_EQ(output.at("mine"), true);
  const auto& input = document.at("inputs").as_array().at(0).as_object();
  EXPECT_EQ(names_of(input), (Names{"txid", "vout", "sequence", "amount_sat", "address", "mine", "path"}));
  EXPECT_TRUE(input.at("mine").is_null()) << "the transaction before is not known";
}

TEST_F(Documents, ABalance) {
  const auto document = balance_document(wallet_.balance(), wallet_, scan_progress(wallet_, nullptr));
  EXPECT_EQ(names_of(document), (Names{"confirmed_sat", "unconfirmed_sat", "immature_sat", "total_sat", "height", "tip",
                                       "headers", "complete", "time", "peers", "rescan", "attested"}));
}

TEST_F(Documents, Fees) {
  EXPECT_EQ(json::serialize(fees_json({})), R"({"floor_sat_per_vb":null,"estimate_sat_per_vb":null,"sources":[]})");
  const auto known =
      fees_json({.floor = 1'000, .peers_heard = 3, .estimate = 2'500, .blocks_used = 6, .blocks_by_two = 1});
  EXPECT_EQ(known.at("floor_sat_per_vb"), 1.0);
  EXPECT_EQ(known.at("estimate_sat_per_vb"), 2.5);
  EXPECT_EQ(known.at("sources").as_array().size(), 2U);
}

TEST_F(Documents, ADraftNamesItsChange) {
  wallet::spend::Draft draft;
  draft.tx = payment_;
  draft.fee = 141;
  draft.weight = 4 * 141;
  draft.inputs = {{.outpoint = test::outpoint(payment_),
                   .spent = payment_.outputs[0],
                   .key = wallet::KeyId{0, 2},
                   .solution = {},
                   .previous = {}}};
  draft.outputs = {{.output = {.value = 1'000, .script_pubkey = test::foreign_script()}, .key = {}, .solution = {}}};
  EXPECT_TRUE(draft_json({.draft = draft, .wallet = wallet_, .params = params_}, "cHNidA==").at("change").is_null());
  draft.outputs.push_back({.output = {.value = 48'859, .script_pubkey = test::change_script(0)},
                           .change = true,
                           .key = wallet::KeyId{1, 0},
                           .solution = {}});
  const auto document = draft_json({.draft = draft, .wallet = wallet_, .params = params_}, "cHNidA==");
  EXPECT_EQ(names_of(document), (Names{"psbt", "fee_sat", "fee_rate", "inputs", "outputs", "change"}));
  EXPECT_EQ(document.at("fee_rate"), 1.0);
  const auto& change = document.at("change").as_object();
  EXPECT_EQ(names_of(change), (Names{"vout", "address", "amount_sat", "path"}));
  EXPECT_EQ(change.at("vout"), 1);
  EXPECT_EQ(change.at("amount_sat"), 48'859);
}

TEST_F(Documents, WhatTheNetworkDidIsOneOfThreeWords) {
  using client::BroadcastState;
  EXPECT_EQ(outcome_state(BroadcastState::Confirmed), "accepted");
  EXPECT_EQ(outcome_state(BroadcastState::Accepted), "accepted");
  EXPECT_EQ(outcome_state(BroadcastState::Fetched), "fetched");
  EXPECT_EQ(outcome_state(BroadcastState::Announced), "uncertain");
  EXPECT_EQ(outcome_state(BroadcastState::Uncertain), "uncertain");
}

}  // namespace
}  // namespace spv::report
