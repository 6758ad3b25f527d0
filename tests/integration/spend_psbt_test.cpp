// PSBTs between spv, bitcoind, Electrum and several wallets of spv: what one writes the others read, sign and finish.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/integration/spend_bench.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr const char* kMnemonics[]{"legal winner thank year wave sausage worth useful legal winner thank yellow",
                                   "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
                                   "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"};

/// A PSBT through one of the roles, by stdin and stdout; the document.
json::value role(SpvCli& cli, Words words, const std::string& psbt) {
  return cli.json(joined({"psbt"}, joined(std::move(words), {"-"})), psbt + "\n");
}
std::string psbt_of(const json::value& document) { return text_of(document.at("psbt")); }

std::string file_of(SpendBench& bench, const std::string& name, const std::string& text) {
  const auto path = bench.cli.folder() / name;
  std::ofstream(path) << text;
  return path;
}

/// The finished transaction, which the node takes.
json::value finished(SpendBench& bench, const std::string& psbt) {
  const auto done = psbt_of(role(bench.cli, {"finalize"}, psbt));
  const auto hex = role(bench.cli, {"extract"}, done).at("hex");
  const auto verdict = bench.verdict(hex);
  EXPECT_TRUE(verdict.at("allowed").as_bool()) << verdict;
  return hex;
}

/// bitcoind reads the same amounts, fee and next step out of it.
void expect_same_reading(SpendBench& bench, const std::string& psbt, const std::string& next) {
  const auto ours = role(bench.cli, {"decode"}, psbt);
  const auto analysis = bench.node.rpc("analyzepsbt", psbt);
  // Of a taproot input without a signature bitcoind says so even where its own wallet made the PSBT.
  const auto theirs = text_of(analysis.at("next"));
  EXPECT_EQ(theirs == "updater" ? "signer" : theirs, next) << analysis;
  EXPECT_EQ(to_sat(analysis.at("fee")), ours.at("fee_sat").as_int64());
  EXPECT_EQ(ours.at("complete").as_bool(), next != "signer") << ours;
  const auto decoded = bench.node.rpc("decodepsbt", psbt);
  const auto& outputs = decoded.at("tx").at("vout").as_array();
  ASSERT_EQ(outputs.size(), ours.at("outputs").as_array().size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(to_sat(outputs[i].at("value")), ours.at("outputs").at(i).at("amount_sat").as_int64());
    EXPECT_EQ(outputs[i].at("scriptPubKey").at("address"), ours.at("outputs").at(i).at("address"));
  }
}

class SpendPsbt : public testing::TestWithParam<const char*> {};

TEST_P(SpendPsbt, OfOursIsSignedByBitcoind) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared(GetParam());
  bench.fund(2, 20'000'000);
  for (const char* amount : {"0.3", "all"}) {
    SCOPED_TRACE(amount);
    const auto made =
        bench.cli.json({"psbt", "create", bench.node.new_address(), amount, "--fee-rate", "4", "--psbt-version", "0"});
    expect_same_reading(bench, psbt_of(made), "signer");
    // psbt, sign, sighashtype, bip32derivs, finalize
    const auto theirs =
        bench.node.wallet_rpc(SameKeys::kWallet, "walletprocesspsbt", psbt_of(made), true, "DEFAULT", true, false);
    expect_same_reading(bench, psbt_of(theirs), "finalizer");
    finished(bench, psbt_of(theirs));
    const auto combined = bench.node.rpc("combinepsbt", json::array{psbt_of(made), psbt_of(theirs)});
    finished(bench, text_of(combined));
    const auto ours = psbt_of(role(bench.cli, {"combine", file_of(bench, "made", psbt_of(made))}, psbt_of(theirs)));
    const auto fee = bench.verdict(finished(bench, ours)).at("fees").at("base");
    EXPECT_EQ(to_sat(fee), made.at("fee_sat").as_int64());
  }
}

TEST_P(SpendPsbt, OfBitcoindIsSignedByUs) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared(GetParam());
  bench.fund(2, 20'000'000);
  const json::array outputs{json::object{{bench.node.new_address(), "0.3"}}};
  const auto made = bench.node.wallet_rpc(SameKeys::kWallet, "walletcreatefundedpsbt", json::array{}, outputs, 0,
                                          json::object{{"fee_rate", 3}});
  expect_same_reading(bench, psbt_of(made), "signer");
  const auto ours = role(bench.cli, {"sign"}, psbt_of(made));
  EXPECT_EQ(ours.at("fee_sat").as_int64(), to_sat(made.at("fee")));
  EXPECT_TRUE(ours.at("complete").as_bool());
  EXPECT_EQ(ours.at("signatures_added").to_number<std::size_t>(), ours.at("inputs").as_array().size());
  for (const auto& output : ours.at("outputs").as_array()) {
    EXPECT_EQ(output.at("change").as_bool(), output.at("amount_sat").as_int64() != 30'000'000) << output;
  }
  expect_same_reading(bench, psbt_of(ours), "finalizer");
  const auto final = bench.node.rpc("finalizepsbt", psbt_of(ours));
  ASSERT_TRUE(final.at("complete").as_bool());
  EXPECT_TRUE(bench.verdict(final.at("hex")).at("allowed").as_bool());
  EXPECT_EQ(final.at("hex"), finished(bench, psbt_of(ours)));
  bench.node.rpc("sendrawtransaction", final.at("hex"));
  bench.sync();
  EXPECT_EQ(bench.keys.by_spv(), bench.keys.by_bitcoind());
}

// What bitcoind 29 cannot read goes through our own hands to its mempool.
TEST_P(SpendPsbt, OfVersionTwoGoesThroughOurHands) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared(GetParam());
  bench.fund(2, 20'000'000);
  const auto made =
      bench.cli.json({"psbt", "create", bench.node.new_address(), "0.3", "--fee-rate", "4", "--psbt-version", "2"});
  const auto read = role(bench.cli, {"decode"}, psbt_of(made));
  EXPECT_EQ(read.at("version"), 2);
  EXPECT_EQ(read.at("fee_sat"), made.at("fee_sat"));
  const auto ours = role(bench.cli, {"sign"}, psbt_of(made));
  EXPECT_EQ(ours.at("version"), 2);
  finished(bench, psbt_of(ours));
}

INSTANTIATE_TEST_SUITE_P(Of, SpendPsbt, testing::Values("pkh", "sh-wpkh", "wpkh", "tr", "all"), script_name);

TEST(SpendPsbtElectrum, ReadsAndSignsOurs) {
  SPV_BITCOIND_OR_SKIP();
  for (const char* script : {"pkh", "sh-wpkh", "wpkh"}) {
    SCOPED_TRACE(script);
    auto& bench = SpendBench::shared(script);
    bench.fund(2, 20'000'000);
    const auto made =
        bench.cli.json({"psbt", "create", bench.node.new_address(), "0.3", "--fee-rate", "4", "--psbt-version", "0"});
    ProcessOptions options;
    options.input = psbt_of(made);
    const auto result = run({"/usr/bin/python3", SPV_ELECTRUM_PSBT, SameKeys::kMnemonic}, options);
    if (result.exit_code == 77 || result.exit_code == 127) GTEST_SKIP() << result.err;
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto theirs = json::parse(result.out);
    EXPECT_EQ(theirs.at("fee_sat"), made.at("fee_sat"));
    ASSERT_EQ(theirs.at("inputs").as_array().size(), made.at("inputs").as_array().size());
    for (std::size_t i = 0; i < theirs.at("inputs").as_array().size(); ++i) {
      EXPECT_EQ(text_of(theirs.at("inputs").at(i).at("outpoint")), outpoint_of(made.at("inputs").at(i)));
      EXPECT_EQ(theirs.at("inputs").at(i).at("amount_sat"), made.at("inputs").at(i).at("amount_sat"));
    }
    ASSERT_EQ(theirs.at("outputs").as_array().size(), made.at("outputs").as_array().size());
    for (std::size_t i = 0; i < theirs.at("outputs").as_array().size(); ++i) {
      EXPECT_EQ(theirs.at("outputs").at(i).at("address"), made.at("outputs").at(i).at("address"));
      EXPECT_EQ(theirs.at("outputs").at(i).at("amount_sat"), made.at("outputs").at(i).at("amount_sat"));
    }
    ASSERT_TRUE(theirs.at("complete").as_bool());
    EXPECT_TRUE(bench.verdict(theirs.at("hex")).at("allowed").as_bool());
    EXPECT_EQ(bench.verdict(finished(bench, psbt_of(theirs))).at("txid"), theirs.at("txid"));
  }
}

/// Three wallets that never go online, and a watch-only one of what two of them can spend.
class SpendMultisig : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    bench_ = &SpendBench::shared("wpkh");
    std::string keys;
    for (std::size_t i = 0; i < 3; ++i) {
      cosigners_[i].json({"restore", "--mnemonic-file", "-"}, std::string(kMnemonics[i]) + "\n");
      const auto desc = text_of(cosigners_[i].json({"descriptors"}).at(0).at("desc"));
      const auto begin = desc.find('(') + 1;
      keys += "," + desc.substr(begin, desc.find("/0/*") - begin) + "/<0;1>/*";
    }
    const std::string form = GetParam();
    const std::string script = "wsh(sortedmulti(2" + keys + "))";
    bench_->cli.json({"watch", "-w", vault_, "--descriptor", form == "wsh" ? script : "sh(" + script + ")"});
    for (int i = 0; i < 3; ++i) {
      const auto address = bench_->cli.json({"address", "--new", "-w", vault_}).at("address");
      bench_->node.send(text_of(address), 10'000'000);
    }
    bench_->mine();
    sync();
  }
  void sync() {
    ASSERT_EQ(bench_->run({"sync", "-w", vault_, "--connect", bench_->node.address(), "--mempool-wait", "0"}).exit_code,
              0);
  }
  std::int64_t balance() { return bench_->cli.json({"balance", "-w", vault_}).at("total_sat").as_int64(); }
  std::string file(const std::string& name, const std::string& text) { return file_of(*bench_, name, text); }
  /// Pays 0.055 by the signatures of two of the three; what it cost.
  std::int64_t pay(const std::string& version, std::size_t first, std::size_t second) {
    const auto made = bench_->cli.json({"psbt", "create", "-w", vault_, bench_->node.new_address(), "0.055",
                                        "--fee-rate", "2", "--psbt-version", version});
    const auto one = role(cosigners_[first], {"sign"}, psbt_of(made));
    const auto two = role(cosigners_[second], {"sign"}, psbt_of(made));
    for (const auto& each : {one, two}) {
      EXPECT_EQ(each.at("signatures_added").to_number<std::size_t>(), made.at("inputs").as_array().size());
      EXPECT_FALSE(each.at("complete").as_bool());
      EXPECT_EQ(each.at("fee_sat"), made.at("fee_sat"));
    }
    const auto early = bench_->cli.run({"psbt", "finalize", "-"}, psbt_of(one));
    EXPECT_EQ(early.exit_code, 1) << early.out;
    const auto both =
        bench_->cli.json({"psbt", "combine", file("one", psbt_of(one)), file("two", psbt_of(two)), "-w", vault_});
    const auto read = role(bench_->cli, {"decode", "-w", vault_}, psbt_of(both));
    EXPECT_TRUE(read.at("complete").as_bool());
    EXPECT_TRUE(
        std::ranges::any_of(read.at("outputs").as_array(), [](auto& out) { return out.at("change").as_bool(); }));
    const auto hex = finished(*bench_, psbt_of(both));
    if (version == "0") expect_bitcoind_agrees({psbt_of(one), psbt_of(two)}, hex);
    // One after the other is the same.
    EXPECT_TRUE(role(cosigners_[second], {"sign"}, psbt_of(one)).at("complete").as_bool());
    const auto final = file("final", psbt_of(role(bench_->cli, {"finalize"}, psbt_of(both))));
    const auto sent = bench_->pay({"broadcast", final, "-w", vault_});
    EXPECT_TRUE(bench_->in_mempool(text_of(sent.at("txid"))));
    const auto fee = made.at("fee_sat").as_int64();
    const auto verdict = bench_->node.rpc("getmempoolentry", sent.at("txid"));
    EXPECT_EQ(to_sat(verdict.at("fees").at("base")), fee);
    EXPECT_NEAR(static_cast<double>(fee) / verdict.at("vsize").to_number<double>(), 2, 0.02);
    return fee;
  }
  void expect_bitcoind_agrees(const json::array& parts, const json::value& hex) {
    const auto combined = bench_->node.rpc("combinepsbt", parts);
    EXPECT_EQ(bench_->node.rpc("analyzepsbt", combined).at("next"), "finalizer");
    const auto final = bench_->node.rpc("finalizepsbt", combined);
    EXPECT_TRUE(final.at("complete").as_bool());
    EXPECT_EQ(final.at("hex"), hex);
  }

  SpendBench* bench_ = nullptr;
  SpvCli cosigners_[3];
  std::string vault_ = "vault_" + std::string(GetParam());
};

TEST_P(SpendMultisig, IsPaidByTwoOfThreeThatWereNeverOnline) {
  constexpr std::pair<std::size_t, std::size_t> kPairs[]{{0, 1}, {2, 0}, {1, 2}};
  auto left = balance();
  ASSERT_EQ(left, 30'000'000);
  int turn = 0;
  for (const char* version : {"0", "2", "0"}) {
    SCOPED_TRACE(turn);
    const auto [first, second] = kPairs[turn++];
    left -= 5'500'000 + pay(version, first, second);
    EXPECT_EQ(balance(), left) << "in the mempool";
    bench_->mine();
    sync();
    EXPECT_EQ(balance(), left) << "in a block";
  }
}
INSTANTIATE_TEST_SUITE_P(Of, SpendMultisig, testing::Values("wsh", "sh_wsh"));

}  // namespace
}  // namespace spv::test
