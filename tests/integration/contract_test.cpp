// The contract of the command, row by row: what each command prints as JSON for all of its options.
// One node and one wallet serve all rows, so this and its neighbours contract_*_test.cpp are one ctest.
#include "tests/integration/contract.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "tests/support/socks5_server.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr const char* kXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

struct Row {
  std::vector<std::string> arguments;
  std::string schema;
};

const std::string kBalance = R"({"confirmed_sat":"int","unconfirmed_sat":"int","immature_sat":"int","total_sat":"int")";
const std::string kMade = R"({"wallet":"text","fingerprint":"text","descriptors":["text"],"+":0})";
const std::string kCreated = R"({"wallet":"text","mnemonic":"text","fingerprint":"text","descriptors":["text"],"+":0})";
const std::string kWatched = R"({"wallet":"text","descriptors":["text"],"+":0})";
const std::string kFilter =
    R"({"bytes":"int","hash_funcs":"int","tweak":"int","flags":"int","elements":"int","fp_target":"number",
        "fp_observed":"number?","+":0})";
/// Of a sync whose filter is as `filter` says.
std::string sync_schema(const std::string& filter) {
  return R"({"network":"text","height":"int","tip":"hash","headers_added":"int","scanned_from":"int",
        "scanned_to":"int","source":"text","merkleblocks":"int","blocks":"int","matched_txs":"int","relevant_txs":"int",
        "false_positives":"int","filter":)" +
         filter + R"(,
        "rescans":"int","reorgs":"int","mempool":"text",
        "changes":{"new":{"count":"int","net_sat":"int"},"confirmed":{"count":"int","net_sat":"int"},
          "unconfirmed_again":{"count":"int","net_sat":"int"},"conflicted":{"count":"int","net_sat":"int"}},
        "peers":[{"address":"text","user_agent":"text","transport":"text","banned":"bool","+":0}],
        "bytes_in":"int","bytes_out":"int","seconds":"number","balance":)" +
         kBalance + R"(},"+":0})";
}
const std::string kSync = sync_schema(kFilter);
const std::string kSyncWhole = sync_schema("\"null\"");
const std::string kPeers = R"({"peers":[{"address":"text","state":"text","why":"text","bloom":"bool","+":0}]})";
const std::string kAddress = R"({"address":"text","path":"text"})";
const std::string kProof = R"({"valid":"bool","network":"text","txid":"hash","block":"hash","height":"int",
    "confirmations":"int","outputs":[{"address":"text?","amount_sat":"int"}])";
const std::string kDescriptors =
    R"([{"desc":"text","active":"bool","internal":"bool","timestamp":"int","range":["int"]}])";
const std::string kFilterFile = R"({"file":"text","bytes":"int","hash_funcs":"int","tweak":"int","flags":"int","+":0})";
const std::string kInspected =
    R"({"bytes":"int","bits":"int","hash_funcs":"int","tweak":"int","flags":"int","fill_ratio":"number",
    "estimated_elements":"number","fp_now":"number","addresses_on_chain":"int","addresses_matching":"int","+":0})";
const std::string kList =
    R"({"wallets":["text"],"details":[{"wallet":"text","wallet_type":"text","height":"int?","balance_sat":"int?"}]})";
const std::string kLabel = R"({"type":"text","ref":"text","label":"text?"})";
const std::string kCombined =
    R"({"file":"text","operation":"text","bytes":"int","hash_funcs":"int","tweak":"int","flags":"int",
    "fill_ratio":"number","estimated_elements":"number","fp_now":"number","+":0})";
const std::string kEncrypted = R"({"wallet":"text","encrypted":"bool"})";

std::string file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  return path;
}

/// As verify-proof gives them.
json::array outputs_of_the_node(const json::value& tx) {
  json::array out;
  for (const auto& output : tx.at("vout").as_array()) {
    const auto amount = std::llround(output.at("value").to_number<double>() * 1e8);
    out.push_back({{"address", output.at("scriptPubKey").at("address")}, {"amount_sat", amount}});
  }
  return out;
}

/// Runs each row with --json and compares what it prints.
template <typename Run>
void expect_rows(const std::vector<Row>& rows, Run run) {
  for (const auto& row : rows) {
    std::string name = "spv";
    for (const auto& argument : row.arguments) name += " " + argument.substr(0, 24);
    auto arguments = row.arguments;
    arguments.emplace_back("--json");
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    expect_schema(result.out, row.schema, name);
  }
}

TEST_F(Contract, EveryWayToMakeAWalletPrintsItsDocument) {
  const std::string words = file(path("words"), SameKeys::kMnemonic);
  const std::string none = file(path("empty-passphrase"), "");
  const std::string first = file(path("passphrase-1"), "correct horse");
  const std::string second = file(path("passphrase-2"), "battery staple");
  const std::string xpub = kXpub;
  std::vector<Row> rows{
      {{"create", "-w", "c12"}, kCreated},
      {{"create", "-w", "c-account", "--account", "7", "--gap-limit", "30"}, kCreated},
      {{"create", "-w", "locked", "--encrypt", "--passphrase-file", first}, kCreated},
      {{"restore", "-w", "r-height", "--mnemonic-file", words, "--birthday", "50", "--gap-limit", "3"}, kMade},
      {{"restore", "-w", "r-date", "--mnemonic-file", words, "--bip39-passphrase-file", none, "--birthday",
        "2020-01-01", "--account", "1", "--account", "2"},
       kMade},
      {{"restore", "-w", "r-locked", "--mnemonic-file", words, "--encrypt", "--passphrase-file", first}, kMade},
      {{"watch", "-w", "w-address", "--address", keys_->receive_address(), "--birthday", "1"}, kWatched},
      {{"passphrase", "-w", "locked", "--passphrase-file", first, "--new-passphrase-file", second}, kEncrypted},
      {{"descriptors", "-w", "locked"}, kDescriptors},
      {{"descriptors", "-w", "locked", "--private", "--passphrase-file", second}, kDescriptors},
      {{"passphrase", "-w", "locked", "--passphrase-file", second, "--remove"}, kEncrypted},
      {{"list"}, kList},
      {{"list", "--names"}, R"({"wallets":["text"]})"},
      {{"watch", "-w", "w-address", "--add", "--address", node_->new_address()},
       R"({"wallet":"text","added":["text"],"rescan_from":"int?"})"},
      {{"watch", "-w", "w-listed", "--descriptors-file", file(path("listed"), cli_->run({"descriptors"}).out)},
       kWatched},
      {{"set", "-w", "c-account", "--gap-limit", "31"}, R"({"wallet":"text","gap_limit":"int","rescan_from":"int?"})"},
      {{"backup", "-w", "c-account", path("backup")}, R"({"wallet":"text","file":"text","encrypted":"bool"})"},
      {{"export", "-w", "c-account", path("exported")}, R"({"wallet":"text","file":"text","encrypted":"bool"})"},
      {{"import", "-w", "c-imported", path("exported")}, R"({"wallet":"text","file":"text","transactions":"int"})"},
      {{"rename", "-w", "c12", "c-renamed"}, R"({"wallet":"text","renamed_from":"text"})"},
      {{"delete", "-w", "c-renamed", "--yes"},
       R"({"wallet":"text","deleted":"bool","wallet_type":"text","balance_sat":"int?"})"},
  };
  for (const char* count : {"12", "15", "18", "21", "24"}) {
    rows.push_back({{"create", "-w", std::string("c-words-") + count, "--words", count}, kCreated});
  }
  for (const char* script : {"pkh", "sh-wpkh", "wpkh", "tr", "all"}) {
    const std::string name = script;
    rows.push_back({{"create", "-w", "c-" + name, "--script", script}, kCreated});
    rows.push_back({{"restore", "-w", "r-" + name, "--script", script, "--mnemonic-file", words}, kMade});
    rows.push_back({{"watch", "-w", "w-" + name, "--xpub", kXpub, "--script", script}, kWatched});
  }
  const std::string key = xpub + "/<0;1>/*";
  const std::string both = "(1," + xpub + "/0/*," + xpub + "/1/*)";
  const std::vector<std::string> descriptors{"pkh(" + key + ")",
                                             "wpkh(" + key + ")",
                                             "sh(wpkh(" + key + "))",
                                             "tr(" + key + ")",
                                             "wsh(multi" + both + ")",
                                             "wsh(sortedmulti" + both + ")",
                                             "sh(wsh(multi" + both + "))",
                                             "wpkh([d34db33f/84h/1h/0h]" + key + ")",
                                             "raw(51)",
                                             "addr(" + keys_->receive_address() + ")"};
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    rows.push_back(
        {{"watch", "-w", "d" + std::to_string(i), "--descriptor", descriptors[i], "--gap-limit", "5"}, kWatched});
  }
  expect_rows(rows, [](const auto& arguments) { return spv(arguments); });
  EXPECT_EQ(cli_->json({"status", "-w", "r-locked"}).at("encrypted"), json::value(true));
  EXPECT_EQ(cli_->json({"status", "-w", "locked"}).at("encrypted"), json::value(false)) << "it was taken off";
  EXPECT_EQ(cli_->json({"status", "-w", "c-account"}).at("gap_limit"), json::value(31));
}

TEST_F(Contract, EveryWayToSyncPrintsItsDocument) {
  Socks5Server proxy;
  proxy.map("127.0.0.1", node_->port(), node_->port());
  spv({"watch", "-w", "one", "--xpub", kXpub, "--script", "wpkh"});
  const auto with = [&](std::vector<std::string> more) -> Row {
    std::vector<std::string> arguments{"sync", "-w", "one", "--mempool-wait", "0", "--connect", node_->address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {arguments, kSync};
  };
  std::vector<Row> rows{with({"--fp-rate", "0.001", "--timeout", "60"}),
                        with({"--proxy", proxy.address()}),
                        with({"--transport", "auto"}),
                        with({"--transport", "v1"}),
                        with({"--transport", "v2"}),
                        {{"rescan", "-w", "one", "--from", "1"}, R"({"from":"int","to":"int"})"},
                        with({"--source", "filter"}),
                        {with({"--source", "blocks"}).arguments, kSyncWhole},
                        with({"--source", "auto", "--max-download", "0"}),
                        with({"--cross-check", "off"}),
                        with({"--cross-check", "sample"}),
                        with({"--cross-check", "full"}),
                        {{"peers", "add", node_->address(), "1.2.3.4"}, kPeers},
                        {{"peers", "ban", "1.2.3.4", "--days", "2"}, kPeers},
                        {{"sync", "-w", "one", "--mempool-wait", "0", "--peers", "2"}, kSync},
                        {{"peers"}, kPeers},
                        {{"peers", "unban", "1.2.3.4"}, kPeers}};
  expect_rows(rows, [](const auto& arguments) { return spv(arguments); });
  EXPECT_EQ(proxy.connections(), 1);

  for (const char* source : {"filter", "blocks", "auto"}) {
    EXPECT_EQ(cli_->json(with({"--source", source}).arguments).at("source"), source);
  }
  EXPECT_EQ(cli_->json(with({}).arguments).at("mempool"), "skipped");
  EXPECT_EQ(keys_->sync_with_mempool().at("mempool"), "answered") << "a payment of ours is pending";
  spv({"create", "-w", "stranger"});
  EXPECT_EQ(
      cli_->json({"sync", "-w", "stranger", "--mempool-wait", "0.5", "--connect", node_->address()}).at("mempool"),
      "timeout")
      << "nothing matches, and then nodes give no answer";
}

TEST_F(Contract, EveryWayToWaitPrintsItsDocument) {
  Socks5Server proxy;
  proxy.map("127.0.0.1", node_->port(), node_->port());
  const std::string paid(cli_->json({"utxos"}).at("utxos").at(0).at("address").as_string());
  const auto with = [&](std::vector<std::string> more) -> Row {
    std::vector<std::string> arguments{"wait", spend_, "--connect", node_->address(), "--mempool-wait", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {arguments, R"({"txid":"hash","+":0})"};
  };
  std::vector<Row> rows{
      with({"--confirmations", "1", "--timeout", "60"}),
      with({"--fp-rate", "0.001", "--peers", "2"}),
      with({"--proxy", proxy.address()}),
      with({"--max-download", "0"}),
      {{"wait", paid, "--amount", "1sat", "--confirmations", "0", "--connect", node_->address()}, R"({"+":0})"}};
  for (const char* transport : {"auto", "v1", "v2"}) rows.push_back(with({"--transport", transport}));
  for (const char* source : {"filter", "blocks", "auto"}) rows.push_back(with({"--source", source}));
  for (const char* check : {"off", "sample", "full"}) rows.push_back(with({"--cross-check", check}));
  expect_rows(rows, [](const auto& arguments) { return spv(arguments); });
}

// Where a node on this machine offers them, they are used unless a source is named: so it is another node.
TEST_F(Contract, CompactFiltersOfANodePrintTheSameDocuments) {
  Bitcoind compact({.arguments = {"-blockfilterindex=1", "-peerblockfilters=1"}});
  SpvCli cli;
  cli.json({"create"});
  compact.mine(101);
  const auto txid = compact.send(std::string(cli.json({"address"}).at("address").as_string()), kBtc);
  compact.mine(1);
  const auto run = [&](const std::vector<std::string>& command) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--source", "compact", "--mempool-wait", "0", "--connect", compact.address()});
    note(arguments);
    return cli.json(arguments);
  };
  const auto synced = run({"sync"});
  expect_schema(json::serialize(synced) + "\n", kSyncWhole, "sync --source compact");
  EXPECT_EQ(synced.at("sources"), json::array{"compact"});
  EXPECT_EQ(synced.at("balance").at("confirmed_sat"), json::value(kBtc));
  EXPECT_EQ(run({"wait", txid}).at("txid"), json::value(txid));
}

TEST_F(Contract, EveryLookAtAWalletPrintsItsDocument) {
  file(path("proof"), cli_->run({"proof", spend_}).out);
  spv({"create", "-w", "look", "--script", "all"});
  const std::vector<Row> rows{
      {{"balance"},
       kBalance + R"(,"height":"int","tip":"hash","headers":"int","complete":"bool","time":"int?","peers":"int","+":0,
          "attested":{"blocks":"int","by_one":"int","by_two":"int","whole":"int"}})"},
      {{"history"},
       R"({"transactions":[{"txid":"hash","height":"int?","block":"hash?","time":"int","net_sat":"int","fee_sat":"int?",
           "confirmations":"int","status":"text"}]})"},
      {{"history", "--limit", "1", "--offset", "1"}, R"({"transactions":[{"txid":"hash","+":0}]})"},
      {{"utxos"},
       R"({"utxos":[{"txid":"hash","vout":"int","amount_sat":"int","address":"text?","height":"int?",
           "confirmations":"int","spendable":"bool","frozen":"bool","reserved":"bool","path":"text"}]})"},
      {{"address"}, kAddress},
      {{"address", "--new"}, kAddress},
      {{"address", "--change", "--qr"}, kAddress},
      {{"address", "--type", "wpkh", "--amount", "0.1", "--label", "x"},
       R"({"address":"text","path":"text","uri":"text"})"},
      {{"address", "-w", "look", "--type", "pkh"}, kAddress},
      {{"address", "-w", "look", "--type", "sh-wpkh"}, kAddress},
      {{"address", "-w", "look", "--type", "tr"}, kAddress},
      {{"label", "-w", "look", spend_, "x"}, kLabel},
      {{"label", "-w", "look", spend_}, kLabel},
      {{"labels", "-w", "look", "export", path("labels")}, R"({"file":"text","exported":"int"})"},
      {{"labels", "-w", "look", "import", path("labels")}, R"({"imported":"int","skipped":"int"})"},
      {{"addresses"}, R"({"addresses":[{"address":"text","path":"text","used":"bool","received_sat":"int"}]})"},
      {{"tx", spend_},
       R"({"txid":"hash","status":"text","height":"int?","block":"hash?","block_index":"int?","time":"int",
           "confirmations":"int","net_sat":"int","fee_sat":"int?","proof":"bool",
           "vsize":"int?","fee_rate":"number?","replaced_by":"hash?",
           "inputs":[{"txid":"hash","vout":"int","sequence":"int","amount_sat":"int?","address":"text?","mine":"bool?",
             "path":"text?"}],
           "outputs":[{"vout":"int","amount_sat":"int","address":"text?","mine":"bool","path":"text?","script":"text"}],
           "hex":"text","+":0})"},
      {{"status"},
       R"({"network":"text","wallet":"text","height":"int","tip":"hash","scanned_to":"int","complete":"bool",
           "rescan":"null","birthday":"int",
           "filter":{"+":0,"bytes":"int","hash_funcs":"int","tweak":"int","flags":"int","elements":"int"},
           "wallet_type":"text","gap_limit":"int","encrypted":"bool","+":0})"},
      {{"headers", "--from", "1", "--count", "3"}, R"({"headers":[{"height":"int","hash":"hash","+":0}],"+":0})"},
      {{"proof", spend_}, R"({"txid":"hash","block":"hash","height":"int","merkleblock":"text","proof":"text","+":0})"},
      {{"verify-proof", path("proof")}, kProof + "}"},
      {{"verify-proof", path("proof"), "--trust-headers"}, kProof + R"(,"work":"hash"})"},
  };
  expect_rows(rows, [](const auto& arguments) { return spv(arguments); });
  const auto network = cli_->folder() / "regtest";
  EXPECT_TRUE(std::filesystem::exists(network / "headers.dat"));
  EXPECT_TRUE(std::filesystem::exists(network / "wallets/default.sqlite"));
  for (const char* left : {"-wal", "-shm", "-journal"}) {
    EXPECT_FALSE(std::filesystem::exists(network / ("wallets/default.sqlite" + std::string(left)))) << left;
  }
}

TEST_F(Contract, ACoinIsFrozenAndFreedAndItsLabelSaysSo) {
  const auto coin = cli_->json({"utxos"}).at("utxos").at(0);
  const auto outpoint = std::string(coin.at("txid").as_string()) + ":" + std::to_string(coin.at("vout").as_int64());
  const auto first = [] { return cli_->json({"utxos"}).at("utxos").at(0); };
  const std::string schema = R"({"txid":"hash","vout":"int","frozen":"bool"})";
  const auto total = cli_->json({"balance"}).at("total_sat");
  expect_rows({{{"freeze", outpoint}, schema}, {{"freeze", outpoint}, schema}},
              [](const auto& arguments) { return spv(arguments); });
  EXPECT_EQ(first().at("frozen"), true);
  EXPECT_EQ(first().at("spendable"), false);
  EXPECT_EQ(cli_->json({"balance"}).at("total_sat"), total);
  EXPECT_NE(cli_->run({"utxos"}).out.find("no, frozen"), std::string::npos);
  const std::string lines = cli_->run({"labels", "export", "-"}).out;
  EXPECT_NE(lines.find(R"("spendable":false)"), std::string::npos) << lines;
  expect_rows({{{"unfreeze", outpoint}, schema}}, [](const auto& arguments) { return spv(arguments); });
  EXPECT_EQ(first().at("frozen"), false);
  file(path("frozen"), lines);
  spv({"labels", "import", path("frozen")});
  EXPECT_EQ(first().at("frozen"), true) << "as BIP329 has it";
  spv({"unfreeze", outpoint.substr(0, 8) + outpoint.substr(64)});
  EXPECT_EQ(first().at("spendable"), coin.at("spendable"));
}

TEST_F(Contract, WhatCannotBeFrozenOrAbandonedIsRefused) {
  const auto spent = cli_->json({"tx", spend_}).at("inputs").at(0);
  const auto gone = std::string(spent.at("txid").as_string()) + ":" + std::to_string(spent.at("vout").as_int64());
  for (const auto& [arguments, code] :
       std::vector<std::pair<std::vector<std::string>, int>>{{{"freeze", std::string(64, '0') + ":0"}, 1},
                                                             {{"unfreeze", std::string(64, '0') + ":0"}, 1},
                                                             {{"freeze", spend_ + ":999"}, 1},
                                                             {{"freeze", gone}, 1},
                                                             {{"freeze", spend_}, 2},
                                                             {{"freeze", spend_ + ":x"}, 2},
                                                             {{"freeze", spend_ + ":4294967296"}, 2},
                                                             {{"abandon", spend_}, 1},
                                                             {{"abandon", std::string(64, '0')}, 1},
                                                             {{"abandon", "nonsense"}, 2}}) {
    const auto result = spv(arguments);
    EXPECT_EQ(result.exit_code, code) << arguments.at(0) << " " << arguments.at(1) << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("error: ") || result.err.starts_with("{\"error\"")) << result.err;
  }
}

TEST_F(Contract, EveryToolForFiltersPrintsItsDocument) {
  const std::string filter = path("filter");
  std::vector<Row> rows{
      {{"filter", "design", "--elements", "100", "--fp-rate", "0.001"},
       R"({"elements":"int","fp_target":"number","bytes":"int","bits":"int","hash_funcs":"int","fp_expected":"number",
           "fp_at_2x":"number","fp_at_4x":"number","capped":"bool","+":0})"},
      {{"filter", "design", "--elements", "100", "--fp-rate", "0.001", "--plot", path("overfilled.svg")},
       R"({"elements":"int","+":0})"},
      {{"filter", "create", "--elements", "10", "--fp-rate", "0.001", "--tweak", "7", filter}, kFilterFile},
      {{"filter", "add", filter, "0011", "2233"}, R"({"file":"text","added":"int","+":0})"},
      {{"filter", "exists", filter, "0011", "ffff"}, R"({"results":["bool"]})"},
      {{"filter", "add", filter, "--text", "word"}, R"({"file":"text","added":"int","+":0})"},
      {{"filter", "exists", filter, "--text", "word"}, R"({"results":["bool"]})"},
      {{"filter", "union", filter, filter, "--out", path("union")}, kCombined},
      {{"filter", "intersect", filter, filter, "--out", path("intersection")}, kCombined},
      {{"filter", "inspect", filter}, kInspected},
      {{"filter", "inspect", "--wallet", "default"}, kInspected},
      {{"filter", "measure", "--elements", "10", "--fp-rate", "0.01", "--probes", "1000", "--seed", "3", "--plot",
        "--svg", path("plot.svg")},
       R"({"false_positives":"int","probes":"int","fp_measured":"number","fp_expected":"number","+":0})"},
  };
  for (const char* flags : {"none", "all", "p2pubkey"}) {
    rows.push_back({{"filter", "create", "--elements", "10", "--fp-rate", "0.001", "--flags", flags, filter + flags},
                    kFilterFile});
  }
  expect_rows(rows, [](const auto& arguments) { return spv(arguments); });
  struct stat info {};
  ASSERT_EQ(::stat(filter.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U) << "it tells which addresses are yours";
}

TEST_F(Contract, EveryNetworkHasAFolderAndItsShortForm) {
  const TempDir home;
  const auto on = [&](std::vector<std::string> arguments) {
    note(arguments);
    arguments.insert(arguments.begin(), {SpvCli::binary(), "--datadir", home.file("data")});
    arguments.emplace_back("--json");
    return run(arguments);
  };
  note({"--datadir"});
  for (const std::string name : {"main", "testnet", "testnet4", "signet", "regtest"}) {
    EXPECT_EQ(on({"watch", "-w", name, "--descriptor", "raw(51)", "--network", name}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(home.path() / "data" / name / "wallets" / (name + ".sqlite"))) << name;
    EXPECT_EQ(on({"list", "--names", "--network", name}).out, "{\"wallets\":[\"" + name + "\"]}\n");
    EXPECT_EQ(on({"--" + name, "list", "--names"}).out, "{\"wallets\":[\"" + name + "\"]}\n");
  }
  EXPECT_EQ(on({"list", "--names"}).out, "{\"wallets\":[\"testnet4\"]}\n") << "the default";
  EXPECT_THAT(on({"list", "--network", "mainnet"}).err, HasSubstr("main, testnet, testnet4, signet or regtest"));
  struct stat info {};
  ASSERT_EQ(::stat(home.file("data").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(Contract, LogsGoElsewhereAndTheConfigFileCounts) {
  const std::string log = path("log");
  for (const char* level : {"trace", "debug", "info", "warn", "error"}) {
    auto arguments = to_node();
    arguments.insert(arguments.end(), {"--json", "--log-level", level});
    const auto told = spv(arguments);
    EXPECT_EQ(std::count(told.out.begin(), told.out.end(), '\n'), 1) << level;
    arguments.insert(arguments.end(), {"--log-file", log});
    EXPECT_EQ(spv(arguments).err, "") << level;
  }
  EXPECT_THAT(read_text(log), HasSubstr("debug: "));
  EXPECT_EQ(read_text(log).find("abandon"), std::string::npos);
  const auto config = file(path("other.conf"), "wallet=none\n[regtest]\njson=1\n");
  EXPECT_THAT(spv({"balance", "--config", config}).err, HasSubstr("wallet-missing"));
}

TEST_F(Contract, EveryCommandHasHelpAndThoseThatSpendAreNotShown) {
  for (const auto& name : commands()) {
    auto arguments = std::vector<std::string>{name, "--help"};
    if (const auto space = name.find(' '); space != std::string::npos) {
      arguments = {name.substr(0, space), name.substr(space + 1), "--help"};
    }
    const auto help = spv(arguments);
    EXPECT_EQ(help.exit_code, 0) << name;
    EXPECT_THAT(help.out, HasSubstr("Usage: spv " + name + " ")) << name;
  }
  const auto help = spv({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(spv({"--version"}).out.rfind("spv 0.", 0), 0U);
}

TEST_F(Contract, TheValuesAreThoseOfTheNode) {
  const auto history = cli_->json({"history"}).at("transactions").as_array();
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].at("status"), "unconfirmed") << "newest first";
  EXPECT_TRUE(history[0].at("height").is_null());
  EXPECT_EQ(history[1].at("txid"), json::value(spend_));
  EXPECT_EQ(history[1].at("status"), "confirmed");
  EXPECT_TRUE(history[1].at("fee_sat").is_int64()) << "all inputs are ours";
  EXPECT_TRUE(history[2].at("fee_sat").is_null()) << "they are not";
  const auto balance = cli_->json({"balance"});
  EXPECT_EQ(balance.at("unconfirmed_sat").as_int64(), kBtc / 2);
  EXPECT_EQ(balance.at("total_sat").as_int64(), balance.at("confirmed_sat").as_int64() + kBtc / 2);
  EXPECT_EQ(balance.at("tip"), json::value(node_->best_block()));
  EXPECT_THAT(cli_->run({"balance"}).out, HasSubstr("unconfirmed  0.50000000")) << "people see BTC";
}

TEST_F(Contract, AmountsAreShownInTheUnitThatIsAskedFor) {
  const std::vector<std::vector<std::string>> units{
      {"btc", "BTC", "0.50000000"}, {"mbtc", "mBTC", "500.00000"}, {"sat", "sat", "50000000"}};
  for (const auto& unit : units) {
    for (const char* command : {"balance", "history", "utxos", "addresses"}) {
      const auto text = spv({command, "--unit", unit[0]}).out;
      EXPECT_THAT(text, HasSubstr(unit[1])) << command;
      EXPECT_THAT(text, HasSubstr(unit[2])) << command;
    }
    EXPECT_THAT(spv({"tx", spend_, "--unit", unit[0]}).out, HasSubstr(" " + unit[1] + "\n"));
    EXPECT_EQ(cli_->json({"balance", "--unit", unit[0]}), cli_->json({"balance"})) << "programs get satoshis";
  }
  EXPECT_EQ(spv({"balance", "--unit", "bits"}).exit_code, 2);
}

TEST_F(Contract, TheHistoryAsCommaSeparatedValuesHoldsWhatTheDocumentHolds) {
  const auto history = cli_->json({"history"}).at("transactions").as_array();
  std::istringstream lines(spv({"history", "--csv", "--unit", "sat"}).out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "date,txid,height,amount_sat,fee_sat,status,label\r");
  EXPECT_TRUE(spv({"history", "--csv"}).out.starts_with("date,txid,height,amount,fee,status,label\r\n")) << "BTC";
  for (const auto& entry : history) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto number = [&](const char* name) {
      return entry.at(name).is_null() ? std::string() : std::to_string(entry.at(name).as_int64());
    };
    const auto date = line.substr(0, line.find(','));
    std::tm parts{};
    ASSERT_NE(strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts), nullptr) << date;
    EXPECT_EQ(timegm(&parts), entry.at("time").as_int64());
    EXPECT_EQ(line.substr(date.size()), "," + std::string(entry.at("txid").as_string()) + "," + number("height") + "," +
                                            number("net_sat") + "," + number("fee_sat") + "," +
                                            std::string(entry.at("status").as_string()) + ",\r");
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_EQ(spv({"history", "--csv", "--json"}).exit_code, 2);
}

TEST_F(Contract, ProofsAreThoseOfTheNode) {
  const auto document = cli_->json({"proof", spend_});
  const auto merkleblock = std::string(document.at("merkleblock").as_string());
  EXPECT_EQ(merkleblock, std::string(node_->rpc("gettxoutproof", json::array{spend_}).as_string()));
  EXPECT_EQ(node_->rpc("verifytxoutproof", merkleblock), json::value(json::array{spend_}));
  const auto text = cli_->run({"proof", spend_}).out;
  EXPECT_EQ(document.at("proof"), json::value(text));
  EXPECT_THAT(text, HasSubstr("\nmerkleblock " + merkleblock + "\n"));
  const auto valid = cli_->run({"verify-proof", "-", "--json"}, text);
  EXPECT_EQ(valid.exit_code, 0) << valid.err;
  EXPECT_EQ(json::parse(valid.out).at("block"), document.at("block"));
  EXPECT_EQ(json::parse(valid.out).at("outputs"),
            outputs_of_the_node(node_->rpc("getrawtransaction", spend_, true, document.at("block"))));
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  const auto elsewhere = run({SpvCli::binary(), "--signet", "--datadir", cli_->folder().string(), "verify-proof", "-"},
                             {.input = crlf + "\n"});
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  EXPECT_THAT(elsewhere.out, HasSubstr("network        regtest\n")) << "as the proof says";
  EXPECT_THAT(elsewhere.out, HasSubstr("1.00000000  "));
  auto changed = text;
  changed[changed.find("merkleblock ") + 200] ^= 1;
  for (const bool trust : {false, true}) {
    auto arguments = std::vector<std::string>{"verify-proof", "-", "--json"};
    if (trust) arguments.emplace_back("--trust-headers");
    const auto refused = cli_->run(arguments, changed);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(json::parse(refused.err).at("error").at("code"), "invalid-proof");
  }
  SpvCli stranger;
  const auto unknown = stranger.run({"verify-proof", "-"}, text);
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("--trust-headers"));
  EXPECT_EQ(stranger.run({"verify-proof", "-", "--trust-headers"}, text).exit_code, 0);
}

}  // namespace
}  // namespace spv::test
