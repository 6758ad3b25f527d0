// The contract of the command, row by row: what each command prints as JSON, each event, each error and exit code.
// One node and one wallet serve all rows, so this is one ctest.
#include <arpa/inet.h>
#include <fstream>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr std::int64_t kBtc = 100'000'000;
constexpr const char* kXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

// --- a schema is JSON too: names with the kind of their values ------------------------------------------------
// "int", "number", "text", "bool", "hash" (64 hex digits); with '?' null is fine too. [x]: at least one, all of that
// kind. In an object "+" allows further names: the contract may be added to.
bool is_kind(const json::value& value, std::string_view kind) {
  if (kind.ends_with('?')) return value.is_null() || is_kind(value, kind.substr(0, kind.size() - 1));
  if (kind == "int") return value.is_int64() || value.is_uint64();
  if (kind == "number") return value.is_number();
  if (kind == "bool") return value.is_bool();
  if (kind == "text") return value.is_string();
  if (kind == "hash") {
    return value.is_string() && value.as_string().size() == 64 &&
           value.as_string().find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }
  throw std::logic_error("no such kind: " + std::string(kind));
}

void compare(const json::value& value, const json::value& schema, const std::string& at) {
  if (schema.is_string()) {
    EXPECT_TRUE(is_kind(value, std::string_view(schema.as_string())))
        << at << " is " << json::serialize(value) << ", not " << schema;
    return;
  }
  if (schema.is_array()) {
    ASSERT_TRUE(value.is_array()) << at;
    EXPECT_FALSE(value.as_array().empty()) << at << " shows nothing";
    for (const auto& each : value.as_array()) compare(each, schema.as_array().at(0), at + "[]");
    return;
  }
  ASSERT_TRUE(value.is_object()) << at << " is " << json::serialize(value);
  for (const auto& [name, kind] : schema.as_object()) {
    if (name == "+") continue;
    ASSERT_TRUE(value.as_object().contains(name)) << at << " lacks " << name;
    compare(value.at(name), kind, at + "." + std::string(name));
  }
  if (schema.as_object().contains("+")) return;
  for (const auto& [name, unused] : value.as_object()) {
    EXPECT_TRUE(schema.as_object().contains(name)) << at << " has " << name << ", which the contract does not";
  }
}

void expect_schema(const std::string& text, const std::string& schema, const std::string& name) {
  boost::system::error_code error;
  const auto document = json::parse(text, error);
  ASSERT_FALSE(error) << name << " printed " << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << name << " prints one line";
  compare(document, json::parse(schema), name);
}

class Contract : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Bitcoind::binary()) return;
    node_ = new Bitcoind();
    cli_ = new SpvCli();
    keys_ = new SameKeys(*node_, *cli_);
    node_->mine(101);
    node_->send(keys_->receive_address(), 3 * kBtc);
    node_->mine(1);
    keys_->sync();
    spend_ = keys_->spend(node_->new_address(), kBtc);
    node_->mine(1);
    node_->send(keys_->receive_address(), kBtc / 2);
    keys_->sync({"--mempool-wait", "20"});
  }
  static void TearDownTestSuite() {
    delete keys_;
    delete cli_;
    delete node_;
  }
  void SetUp() override { SPV_BITCOIND_OR_SKIP(); }

  static std::string path(const std::string& name) { return (cli_->folder() / name).string(); }
  static std::vector<std::string> to_node() { return {"sync", "--connect", node_->address(), "--mempool-wait", "0"}; }

  static Bitcoind* node_;
  static SpvCli* cli_;
  static SameKeys* keys_;
  static std::string spend_;  // a confirmed transaction whose inputs are ours
};
Bitcoind* Contract::node_ = nullptr;
SpvCli* Contract::cli_ = nullptr;
SameKeys* Contract::keys_ = nullptr;
std::string Contract::spend_;

const std::string kBalance = R"({"confirmed_sat":"int","unconfirmed_sat":"int","immature_sat":"int","total_sat":"int")";

TEST_F(Contract, EveryCommandPrintsItsDocument) {
  const std::string filter = path("filter");
  const std::string address = keys_->receive_address();
  const std::string words = path("words");
  std::ofstream(words) << SameKeys::kMnemonic;
  std::ofstream(path("empty-passphrase")) << "";
  std::ofstream(path("proof")) << cli_->run({"proof", spend_}).out;
  const std::string status =
      R"({"network":"text","wallet":"text","height":"int","tip":"hash","scanned_to":"int","birthday":"int",
          "filter":{"+":0,"bytes":"int","hash_funcs":"int","tweak":"int","flags":"int","elements":"int"},
          "wallet_type":"text","gap_limit":"int","encrypted":"bool","+":0})";
  const std::string sync =
      R"({"network":"text","height":"int","tip":"hash","headers_added":"int","scanned_from":"int","scanned_to":"int",
          "merkleblocks":"int","matched_txs":"int","relevant_txs":"int","false_positives":"int",
          "filter":{"bytes":"int","hash_funcs":"int","tweak":"int","flags":"int","elements":"int","fp_target":"number",
                    "fp_observed":"number","+":0},
          "rescans":"int","reorgs":"int","mempool":"text",
          "peers":[{"address":"text","user_agent":"text","transport":"text","banned":"bool","+":0}],
          "bytes_in":"int","bytes_out":"int","seconds":"number","balance":)" +
      kBalance + R"(},"+":0})";
  const std::string made = R"({"wallet":"text","fingerprint":"text","descriptors":["text"],"+":0})";
  struct Row {
    std::vector<std::string> arguments;
    std::string schema;
  };
  const std::vector<Row> rows{
      {{"create", "-w", "c12"},
       R"({"wallet":"text","mnemonic":"text","fingerprint":"text","descriptors":["text"],"+":0})"},
      {{"create", "-w", "c24", "--words", "24", "--script", "tr", "--gap-limit", "30"}, made},
      {{"restore", "-w", "r1", "--mnemonic-file", words, "--script", "all", "--birthday", "50"}, made},
      {{"restore", "-w", "r2", "--mnemonic-file", words, "--bip39-passphrase-file", path("empty-passphrase"),
        "--birthday", "2020-01-01"},
       made},
      {{"watch", "-w", "w1", "--xpub", kXpub, "--script", "wpkh"}, R"({"wallet":"text","descriptors":["text"],"+":0})"},
      {{"watch", "-w", "w2", "--address", address, "--birthday", "1"},
       R"({"wallet":"text","descriptors":["text"],"+":0})"},
      {{"watch", "-w", "w3", "--descriptor", "wpkh(" + std::string(kXpub) + "/<0;1>/*)", "--gap-limit", "5"},
       R"({"wallet":"text","descriptors":["text"],"+":0})"},
      {{"list"}, R"({"wallets":["text"]})"},
      {{"sync", "--connect", node_->address(), "--mempool-wait", "0", "--fp-rate", "0.001", "--timeout", "60",
        "--transport", "v1", "-w", "w1"},
       sync},
      {{"sync", "--connect", node_->address(), "--mempool-wait", "0", "-w", "r1"}, sync},
      {{"balance"}, kBalance + R"(,"height":"int","tip":"hash"})"},
      {{"history"},
       R"({"transactions":[{"txid":"hash","height":"int?","block":"hash?","time":"int","net_sat":"int","fee_sat":"int?",
           "confirmations":"int","status":"text"}]})"},
      {{"history", "--limit", "1"}, R"({"transactions":[{"txid":"hash","+":0}]})"},
      {{"utxos"},
       R"({"utxos":[{"txid":"hash","vout":"int","amount_sat":"int","address":"text?","height":"int?",
           "confirmations":"int","spendable":"bool","path":"text"}]})"},
      {{"address"}, R"({"address":"text","path":"text"})"},
      {{"address", "--new"}, R"({"address":"text","path":"text"})"},
      {{"address", "--change", "--qr"}, R"({"address":"text","path":"text"})"},
      {{"addresses"}, R"({"addresses":[{"address":"text","path":"text","used":"bool","received_sat":"int"}]})"},
      {{"tx", spend_},
       R"({"txid":"hash","status":"text","height":"int?","block":"hash?","block_index":"int?","time":"int",
           "confirmations":"int","net_sat":"int","fee_sat":"int?","proof":"bool",
           "inputs":[{"txid":"hash","vout":"int","sequence":"int","amount_sat":"int?"}],
           "outputs":[{"vout":"int","amount_sat":"int","address":"text?","script":"text"}],"hex":"text","+":0})"},
      {{"status"}, status},
      {{"headers", "--from", "1", "--count", "3"}, R"({"headers":[{"height":"int","hash":"hash","+":0}],"+":0})"},
      {{"proof", spend_}, R"({"txid":"hash","block":"hash","height":"int","merkleblock":"text","proof":"text","+":0})"},
      {{"verify-proof", path("proof")},
       R"({"valid":"bool","txid":"hash","block":"hash","height":"int","confirmations":"int"})"},
      {{"verify-proof", path("proof"), "--trust-headers"},
       R"({"valid":"bool","txid":"hash","block":"hash","height":"int","confirmations":"int","work":"hash"})"},
      {{"filter", "design", "--elements", "100", "--fp-rate", "0.001"},
       R"({"elements":"int","fp_target":"number","bytes":"int","bits":"int","hash_funcs":"int","fp_expected":"number",
           "fp_at_2x":"number","fp_at_4x":"number","capped":"bool","+":0})"},
      {{"filter", "create", "--elements", "10", "--fp-rate", "0.001", "--tweak", "7", "--flags", "none", filter},
       R"({"+":0})"},
      {{"filter", "add", filter, "0011", "2233"}, R"({"+":0})"},
      {{"filter", "exists", filter, "0011", "ffff"}, R"({"results":["bool"]})"},
      {{"filter", "inspect", filter}, R"({"fill_ratio":"number","+":0})"},
      {{"filter", "inspect", "--wallet", "default"}, R"({"fill_ratio":"number","+":0})"},
      {{"filter", "measure", "--elements", "10", "--fp-rate", "0.01", "--probes", "1000", "--seed", "3"},
       R"({"false_positives":"int","probes":"int","fp_measured":"number","fp_expected":"number","+":0})"},
  };
  for (const auto& row : rows) {
    std::string name = "spv";
    for (const auto& argument : row.arguments) name += " " + argument.substr(0, 24);
    auto arguments = row.arguments;
    arguments.emplace_back("--json");
    const auto result = cli_->run(arguments);
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    expect_schema(result.out, row.schema, name);
  }
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

/// Listens and says nothing.
class SilentPort {
 public:
  SilentPort() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, any, size) != 0 || ::listen(fd_, 8) != 0 || ::getsockname(fd_, any, &size) != 0) std::abort();
    port_ = ntohs(address.sin_port);
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  ~SilentPort() { ::close(fd_); }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

TEST_F(Contract, EveryErrorHasItsExitCodeItsCodeAndAdvice) {
  const SilentPort silent;
  Bitcoind plain({.bloom_filters = false, .wallet = false});
  std::ofstream(path("words-bad")) << "abandon abandon";
  struct Row {
    std::vector<std::string> arguments;
    int exit_code;
    std::string code;
    std::string advice;
  };
  const std::vector<Row> rows{
      {{"nonsense"}, 2, "usage", "--help"},
      {{"history", "--limit", "many"}, 2, "usage", "whole number"},
      {{"sync", "--fp-rate", "2"}, 2, "usage", "0.5"},
      {{"sync", "--connect", "host:99999"}, 2, "usage", "HOST:PORT"},
      {{"tx", "abc"}, 2, "usage", "64 hex digits"},
      {{"create"}, 1, "wallet-exists", "-w"},
      {{"restore", "-w", "x", "--mnemonic-file", path("words-bad")}, 1, "bad-mnemonic", "12"},
      {{"watch", "-w", "x", "--address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, 1, "bad-address", "regtest"},
      {{"tx", std::string(64, '0')}, 1, "no-such-tx", "spv history"},
      {{"proof", std::string(64, '0')}, 1, "no-such-tx", "spv history"},
      {{"verify-proof", path("words-bad")}, 1, "invalid-proof", "not a proof"},
      {{"verify-proof", path("none")}, 1, "proof-file", "No such file"},
      {{"send", "x", "1"}, 1, "cannot-spend", "cannot spend"},
      {{"balance", "-w", "none"}, 4, "wallet-missing", "spv list"},
      {{"sync", "-w", "none", "--connect", node_->address()}, 4, "wallet-missing", "spv list"},
      {{"sync", "--connect", "127.0.0.1:1"}, 3, "no-peers", ""},
      {{"sync", "--connect", plain.address()}, 3, "no-bloom-peers", "peerbloomfilters=1"},
      {{"sync", "--connect", silent.address(), "--timeout", "1"}, 3, "timeout", "--connect"},
  };
  for (const auto& row : rows) {
    auto arguments = row.arguments;
    const auto text = cli_->run(arguments);
    arguments.emplace_back("--json");
    const auto document = cli_->run(arguments);
    const std::string name = row.code + " by spv " + row.arguments.front();
    EXPECT_EQ(text.exit_code, row.exit_code) << name << ": " << text.err;
    EXPECT_EQ(document.exit_code, row.exit_code) << name;
    EXPECT_EQ(text.out + document.out, "") << name;
    const auto line = text.err.substr(text.err.rfind("error: ", text.err.size()));
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << name;
    EXPECT_THAT(line, HasSubstr(row.advice)) << name;
    expect_schema(document.err, R"({"error":{"code":"text","message":"text"}})", name);
    EXPECT_EQ(json::parse(document.err).at("error").at("code"), json::value(row.code)) << name;
  }
}

/// What a sync writes to a terminal of 50 columns, its stdout aside.
std::string on_terminal(const std::vector<std::string>& arguments, const std::string& term) {
  std::string command = "stty cols 50; exec";
  for (const auto& argument : arguments) command += " '" + argument + "'";
  ProcessOptions options;
  options.environment = {{"TERM", term}};
  return run({"script", "-qec", command + " 2>&1 >/dev/null", "/dev/null"}, options).out;
}

TEST_F(Contract, ProgressFitsTheTerminalAndIsQuietElsewhere) {
  if (run({"sh", "-c", "command -v script"}).exit_code != 0) GTEST_SKIP() << "no script(1) to make a terminal";
  std::vector<std::string> sync{SpvCli::binary(),        "--regtest",      "--datadir",
                                cli_->folder().string(), "sync",           "--connect",
                                node_->address(),        "--mempool-wait", "1"};
  const auto text = on_terminal(sync, "xterm");
  EXPECT_THAT(text, HasSubstr("at block "));
  std::string rest = text;
  for (std::size_t at = 0; (at = rest.find("\x1b[K", at)) != std::string::npos;) rest.replace(at, 3, "\r");
  std::istringstream drawn(rest);
  for (std::string line; std::getline(drawn, line, '\r');) EXPECT_LT(line.size(), 50U) << line;
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line, and it is gone at the end";
  EXPECT_EQ(on_terminal(sync, "dumb"), "") << "less than ten seconds: no line";
  EXPECT_EQ(run(sync).err, "");
  sync.emplace_back("--json");
  EXPECT_EQ(on_terminal(sync, "xterm"), "");
}

TEST_F(Contract, AnAnswerThatCannotBeWrittenIsAnError) {
  const auto full = run({"sh", "-c", "exec \"$@\" >/dev/full", "sh", SpvCli::binary(), "--regtest", "--datadir",
                         cli_->folder().string(), "history"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("error: "));
}

/// `sync --follow --json` in the background.
class Follower {
 public:
  Follower(const SpvCli& cli, const std::string& node)
      : output_((cli.folder() / "events").string()),
        process_({SpvCli::binary(), "--regtest", "--datadir", cli.folder().string(), "--json", "sync", "--follow",
                  "--connect", node, "--mempool-wait", "1"},
                 output_) {}

  /// Waits for an event for which `wanted` holds.
  template <typename Wanted>
  json::value wait_for(const std::string& kind, Wanted wanted) {
    for (int tries = 0; tries < 600; ++tries) {
      for (const auto& event : events()) {
        if (event.at("event") == json::value(kind) && wanted(event)) return event;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "no such event: " << kind << " in\n" << read_text(output_);
    return nullptr;
  }
  std::vector<json::value> events() {
    std::vector<json::value> out;
    std::istringstream lines(read_text(output_));
    boost::system::error_code error;
    for (std::string line; std::getline(lines, line);) {
      if (auto event = json::parse(line, error); !error) out.push_back(std::move(event));
    }
    return out;
  }
  ChildProcess& process() { return process_; }

 private:
  std::string output_;
  ChildProcess process_;
};

TEST_F(Contract, FollowTellsEachEventAndEndsWellOnASignal) {
  Follower follower(*cli_, node_->address());
  const auto any = [](const json::value&) { return true; };
  const auto peer = follower.wait_for("peer", any);
  compare(peer, json::parse(R"({"event":"text","address":"text","state":"text"})"), "peer");
  // Without it the first block could come before the wallet is at the tip, and be no event.
  for (int tries = 0; tries < 200 && cli_->json({"balance"}).at("height") != json::value(node_->height()); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  const auto locked = cli_->run(to_node());
  EXPECT_EQ(locked.exit_code, 4) << "one writer at a time";
  EXPECT_THAT(locked.err, HasSubstr("in use by process ")) << "and says which";
  EXPECT_EQ(cli_->run({"balance"}).exit_code, 0) << "others may read";

  const auto txid = node_->send(keys_->receive_address(), kBtc);
  const auto is_ours = [&](const json::value& event) { return event.at("txid") == json::value(txid); };
  const auto seen = follower.wait_for("tx", is_ours);
  ASSERT_FALSE(seen.is_null());
  compare(seen, json::parse(R"({"event":"text","txid":"hash","net_sat":"int","height":"int?"})"), "tx");
  EXPECT_TRUE(seen.at("height").is_null());
  EXPECT_EQ(seen.at("net_sat").as_int64(), kBtc);

  const auto bumped = std::string(node_->wallet_rpc(Bitcoind::kWallet, "bumpfee", txid).at("txid").as_string());
  const auto conflict = follower.wait_for("conflict", is_ours);
  ASSERT_FALSE(conflict.is_null());
  compare(conflict, json::parse(R"({"event":"text","txid":"hash","replaced_by":"hash?"})"), "conflict");
  EXPECT_EQ(conflict.at("replaced_by"), json::value(bumped));

  const auto block = node_->mine(1).front();
  const auto tip = follower.wait_for("tip", [&](const auto& event) { return event.at("hash") == json::value(block); });
  ASSERT_FALSE(tip.is_null());
  compare(tip, json::parse(R"({"event":"text","height":"int","hash":"hash"})"), "tip");
  follower.wait_for("tx", [&](const auto& event) {
    return event.at("txid") == json::value(bumped) && event.at("height").is_int64();
  });

  node_->invalidate_block(block);
  node_->mine(2);
  const auto reorg = follower.wait_for("reorg", any);
  ASSERT_FALSE(reorg.is_null());
  compare(reorg, json::parse(R"({"event":"text","from":"hash","to":"hash","fork_height":"int"})"), "reorg");

  for (const auto& event : follower.events()) EXPECT_TRUE(event.at("event").is_string());
  follower.process().signal(SIGTERM);
  EXPECT_EQ(follower.process().wait(std::chrono::seconds(20)), 0);
  Follower again(*cli_, node_->address());
  again.wait_for("peer", any);
  again.process().signal(SIGINT);
  EXPECT_EQ(again.process().wait(std::chrono::seconds(20)), 0);
}

}  // namespace
}  // namespace spv::test
