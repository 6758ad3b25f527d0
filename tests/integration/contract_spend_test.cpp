// The contract of the commands that spend: their JSON, their exit codes, and that a node takes what they make. A wallet
// of their own in the folder of the suite; every transaction is checked by the node, then mined.
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "tests/integration/contract.h"
#include "tests/support/socks5_server.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

const std::string kPlanned = R"("fee_sat":"int","fee_rate":"number",
    "inputs":[{"txid":"hash","vout":"int","amount_sat":"int","address":"text","path":"text"}],
    "outputs":[{"address":"text","amount_sat":"int","change":"bool","path":"text?"}],
    "peers_accepted":"int","state":"text")";
const std::string kSent = R"({"txid":"hash","hex":"text",)" + kPlanned + R"(,"+":0})";
const std::string kReplaced = R"({"txid":"hash","hex":"text","replaces":"hash",)" + kPlanned + R"(,"+":0})";
const std::string kBroadcast = R"({"txid":"hash","state":"text","peers_accepted":"int"})";
const std::string kDecoded = R"({"version":"int","inputs":[{"txid":"hash","vout":"int","amount_sat":"int","+":0}],
    "outputs":[{"address":"text","amount_sat":"int","change":"bool","path":"text?","+":0}],
    "fee_sat":"int","complete":"bool","warnings":[],"+":0})";
const std::string kFees = R"({"floor_sat_per_vb":"number","estimate_sat_per_vb":"number?",
    "sources":[{"kind":"text","value":"number","+":0}]})";

constexpr const char* kPassphrase = "correct horse";

class ContractSpend : public Contract {
 protected:
  static std::string text_file(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
    ::chmod(path(name).c_str(), S_IRUSR | S_IWUSR);
    return path(name);
  }

  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    if (!made()) {
      passphrase_file();
      const auto created =
          cli_->run({"create", "-w", "payer", "--encrypt", "--passphrase-file", passphrase_file(), "--script", "all"});
      ASSERT_EQ(created.exit_code, 0) << created.err;
      made() = true;
    }
    fund();
  }

  static bool& made() {
    static bool made = false;
    return made;
  }
  static std::string passphrase_file() {
    static const std::string path = text_file("pass", std::string(kPassphrase) + "\n");
    return path;
  }

  /// Three coins of different script types, confirmed and known.
  static void fund() {
    for (const char* type : {"wpkh", "tr", "pkh"}) {
      const auto address = cli_->json({"address", "-w", "payer", "--new", "--type", type}).at("address").as_string();
      node_->send(std::string(address), kBtc / 10);
    }
    node_->mine(1);
    ASSERT_EQ(cli_->run({"sync", "-w", "payer", "--connect", node_->address(), "--mempool-wait", "0"}).exit_code, 0);
  }

  /// Runs a command of the paying wallet, with its passphrase.
  static ProcessResult pay(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-w", "payer", "--passphrase-file", passphrase_file()});
    return spv(arguments);
  }
  /// The same with the node and --json; its document.
  static json::value sent(std::vector<std::string> arguments, const std::string& schema = kSent) {
    arguments.insert(arguments.end(), {"--connect", node_->address(), "--json"});
    const auto result = pay(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    expect_schema(result.out, schema, arguments[0]);
    return json::parse(result.out);
  }
  static std::string txid_of(const json::value& document) { return std::string(document.at("txid").as_string()); }
  static bool in_mempool(const std::string& txid) {
    const auto pool = node_->rpc("getrawmempool");
    const auto& all = pool.as_array();
    return std::find(all.begin(), all.end(), json::value(txid)) != all.end();
  }
  /// Mines, syncs, and the wallet agrees that it is in a block.
  static void expect_confirmed(const std::string& txid) {
    node_->mine(1);
    ASSERT_EQ(cli_->run({"sync", "-w", "payer", "--connect", node_->address(), "--mempool-wait", "0"}).exit_code, 0);
    EXPECT_EQ(cli_->json({"tx", txid, "-w", "payer"}).at("confirmations"), 1);
  }
  static std::int64_t balance() { return cli_->json({"balance", "-w", "payer"}).at("total_sat").as_int64(); }
};

TEST_F(ContractSpend, SendPaysAndSaysByWhatEvidence) {
  const auto before = balance();
  const auto document = sent({"send", node_->new_address(), "0.05", "--fee-rate", "2.5", "--label", "rent",
                              "--transport", "v1", "--timeout", "120", "--peers", "1"});
  EXPECT_EQ(document.at("state"), "fetched") << "one peer: nobody else could tell";
  EXPECT_TRUE(in_mempool(txid_of(document)));
  EXPECT_NEAR(document.at("fee_rate").to_number<double>(), 2.5, 0.025);
  EXPECT_EQ(cli_->json({"tx", txid_of(document), "-w", "payer"}).at("label"), "rent");
  expect_confirmed(txid_of(document));
  EXPECT_EQ(balance(), before - kBtc / 20 - document.at("fee_sat").as_int64());
}

TEST_F(ContractSpend, DryRunsChangeNothing) {
  const auto before = cli_->json({"utxos", "-w", "payer"});
  const std::string address = node_->new_address();
  const auto coin = before.at("utxos").as_array().at(0);
  const std::string outpoint =
      std::string(coin.at("txid").as_string()) + ":" + std::to_string(coin.at("vout").as_int64());
  for (const auto& more : std::vector<std::vector<std::string>>{{"--subtract-fee"},
                                                                {"--coin", outpoint},
                                                                {"--change", node_->new_address()},
                                                                {"--unconfirmed"},
                                                                {"--allow-high-fee", "--fee-rate", "400"},
                                                                {"--allow-low-fee", "--fee-rate", "0.1"},
                                                                {"--proxy", "127.0.0.1:1"},
                                                                {"--psbt-version", "0"},
                                                                {"--psbt-version", "2"},
                                                                {"--transport", "auto"},
                                                                {"--transport", "v2"}}) {
    std::vector<std::string> arguments{"send", address, "0.001", "--dry-run", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = pay(arguments);
    ASSERT_EQ(result.exit_code, 0) << testing::PrintToString(more) << result.err;
    expect_schema(result.out, kSent, "send --dry-run");
    const auto document = json::parse(result.out);
    EXPECT_EQ(document.at("state"), "not-sent");
    EXPECT_EQ(document.at("peers_accepted"), 0);
    const auto verdict = node_->rpc("testmempoolaccept", json::array{document.at("hex")}).at(0);
    if (more.back() == "0.1") continue;
    EXPECT_TRUE(verdict.at("allowed").as_bool()) << verdict << testing::PrintToString(more);
  }
  const auto written = pay({"send", address, "0.001", "--psbt", path("written"), "--json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(json::parse(written.out).at("state"), "not-sent");
  EXPECT_EQ(pay({"send", address, "0.001", "--psbt", path("written")}).exit_code, 1) << "never overwritten";
  const auto text = pay({"send", address, "0.001", "--dry-run"});
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("pay "), HasSubstr("fee "), HasSubstr("change "), HasSubstr("left ")));
  EXPECT_EQ(cli_->json({"utxos", "-w", "payer"}), before);
}

TEST_F(ContractSpend, WhatIsNotSentIsKeptAndItsCoinsAreReserved) {
  const auto result =
      pay({"send", "bitcoin:" + node_->new_address() + "?amount=0.01", "--no-broadcast", "--yes", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = json::parse(result.out);
  EXPECT_EQ(document.at("state"), "not-sent");
  EXPECT_FALSE(in_mempool(txid_of(document)));
  const auto reserved = document.at("inputs").at(0);
  const std::string coin =
      std::string(reserved.at("txid").as_string()) + ":" + std::to_string(reserved.at("vout").as_int64());
  const auto again = pay({"send", node_->new_address(), "0.01", "--coin", coin, "--dry-run"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr(coin));
  const auto told = spv({"broadcast", std::string(document.at("hex").as_string()), "-w", "payer", "--connect",
                         node_->address(), "--json", "--timeout", "120", "--peers", "1", "--transport", "v1"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  expect_schema(told.out, kBroadcast, "broadcast");
  EXPECT_TRUE(in_mempool(txid_of(document)));
  expect_confirmed(txid_of(document));
}

TEST_F(ContractSpend, BumpAndCancelReplaceAndCpfpHelps) {
  const auto first = sent({"send", node_->new_address(), "0.01", "--fee-rate", "1"});
  const auto low = pay({"bump", txid_of(first), "--fee-rate", "1.1", "--yes", "--connect", node_->address()});
  EXPECT_EQ(low.exit_code, 1) << "below the step that nodes relay: " << low.out;
  const auto bumped = sent({"bump", txid_of(first), "--fee-rate", "5"}, kReplaced);
  EXPECT_EQ(bumped.at("replaces"), first.at("txid"));
  EXPECT_FALSE(in_mempool(txid_of(first)));
  EXPECT_TRUE(in_mempool(txid_of(bumped)));
  const auto cancelled = sent({"cancel", txid_of(bumped), "--fee-rate", "12"}, kReplaced);
  EXPECT_TRUE(in_mempool(txid_of(cancelled)));
  for (const auto& output : cancelled.at("outputs").as_array()) EXPECT_TRUE(output.at("change").as_bool());
  const auto child = sent({"cpfp", txid_of(cancelled), "--fee-rate", "30"});
  EXPECT_TRUE(in_mempool(txid_of(child)));
  expect_confirmed(txid_of(child));
  const auto late = pay({"bump", txid_of(cancelled), "--fee-rate", "50", "--yes", "--connect", node_->address()});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.err, HasSubstr("confirmed"));
}

// A watch-only wallet raises the fee like this: the PSBT is signed elsewhere and comes back to be broadcast.
TEST_F(ContractSpend, AReplacementMadeAsAPsbtIsBroadcast) {
  const auto first = sent({"send", node_->new_address(), "0.01", "--fee-rate", "1"});
  const std::string made = path("bump-made");
  ASSERT_EQ(pay({"bump", txid_of(first), "--fee-rate", "7", "--psbt", made}).exit_code, 0);
  const auto signing = pay({"psbt", "sign", made, "--out", made + "s", "--yes"});
  ASSERT_EQ(signing.exit_code, 0) << signing.err;
  ASSERT_EQ(spv({"psbt", "finalize", made + "s", "--out", made + "f"}).exit_code, 0);
  const auto told = spv({"broadcast", made + "f", "-w", "payer", "--connect", node_->address(), "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const auto second = txid_of(json::parse(told.out));
  EXPECT_NE(second, txid_of(first));
  EXPECT_TRUE(in_mempool(second));
  EXPECT_FALSE(in_mempool(txid_of(first)));
  EXPECT_EQ(cli_->json({"tx", txid_of(first), "-w", "payer"}).at("replaced_by"), json::value(second));
  expect_confirmed(second);
}

// All that they share, tried without sending anything.
TEST_F(ContractSpend, ReplacementsTakeTheOptionsOfSend) {
  const auto first = sent({"send", node_->new_address(), "0.02", "--fee-rate", "1"});
  int number = 0;
  for (const char* name : {"bump", "cancel", "cpfp"}) {
    for (const auto& more : std::vector<std::vector<std::string>>{{"--dry-run", "--allow-high-fee", "--allow-low-fee"},
                                                                  {"--psbt-version", "0"},
                                                                  {"--psbt-version", "2"},
                                                                  {"--dry-run", "--peers", "2", "--timeout", "9"},
                                                                  {"--dry-run", "--proxy", "127.0.0.1:1"},
                                                                  {"--dry-run", "--transport", "auto"},
                                                                  {"--dry-run", "--transport", "v1"},
                                                                  {"--dry-run", "--transport", "v2", "--yes"}}) {
      std::vector<std::string> arguments{name, txid_of(first), "--fee-rate", "20", "--json"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      if (more[0] != "--dry-run") {
        arguments.insert(arguments.end(), {"--psbt", path("replacing" + std::to_string(++number))});
      }
      const auto result = pay(arguments);
      ASSERT_EQ(result.exit_code, 0) << testing::PrintToString(arguments) << result.err;
      const auto document = json::parse(result.out);
      EXPECT_EQ(document.at("state"), "not-sent");
      EXPECT_EQ(document.as_object().contains("psbt"), more[0] != "--dry-run");
    }
  }
  for (const char* name : {"cancel", "bump", "cpfp"}) {
    const auto kept = pay({name, txid_of(first), "--fee-rate", "30", "--no-broadcast", "--json"});
    ASSERT_EQ(kept.exit_code, 0) << name << kept.err;
    const auto given_up = spv({"abandon", txid_of(json::parse(kept.out)), "-w", "payer"});
    EXPECT_EQ(given_up.exit_code, 0) << name << given_up.err;
  }
  expect_confirmed(txid_of(first));
}

TEST_F(ContractSpend, PsbtsGoThroughAllHands) {
  for (const char* version : {"0", "2"}) {
    const std::string name = path(std::string("made") + version);
    const auto made = spv({"psbt", "create", node_->new_address(), "0.01", "--fee-rate", "3", "--psbt-version", version,
                           "--out", name, "-w", "payer", "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto decoded = spv({"psbt", "decode", name, "-w", "payer", "--json"});
    expect_schema(decoded.out, R"({"version":"int","complete":"bool","fee_sat":"int","+":0})", "psbt decode");
    EXPECT_EQ(json::parse(decoded.out).at("version").as_int64(), std::stoi(version));
    EXPECT_FALSE(json::parse(decoded.out).at("complete").as_bool());
    EXPECT_EQ(spv({"psbt", "finalize", name, "--out", name + "x", "-w", "payer"}).exit_code, 1);
    const auto seen = spv({"psbt", "sign", name, "--out", name + "s", "--yes", "--allow-high-fee", "-w", "payer",
                           "--passphrase-file", passphrase_file()});
    ASSERT_EQ(seen.exit_code, 0) << seen.err;
    EXPECT_THAT(seen.out, HasSubstr("pay "));
    ASSERT_EQ(spv({"psbt", "combine", name, name + "s", "--out", name + "c"}).exit_code, 0);
    ASSERT_EQ(spv({"psbt", "finalize", name + "c", "--out", name + "f"}).exit_code, 0);
    const auto extracted = spv({"psbt", "extract", name + "f", "--out", name + "h", "--json"});
    ASSERT_EQ(extracted.exit_code, 0) << extracted.err;
    const auto hex = json::parse(extracted.out).at("hex");
    EXPECT_TRUE(node_->rpc("testmempoolaccept", json::array{hex}).at(0).at("allowed").as_bool());
  }
  const auto coin = cli_->json({"utxos", "-w", "payer"}).at("utxos").at(0);
  const std::string outpoint =
      std::string(coin.at("txid").as_string()) + ":" + std::to_string(coin.at("vout").as_int64());
  const auto text = spv({"psbt", "create", node_->new_address(), "0.001", "--subtract-fee", "--coin", outpoint,
                         "--change", node_->new_address(), "--unconfirmed", "--allow-high-fee", "--allow-low-fee",
                         "--label", "later", "-w", "payer"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.out.rfind("cHNidP8", 0), 0U) << "base64 of a PSBT, and nothing else: " << text.out;
  const auto told = spv({"broadcast", path("made0f"), "-w", "payer", "--connect", node_->address(), "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  expect_confirmed(txid_of(json::parse(told.out)));
}

TEST_F(ContractSpend, FeesNameTheirSources) {
  const auto fees = spv({"fees", "--connect", node_->address(), "--json", "--timeout", "60", "--transport", "v2"});
  ASSERT_EQ(fees.exit_code, 0) << fees.err;
  expect_schema(fees.out, kFees, "fees");
  EXPECT_GT(json::parse(fees.out).at("floor_sat_per_vb").to_number<double>(), 0);
  for (const char* name : {"fees", "broadcast"}) {
    for (const char* transport : {"auto", "v1", "v2"}) {
      std::vector<std::string> arguments{name,      "--transport", transport,   "--peers",       "1", "--timeout", "5",
                                         "--proxy", "127.0.0.1:1", "--connect", node_->address()};
      if (arguments[0] == "broadcast") arguments.insert(arguments.begin() + 1, path("none"));
      const auto result = spv(arguments);
      EXPECT_NE(result.exit_code, 0) << "there is no such proxy, and no such file";
      EXPECT_NE(result.exit_code, 2) << result.err;
    }
  }
}

TEST_F(ContractSpend, WhatIsRefusedChangesNothing) {
  const std::string address = node_->new_address();
  const auto before = cli_->json({"utxos", "-w", "payer"});
  struct Row {
    std::vector<std::string> arguments;
    int exit_code;
    std::string code;
  };
  const std::vector<Row> rows{
      {{"send", address, "1000"}, 1, "insufficient-funds"},
      {{"send", address, "100sat"}, 1, "dust"},
      {{"send", address, "0.001", "--fee-rate", "400"}, 1, "fee-too-high"},
      {{"send", address, "0.01", "--fee-rate", "100000", "--allow-high-fee"}, 1, "fee-too-high"},
      {{"send", address, "0.01", "--fee-rate", "0.01", "--connect", node_->address()}, 1, "fee-below-floor"},
      {{"send", address, "0.000000001"}, 2, "usage"},
      {{"send", address, "-1"}, 2, "usage"},
      {{"send", address}, 2, "usage"},
      {{"send", address, "all", address, "all"}, 2, "usage"},
      {{"send", address, "0.01", "--fee-rate", "x"}, 2, "usage"},
      {{"send", address, "0.01", "--coin", "abc"}, 2, "usage"},
      {{"send", address, "0.01", "--coin", std::string(64, '1') + ":0"}, 1, "coin-not-found"},
      {{"bump", std::string(64, '1'), "--fee-rate", "5"}, 1, "no-such-tx"},
      {{"cancel", std::string(64, '1'), "--fee-rate", "5"}, 1, "no-such-tx"},
      {{"cpfp", std::string(64, '1'), "--fee-rate", "5"}, 1, "no-such-tx"},
      {{"send", address, "0.01", "--connect", "127.0.0.1:1"}, 3, "no-peers"},
  };
  for (const auto& row : rows) {
    auto arguments = row.arguments;
    const bool online = std::find(arguments.begin(), arguments.end(), "--connect") != arguments.end();
    if (!online) arguments.emplace_back("--dry-run");
    arguments.emplace_back("--json");
    const auto result = pay(arguments);
    EXPECT_EQ(result.exit_code, row.exit_code) << testing::PrintToString(row.arguments) << result.out << result.err;
    EXPECT_EQ(json::parse(result.err).at("error").at("code"), row.code.c_str())
        << testing::PrintToString(row.arguments);
  }
  const auto wrong = spv({"send", address, "0.01", "--dry-run", "-w", "payer", "--passphrase-file",
                          text_file("wrong", "battery staple\n")});
  EXPECT_EQ(wrong.exit_code, 4) << wrong.err;
  const auto unasked = pay({"send", address, "0.01", "--connect", node_->address()});
  EXPECT_EQ(unasked.exit_code, 2) << "no terminal, and neither --yes nor --json";
  EXPECT_EQ(cli_->json({"utxos", "-w", "payer"}), before);
  EXPECT_EQ(node_->rpc("getmempoolinfo").at("size"), 0);
}

}  // namespace
}  // namespace spv::test
