// The contract of the command where things go wrong: exit codes, error documents, and what to do next.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/integration/contract.h"
#include "tests/integration/silent_port.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

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
      {{"sync", "--connect", "a:b:c]"}, 2, "usage", "[IPV6]:PORT"},
      {{"sync", "--proxy", "127.0.0.1:0"}, 2, "usage", "HOST:PORT"},
      {{"sync", "--cross-check", "twice"}, 2, "usage", "sample"},
      {{"sync", "--source", "rumours"}, 2, "usage", "blocks"},
      {{"sync", "--max-download", "-1"}, 2, "usage", "max-download"},
      {{"sync", "--peers", "0"}, 2, "usage", "whole number"},
      {{"--network", "signet", "list"}, 2, "usage", "choose one"},
      {{"-w", "../x", "balance"}, 2, "usage", "letters"},
      {{"create", "-w", "x", "--words", "13"}, 2, "usage", "12"},
      {{"create", "-w", "x", "--passphrase-file", path("none")}, 2, "usage", "--encrypt"},
      {{"peers", "ban", "1.2.3.4.5"}, 2, "usage", "[IPV6]"},
      {{"peers", "unban", "9.9.9.9"}, 1, "not-banned", "spv peers"},
      {{"tx", "abc"}, 2, "usage", "64 hex digits"},
      {{"create"}, 1, "wallet-exists", "-w"},
      {{"restore", "-w", "x", "--mnemonic-file", path("words-bad")}, 1, "bad-mnemonic", "12"},
      {{"watch", "-w", "x", "--address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, 1, "bad-address", "regtest"},
      {{"tx", std::string(64, '0')}, 1, "no-such-tx", "spv history"},
      {{"proof", std::string(64, '0')}, 1, "no-such-tx", "spv history"},
      {{"verify-proof", path("words-bad")}, 1, "invalid-proof", "not a proof"},
      {{"verify-proof", path("none")}, 1, "proof-file", "No such file"},
      {{"send", "x", "1", "--dry-run"}, 2, "usage", "'x'"},
      {{"send", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "1", "--dry-run"}, 2, "usage", "regtest"},
      {{"balance", "-w", "none"}, 4, "wallet-missing", "spv list"},
      {{"sync", "-w", "none", "--connect", node_->address()}, 4, "wallet-missing", "spv list"},
      {{"sync", "--connect", "127.0.0.1:1"}, 3, "no-peers", ""},
      {{"sync", "--connect", plain.address()}, 3, "no-bloom-peers", "peerbloomfilters=1"},
      {{"sync", "--connect", silent.address(), "--timeout", "1"}, 3, "timeout", "--connect"},
  };
  for (const auto& row : rows) {
    auto arguments = row.arguments;
    const auto text = spv(arguments);
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

TEST_F(Contract, AnAnswerThatCannotBeWrittenIsAnError) {
  const auto full = run({"sh", "-c", "exec \"$@\" >/dev/full", "sh", SpvCli::binary(), "--regtest", "--datadir",
                         cli_->folder().string(), "history"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("error: "));
}

// A disk of its own for the data directory, which is then filled.
constexpr const char* kOnAFullDisk = R"(
  mount -t tmpfs -o size=8m none "$2" || exit 77
  spv() { "$program" --regtest --datadir "$folder" "$@"; }
  program=$1 folder=$2 node=$3
  spv watch --descriptor "$4" --json >/dev/null || exit 1
  head -c 16M /dev/zero >"$folder/fill" 2>/dev/null
  spv address --new 2>&1; echo "address: $?"
  spv sync --connect "$node" --mempool-wait 0 2>&1; echo "sync: $?"
  spv create -w other 2>&1; echo "create: $?"
  rm "$folder/fill"
  spv sync --connect "$node" --mempool-wait 0 >/dev/null || exit 2
  spv balance --json
)";

TEST_F(Contract, S3_AFullDiskIsToldAndLosesNothing) {
  const auto descriptors = cli_->json({"descriptors"});
  const TempDir disk;
  const auto result = run({"unshare", "-rm", "sh", "-c", kOnAFullDisk, "sh", SpvCli::binary(), disk.path().string(),
                           node_->address(), std::string(descriptors.at(0).at("desc").as_string())});
  if (result.exit_code == 77 || result.err.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "this system gives no disk of one's own: " << result.err;
  }
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  for (const char* failed : {"address: 1\n", "sync: 1\n", "create: 1\n"}) EXPECT_THAT(result.out, HasSubstr(failed));
  std::size_t told = 0;
  for (std::size_t at = 0; (at = result.out.find("the disk is full; free some space", at)) != std::string::npos; ++at) {
    ++told;
  }
  EXPECT_EQ(told, 3U) << result.out;
  const auto balance = json::parse(result.out.substr(result.out.find('{')));
  EXPECT_EQ(balance.at("height"), json::value(node_->height())) << "as soon as there is room it goes on";
}

TEST_F(Contract, S7_AWrongClockIsToldOrDoesNoHarm) {
  const auto at = [&](const std::string& seconds) {
    ProcessOptions options;
    options.environment = {{"LD_PRELOAD", SPV_SHIFTED_CLOCK},
                           {"SPV_TEST_CLOCK_SHIFT", seconds},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    std::vector<std::string> command{SpvCli::binary(), "--regtest", "--datadir", cli_->folder().string(), "--json"};
    for (const auto& each : to_node()) command.push_back(each);
    return run(command, options);
  };
  constexpr std::int64_t kYear = 31'556'952;
  const auto balance = json::parse(at("0").out).at("balance");
  for (const std::int64_t shift : {std::int64_t{-3'600}, 10 * kYear, 20 * kYear, 85 * kYear}) {
    const auto result = at(std::to_string(shift));
    ASSERT_EQ(result.exit_code, 0) << shift << ": " << result.err;
    EXPECT_EQ(json::parse(result.out).at("balance"), balance) << shift;
  }
  for (const std::int64_t shift : {std::int64_t{-10'800}, -10 * kYear, -60 * kYear}) {
    const auto result = at(std::to_string(shift));
    ASSERT_EQ(result.exit_code, 1) << shift << result.out;
    const auto error = json::parse(result.err).at("error");
    EXPECT_EQ(error.at("code"), "clock");
    EXPECT_THAT(std::string(error.at("message").as_string()), HasSubstr("set the clock right"));
  }
}

}  // namespace
}  // namespace spv::test
