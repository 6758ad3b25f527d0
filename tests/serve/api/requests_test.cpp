// Bodies of requests: what has the right form, and that all else is refused in words.
#include "serve/api/requests.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

template <typename T>
std::string complaint(const Parsed<T>& parsed) {
  return parsed ? "" : parsed.error().message;
}

const std::string kTxid(64, 'a');

// --- the form of any body --------------------------------------------------------------------------------------

TEST(JsonBody, IsOneObjectOfValidJson) {
  EXPECT_EQ(complaint(parse_body("")), "the request has no body; send a JSON object");
  EXPECT_EQ(complaint(parse_body("[]")), "the body must be a JSON object");
  EXPECT_EQ(complaint(parse_body("7")), "the body must be a JSON object");
  EXPECT_TRUE(parse_body(" {} \n"));
  for (const char* bad :
       {"{", "{}{}", "{\"a\":1,}", "{'a':1}", "{\"a\":NaN}", "{\"a\":01}", "// x\n{}", "{\"a\":\"\x01\"}"}) {
    EXPECT_TRUE(complaint(parse_body(bad)).starts_with("the body is not valid JSON: ")) << bad;
  }
}

TEST(JsonBody, IsUtf8) {
  EXPECT_TRUE(parse_body("{\"a\":\"\xC3\xA4\"}"));
  EXPECT_FALSE(parse_body("{\"a\":\"\xC3\"}"));
  EXPECT_FALSE(parse_body("{\"a\":\"\xED\xA0\x80\"}")) << "a surrogate";
  EXPECT_FALSE(parse_body("{\"\xFF\":1}"));
  EXPECT_FALSE(parse_body(R"({"a":"\ud800"})"));
}

TEST(JsonBody, IsNotNestedDeeply) {
  const auto nested = [](std::size_t lists) {
    return "{\"a\":" + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  EXPECT_TRUE(parse_body(nested(15)));
  EXPECT_EQ(complaint(parse_body(nested(16))), "the JSON of the body is nested too deeply; 16 levels are the most");
  EXPECT_FALSE(parse_body(nested(500'000)));
}

TEST(JsonBody, HasNoFieldTwice) {
  EXPECT_EQ(complaint(parse_body(R"({"a":1,"b":2,"a":3})")), "field 'a' is there twice");
  EXPECT_EQ(complaint(parse_body("{\"a\":[{\"x\":1,\"\\u0078\":2}]}")), "field 'x' is there twice")
      << "the same name escaped";
  EXPECT_TRUE(parse_body(R"({"a":{"x":1},"b":{"x":1},"x":1})")) << "of different objects";
  const std::string name(100, 'n');
  EXPECT_EQ(complaint(parse_body("{\"" + name + "\":1,\"" + name + "\":1}")),
            "field '" + std::string(64, 'n') + "…' is there twice");
}

// --- wallets ---------------------------------------------------------------------------------------------------

TEST(Requests, AWalletOfDescriptors) {
  const auto made =
      parse_new_wallet(R"j({"name":"shop","descriptors":["wpkh(x)","tr(y)"],"birthday":800000,"gap_limit":50})j");
  ASSERT_TRUE(made) << complaint(made);
  EXPECT_EQ(made->name, "shop");
  EXPECT_EQ(made->descriptors, (std::vector<std::string>{"wpkh(x)", "tr(y)"}));
  EXPECT_EQ(made->birthday, "800000");
  EXPECT_EQ(made->gap_limit, 50U);
  EXPECT_FALSE(made->xpub);
}

TEST(Requests, AWalletOfAnXpubOrAddresses) {
  const auto xpub = parse_new_wallet(R"({"name":"a","xpub":"zpub","script":"wpkh","birthday":"2024-04-20"})");
  ASSERT_TRUE(xpub) << complaint(xpub);
  EXPECT_EQ(xpub->xpub, "zpub");
  EXPECT_EQ(xpub->script, "wpkh");
  EXPECT_EQ(xpub->birthday, "2024-04-20");
  EXPECT_TRUE(parse_new_wallet(R"({"name":"a","xpub":"zpub"})")) << "the prefix says which script";
  const auto addresses = parse_new_wallet(R"({"name":"a","addresses":["bc1"],"birthday":null,"gap_limit":null})");
  ASSERT_TRUE(addresses) << complaint(addresses);
  EXPECT_EQ(addresses->addresses, (std::vector<std::string>{"bc1"}));
  EXPECT_FALSE(addresses->birthday);
}

TEST(Requests, AWalletWatchesOneKindOfThing) {
  const std::string one_of = "give exactly one of descriptors, xpub and addresses";
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a"})")), one_of);
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","xpub":"x","addresses":["y"]})")), one_of);
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","descriptors":["d"],"script":"tr"})")),
            "script goes with an xpub; a descriptor has its own");
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","xpub":"x","script":"wsh"})")),
            "script must be pkh, sh-wpkh, wpkh, tr or all");
}

TEST(Requests, AWalletHasAName) {
  EXPECT_EQ(complaint(parse_new_wallet(R"({"xpub":"x"})")), "name is missing");
  for (const char* name : {"", "../x", "a/b", ".hidden", "-a", "a b"}) {
    const auto made = parse_new_wallet(R"({"xpub":"x","name":")" + std::string(name) + "\"}");
    EXPECT_TRUE(complaint(made).starts_with("name must be at most 64 letters")) << name;
  }
}

TEST(Requests, FieldsHaveTheirTypes) {
  const auto with = [](const std::string& field) {
    return complaint(parse_new_wallet(R"({"name":"a","xpub":"x",)" + field + "}"));
  };
  EXPECT_EQ(with(R"("gap_limit":0)"), "gap_limit must be an integer from 1 to 1000");
  EXPECT_EQ(with(R"("gap_limit":1001)"), "gap_limit must be an integer from 1 to 1000");
  EXPECT_EQ(with(R"("gap_limit":20.0)"), "gap_limit must be an integer from 1 to 1000");
  EXPECT_EQ(with(R"("gap_limit":"20")"), "gap_limit must be an integer from 1 to 1000");
  for (const char* bad : {"-1", "2147483648", "1.5", "\"840000\"", "\"2024-4-20\"", "\"2024/04/20\"", "true", "[]"}) {
    EXPECT_EQ(with("\"birthday\":" + std::string(bad)),
              "birthday must be a block height (840000) or a date (\"2024-04-20\")")
        << bad;
  }
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":7,"xpub":"x"})")), "name must be a string");
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","addresses":[]})")),
            "addresses must be a list that is not empty");
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","addresses":"b"})")),
            "addresses must be a list that is not empty");
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","addresses":["b",7]})")), "addresses must be a list of strings");
}

TEST(Requests, AnUnknownFieldIsNamed) {
  EXPECT_EQ(complaint(parse_new_wallet(R"({"name":"a","xpubs":"x"})")), "unknown field 'xpubs'");
  EXPECT_EQ(complaint(parse_rescan(R"({"From":5})")), "unknown field 'From'") << "before the one that is missing";
  EXPECT_EQ(complaint(parse_rescan(R"({"from":5,"\n":1})")), "unknown field ' '");
  EXPECT_EQ(complaint(parse_psbt_request(R"({"outputs":[{"address":"a","amount":5}]})")),
            "unknown field 'outputs[0].amount'");
}

// --- addresses, labels, rescans ---------------------------------------------------------------------------------

TEST(Requests, ANewAddressNeedsNoBody) {
  const auto plain = parse_new_address("");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->change);
  EXPECT_FALSE(plain->label);
  const auto asked = parse_new_address(R"({"change":true,"label":"order 7"})");
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->change);
  EXPECT_EQ(asked->label, "order 7");
  EXPECT_FALSE(parse_new_address(R"({"change":false,"label":null})")->label);
  EXPECT_EQ(complaint(parse_new_address(R"({"change":1})")), "change must be true or false");
}

TEST(Requests, ALabelHasATypeOfThree) {
  using wallet::LabelKind;
  EXPECT_EQ(parse_label(R"({"type":"tx","ref":"r","label":"l"})")->kind, LabelKind::Tx);
  EXPECT_EQ(parse_label(R"({"type":"addr","ref":"r","label":"l"})")->kind, LabelKind::Address);
  EXPECT_EQ(parse_label(R"({"type":"output","ref":"r","label":null})")->kind, LabelKind::Output);
  EXPECT_EQ(parse_label(R"({"type":"output","ref":"r","label":null})")->label, "") << "removes it";
  for (const char* type : {"xpub", "input", "pubkey", "", "TX"}) {
    EXPECT_EQ(complaint(parse_label(R"({"ref":"r","label":"l","type":")" + std::string(type) + "\"}")),
              "type must be tx, addr or output");
  }
  EXPECT_EQ(complaint(parse_label(R"({"type":"tx","label":"l"})")), "ref is missing");
}

TEST(Requests, ARescanHasAHeight) {
  EXPECT_EQ(parse_rescan(R"({"from":0})")->from, 0);
  EXPECT_EQ(parse_rescan(R"({"from":2147483647})")->from, 2'147'483'647);
  EXPECT_EQ(complaint(parse_rescan("{}")), "from is missing");
  EXPECT_EQ(complaint(parse_rescan(R"({"from":-1})")), "from must be an integer from 0 to 2147483647");
  EXPECT_EQ(complaint(parse_rescan(R"({"from":2147483648})")), "from must be an integer from 0 to 2147483647");
}

// --- payments --------------------------------------------------------------------------------------------------

TEST(Requests, APaymentWithAllItsFields) {
  const auto made =
      parse_psbt_request(R"({"outputs":[{"address":"a","amount_sat":5},{"address":"b","amount_sat":2100000000000000}],)"
                         R"("fee_rate":2.5,"subtract_fee":true,"coins":[")" +
                         kTxid + R"(:7"]})");
  ASSERT_TRUE(made) << complaint(made);
  ASSERT_EQ(made->outputs.size(), 2U);
  EXPECT_EQ(made->outputs[1].address, "b");
  EXPECT_EQ(made->outputs[1].amount, chain::kMaxMoney);
  EXPECT_EQ(made->fee_rate, 2'500);
  EXPECT_TRUE(made->subtract_fee);
  ASSERT_EQ(made->coins.size(), 1U);
  EXPECT_EQ(made->coins[0].index, 7U);
}

TEST(Requests, AmountsAreIntegersOfSatoshis) {
  const auto amount = [](const std::string& text) {
    return complaint(parse_psbt_request(R"({"outputs":[{"address":"a","amount_sat":)" + text + "}]}"));
  };
  EXPECT_EQ(amount("0"), "") << "too little to pay, but a number";
  for (const char* bad : {"-1", "2100000000000001", "0.5", "1e3", "\"5\"", "true", "18446744073709551615"}) {
    EXPECT_EQ(amount(bad), "outputs[0].amount_sat must be an integer from 0 to 2100000000000000") << bad;
  }
  EXPECT_EQ(amount("null"), "outputs[0].amount_sat is missing");
}

TEST(Requests, AFeeRateHasAtMostThreeDecimals) {
  const auto rate = [](const std::string& text) {
    return parse_psbt_request(R"({"outputs":[{"address":"a","amount_sat":5}],"fee_rate":)" + text + "}");
  };
  EXPECT_EQ(rate("1")->fee_rate, 1'000);
  EXPECT_EQ(rate("0.001")->fee_rate, 1);
  EXPECT_EQ(rate("12.345")->fee_rate, 12'345);
  EXPECT_EQ(rate("9999999.999")->fee_rate, 9'999'999'999);
  EXPECT_FALSE(rate("null")->fee_rate);
  for (const char* bad : {"0", "-1", "0.0001", "1.2345", "10000000", "1e300", "\"1\"", "false"}) {
    EXPECT_EQ(complaint(rate(bad)), "fee_rate must be a number above 0 and below 10000000 with at most 3 decimals")
        << bad;
  }
}

TEST(Requests, APaymentHasOutputsAndCoinsAreOutpoints) {
  EXPECT_EQ(complaint(parse_psbt_request("{}")), "outputs is missing");
  EXPECT_EQ(complaint(parse_psbt_request(R"({"outputs":[]})")), "outputs must be a list that is not empty");
  EXPECT_EQ(complaint(parse_psbt_request(R"({"outputs":[5]})")), "outputs must be a list of objects");
  EXPECT_EQ(complaint(parse_psbt_request(R"({"outputs":[{"address":"a","amount_sat":5}],"coins":["abc:0"]})")),
            "coins: 'abc:0' is not a coin; use TXID:VOUT");
}

TEST(Requests, WhatIsSentIsHexOrAPsbt) {
  EXPECT_EQ(parse_broadcast(R"({"hex":"00"})")->text, "00");
  EXPECT_FALSE(parse_broadcast(R"({"hex":"00"})")->is_psbt);
  EXPECT_TRUE(parse_broadcast(R"({"psbt":"cHNi"})")->is_psbt);
  EXPECT_EQ(complaint(parse_broadcast("{}")), "give either hex or psbt");
  EXPECT_EQ(complaint(parse_broadcast(R"({"hex":"00","psbt":"x"})")), "give either hex or psbt");
  EXPECT_EQ(complaint(parse_broadcast(R"({"hex":7})")), "hex must be a string");
}

}  // namespace
}  // namespace spv::serve
