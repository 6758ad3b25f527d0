// The contract of the command while it runs: progress on terminals and elsewhere, and the events of --follow.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "tests/integration/contract.h"
#include "tests/integration/silent_port.h"
#include "tests/support/pseudo_terminal.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

/// What a command shows on a terminal, `streams` of it aside.
std::string shown(const std::vector<std::string>& arguments, int columns, const std::string& streams,
                  const Environment& environment) {
  std::string command = "stty cols " + std::to_string(columns) + "; exec";
  for (const auto& argument : arguments) command += " '" + argument + "'";
  ProcessOptions options;
  options.environment = environment;
  return run({"script", "-qec", command + streams, "/dev/null"}, options).out;
}

/// What a sync writes to a terminal of 50 columns, its stdout aside.
std::string on_terminal(const std::vector<std::string>& arguments, const std::string& term) {
  return shown(arguments, 50, " 2>&1 >/dev/null", {{"TERM", term}});
}

TEST_F(Contract, ProgressFitsTheTerminalAndIsQuietElsewhere) {
  SPV_TERMINAL_OR_SKIP();
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

TEST_F(Contract, TablesFitTheTerminalAndAreWholeElsewhere) {
  SPV_TERMINAL_OR_SKIP();
  if (run({"sh", "-c", "command -v script"}).exit_code != 0) GTEST_SKIP() << "no script(1) to make a terminal";
  const std::vector<std::string> spv{SpvCli::binary(), "--regtest", "--datadir", cli_->folder().string()};
  for (const char* name : {"history", "utxos", "headers", "addresses"}) {
    auto command = spv;
    command.emplace_back(name);
    const auto whole = run(command).out;
    for (const int columns : {60, 80, 200}) {
      std::istringstream lines(shown(command, columns, "", {}));
      for (std::string line; std::getline(lines, line);) {
        const auto width = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
        EXPECT_LE(width, columns + 1) << name << ", with its return: " << line;
      }
    }
    auto wide = shown(command, 200, "", {});
    std::erase(wide, '\r');
    EXPECT_EQ(wide, whole) << name;
  }
  const std::string digits = spend_.substr(0, 8);
  EXPECT_EQ(cli_->json({"tx", digits}), cli_->json({"tx", spend_})) << "what a narrow window shows is enough";
  EXPECT_EQ(cli_->json({"proof", digits}), cli_->json({"proof", spend_}));
}

TEST_F(Contract, ColoursAreForTerminalsThatWantThem) {
  SPV_TERMINAL_OR_SKIP();
  const std::vector<std::string> qr{SpvCli::binary(),        "--regtest", "--datadir",
                                    cli_->folder().string(), "address",   "--qr"};
  const auto has_colour = [](const std::string& text) { return text.find('\x1b') != std::string::npos; };
  EXPECT_TRUE(has_colour(shown(qr, 80, "", {{"TERM", "xterm"}})));
  EXPECT_FALSE(has_colour(shown(qr, 80, "", {{"TERM", "xterm"}, {"NO_COLOR", "1"}})));
  EXPECT_FALSE(has_colour(shown(qr, 80, "", {{"TERM", "dumb"}})));
  EXPECT_FALSE(has_colour(run(qr).out));
}

TEST_F(Contract, ElsewhereThanOnATerminalThereIsALineEveryTenSeconds) {
  const SilentPort silent;
  const auto result = spv({"sync", "--connect", silent.address(), "--timeout", "11"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 2) << "one line, and the error:\n" << result.err;
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
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
  note({"sync", "--follow"});
  note({"sync", "--exec"});  // NetworkView.ACommandIsRunForEachEventInOrder tries it
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
  const auto mined = std::chrono::steady_clock::now();
  const auto tip = follower.wait_for("tip", [&](const auto& event) { return event.at("hash") == json::value(block); });
  const std::chrono::duration<double> until_told = std::chrono::steady_clock::now() - mined;
  RecordProperty("seconds_until_a_block_is_told", std::to_string(until_told.count()));
  EXPECT_LT(until_told.count(), 10) << "a second on a machine that is idle, more on one that is not";
  ASSERT_FALSE(tip.is_null());
  compare(tip, json::parse(R"({"event":"text","height":"int","hash":"hash"})"), "tip");
  follower.wait_for("tx", [&](const auto& event) {
    return event.at("txid") == json::value(bumped) && event.at("height").is_int64();
  });

  const auto history = cli_->json({"history"});
  const auto& entries = history.at("transactions").as_array();
  const auto replaced = std::find_if(entries.begin(), entries.end(), is_ours);
  ASSERT_NE(replaced, entries.end());
  EXPECT_EQ(replaced->at("status"), "conflicted");

  node_->invalidate_block(block);
  node_->mine(2);
  const auto reorg = follower.wait_for("reorg", any);
  ASSERT_FALSE(reorg.is_null());
  compare(reorg, json::parse(R"({"event":"text","from":"hash","to":"hash","fork_height":"int"})"), "reorg");
  const auto heights_of_bumped = [&] {
    std::vector<bool> out;
    for (const auto& event : follower.events()) {
      if (event.at("event") != "tx" || event.at("txid") != json::value(bumped)) continue;
      out.push_back(event.at("height").is_int64());
    }
    return out;
  };
  follower.wait_for("tx", [&](const auto&) { return heights_of_bumped().size() >= 4; });
  EXPECT_EQ(heights_of_bumped(), (std::vector{false, true, false, true})) << "undone, and mined again";

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
