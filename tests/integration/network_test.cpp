// What people see of the network, by the built program against a real bitcoind: nodes of other chains and networks,
// nodes that are down, signals and time limits, waits, and commands for events.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "tests/integration/same_keys.h"
#include "tests/integration/silent_port.h"
#include "tests/support/process.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kBtc = 100'000'000;

class NetworkView : public testing::Test {
 protected:
  void restore() { cli_.json({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic); }
  std::string new_address() { return std::string(cli_.json({"address", "--new"}).at("address").as_string()); }
  json::value sync(std::vector<std::string> extra) {
    std::vector<std::string> arguments{"sync", "--mempool-wait", "0"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return cli_.json(std::move(arguments));
  }
  static std::vector<std::string> warnings(const json::value& summary) {
    return json::value_to<std::vector<std::string>>(summary.at("warnings"));
  }
  /// The program in the background; what it says is in said().
  ChildProcess start(std::vector<std::string> arguments) {
    std::vector<std::string> command{SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return {command, output()};
  }
  std::string output() const { return (cli_.folder() / "output").string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string said() const { return text_of(output()); }
  /// Waits until a fact holds; false after a minute.
  template <typename Fact>
  static bool wait_until(Fact fact) {
    for (int tries = 0; tries < 1'200; ++tries) {
      if (fact()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  bool wait_for_text(const std::string& text) {
    return wait_until([&] { return said().find(text) != std::string::npos; });
  }

  SpvCli cli_;
};

// --- other chains and networks

/// Bitcoin Knots leaves Bitcoin's proof of work at a height of its choice; then it serves no headers that we know.
class OtherChain : public NetworkView {
 protected:
  /// False where the node does not know how.
  bool start_node(int blocks) {
    if (run({*Bitcoind::binary(), "-help-debug"}).out.find("blake2b_headline") == std::string::npos) return false;
    BitcoindOptions options;
    options.arguments = {"-testactivationheight=blake2b@120", "-blake2b_headline=x"};
    node_.emplace(options);
    node_->mine(blocks);
    return true;
  }
  std::optional<Bitcoind> node_;
};

TEST_F(OtherChain, ANodeThatClaimsMoreThanItServesIsNamedInTheSummaryAndAmongThePeers) {
  SPV_BITCOIND_OR_SKIP();
  if (!start_node(130)) GTEST_SKIP() << "this bitcoind stays on Bitcoin's chain";
  restore();
  const auto summary = sync({"--connect", node_->address()});
  EXPECT_EQ(summary.at("height").as_int64(), 119);
  EXPECT_EQ(summary.at("complete"), json::value(false));
  EXPECT_THAT(warnings(summary), ElementsAre(AllOf(HasSubstr(node_->address()), HasSubstr("claims block 1"))));
  const auto peers = cli_.json({"peers"}).at("peers").as_array();
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].at("address").as_string(), node_->address());
  EXPECT_THAT(std::string(peers[0].at("why").as_string()), HasSubstr("claims block 1"));
  EXPECT_THAT(cli_.run({"sync", "--connect", node_->address(), "--mempool-wait", "0"}).out,
              HasSubstr("warning: peer " + node_->address() + " claims block 1"));
}

TEST_F(OtherChain, WhereAnotherNodeIsThereTheSyncGoesByThatOne) {
  SPV_BITCOIND_OR_SKIP();
  if (!start_node(130)) GTEST_SKIP() << "this bitcoind stays on Bitcoin's chain";
  Bitcoind honest;
  restore();
  honest.mine(101);
  honest.send(new_address(), kBtc);
  honest.mine(40);
  const auto summary = sync({"--connect", node_->address(), "--connect", honest.address()});
  EXPECT_EQ(summary.at("height").as_int64(), honest.height());
  EXPECT_EQ(summary.at("balance").at("confirmed_sat").as_int64(), kBtc);
  EXPECT_EQ(summary.at("tip_peers").to_number<int>(), 1);
  EXPECT_EQ(summary.at("complete"), json::value(true));
  EXPECT_THAT(warnings(summary), ElementsAre(HasSubstr(node_->address())));
  for (const auto& peer : summary.at("peers").as_array()) EXPECT_FALSE(peer.at("banned").as_bool());
}

TEST_F(NetworkView, ANodeOfAnotherNetworkIsRefusedAtOnceAndSaidToBeOne) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  const auto spv = [&](std::vector<std::string> arguments, const std::string& input = {}) {
    std::vector<std::string> command{SpvCli::binary(), "--signet", "--datadir", cli_.folder().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.input = input;
    return run(command, options);
  };
  ASSERT_EQ(spv({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic).exit_code, 0);
  const auto began = std::chrono::steady_clock::now();
  const auto refused = spv({"sync", "--connect", node.address()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("is a node of another network"));
  EXPECT_THAT(refused.err, HasSubstr("signet"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8)) << "three handshakes took half a minute";
  EXPECT_THAT(spv({"sync", "--connect", node.address(), "--transport", "v1"}).err, HasSubstr("another network"));
}

// --- what a summary warns of

TEST_F(NetworkView, NamedNodesThatAreDownAndChecksWithoutASecondNodeAreSaid) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(10);
  restore();
  EXPECT_THAT(warnings(sync({"--connect", node.address()})), testing::IsEmpty());
  const auto summary = sync({"--connect", node.address(), "--connect", "127.0.0.1:1"});
  EXPECT_THAT(warnings(summary), ElementsAre(HasSubstr("127.0.0.1:1 is not connected")));
  cli_.json({"restore", "-w", "second", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
  EXPECT_THAT(warnings(sync({"-w", "second", "--connect", node.address(), "--cross-check", "full"})),
              ElementsAre(HasSubstr("--cross-check full needs at least two peers")));
}

TEST_F(NetworkView, EachBlockIsCountedOnceWhereASecondNodeChecksAllOfThem) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  Bitcoind other;
  node.mine(30);
  other.connect_to(node);
  other.sync_with(node);
  restore();
  const auto summary = sync({"--connect", node.address(), "--connect", other.address(), "--cross-check", "full"});
  EXPECT_EQ(summary.at("merkleblocks").to_number<int>(), 31);
  EXPECT_EQ(summary.at("cross_checked").to_number<int>(), 31);
  EXPECT_THAT(warnings(summary), testing::IsEmpty());
}

TEST_F(NetworkView, ABirthdayAboveTheTipIsScannedFromTheTipWithAWarning) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(20);
  cli_.json({"restore", "--mnemonic-file", "-", "--birthday", "5000"}, SameKeys::kMnemonic);
  const auto summary = sync({"--connect", node.address()});
  EXPECT_EQ(summary.at("complete"), json::value(false));
  EXPECT_THAT(warnings(summary), ElementsAre(HasSubstr("birthday (block 5000) is above the best block (20)")));
  EXPECT_EQ(summary.at("scanned_from").as_int64(), 20);
  EXPECT_EQ(summary.at("scanned_to").as_int64(), 20);
  EXPECT_EQ(cli_.json({"status"}).at("scanned_to").as_int64(), 20);
  EXPECT_EQ(cli_.json({"balance"}).at("complete"), json::value(false));
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("incomplete: " + warnings(summary).at(0))) << "the same words";
  const auto future =
      cli_.run({"restore", "-w", "x", "--mnemonic-file", "-", "--birthday", "2199-01-01"}, SameKeys::kMnemonic);
  EXPECT_EQ(future.exit_code, 2);
  EXPECT_THAT(future.err, HasSubstr("future"));
}

// --- signals and limits

TEST_F(NetworkView, ASignalEndsAOneShotSyncWithItsOwnExitCode) {
  restore();
  const SilentPort silent;
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    auto process = start({"sync", "--connect", silent.address(), "--log-level", "debug"});
    ASSERT_TRUE(wait_for_text(": connected"));
    process.signal(signal);
    EXPECT_EQ(process.wait(std::chrono::seconds(20)), code) << said();
    EXPECT_THAT(said(), HasSubstr("interrupted"));
  }
}

TEST_F(NetworkView, TheConfirmedResultIsShownBeforeTheMempoolsAnswerAndCtrlCEndsTheWaitWell) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  restore();
  node.mine(101);
  node.send(new_address(), kBtc);
  node.mine(1);
  auto process = start({"sync", "--connect", node.address(), "--mempool-wait", "600"});
  ASSERT_TRUE(wait_for_text("for unconfirmed transactions (Ctrl-C to stop)"));
  EXPECT_THAT(said(), HasSubstr("confirmed balance 1.00000000 BTC at block 102"));
  EXPECT_THAT(said(), Not(HasSubstr("synced to block")));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(20)), 0);
  EXPECT_THAT(said(), HasSubstr("synced to block 102"));
  auto program =
      start({"sync", "--connect", node.address(), "--mempool-wait", "600", "--json", "--log-level", "debug"});
  ASSERT_TRUE(wait_for_text("scanned up to block 102"));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(std::chrono::seconds(20)), 0);
  EXPECT_THAT(said(), HasSubstr(R"("mempool":"timeout")"));
}

TEST_F(NetworkView, FollowingUntilATimeLimitIsASuccessIfTheTipWasReached) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  node.mine(5);
  restore();
  EXPECT_EQ(cli_.run({"sync", "--follow", "--timeout", "2", "--connect", node.address()}).exit_code, 0);
  const SilentPort silent;
  const auto never = cli_.run({"sync", "--follow", "--timeout", "1", "--connect", silent.address()});
  EXPECT_EQ(never.exit_code, 3);
  EXPECT_THAT(never.err, HasSubstr("timed out"));
}

// --- waiting

TEST_F(NetworkView, WaitEndsWithTheConfirmationOrThePaymentOrTheTime) {
  SPV_BITCOIND_OR_SKIP();
  BitcoindOptions options;
  options.arguments = {"-whitelist=noban@127.0.0.1"};
  Bitcoind node(options);
  restore();
  node.mine(101);
  const auto address = new_address();
  const auto txid = node.send(address, kBtc);
  {
    auto waiting =
        start({"wait", txid, "--confirmations", "2", "--connect", node.address(), "--json", "--log-level", "debug"});
    ASSERT_TRUE(wait_for_text("scanned up to block 101"));
    node.mine(2);
    EXPECT_EQ(waiting.wait(std::chrono::seconds(30)), 0) << said();
    const auto at = said().rfind("\n{");
    const auto document = json::parse(said().substr(at == std::string::npos ? 0 : at + 1));
    EXPECT_EQ(document.at("reached"), json::value(true));
    EXPECT_EQ(document.at("txid").as_string(), txid);
    EXPECT_EQ(document.at("height").to_number<int>(), 102);
    EXPECT_EQ(document.at("confirmations").to_number<int>(), 2);
  }
  const auto paid = cli_.json({"wait", address, "--amount", "1", "--connect", node.address()});
  EXPECT_EQ(paid.at("received_sat").as_int64(), kBtc);
  EXPECT_EQ(paid.at("transactions").as_array().size(), 1U);
  EXPECT_THAT(cli_.run({"wait", txid.substr(0, 8), "--connect", node.address()}).out, HasSubstr("has 2 confirmations"));

  const auto other = new_address();
  node.send(other, kBtc / 2);
  EXPECT_EQ(
      cli_.json({"wait", other, "--confirmations", "0", "--connect", node.address()}).at("received_sat").as_int64(),
      kBtc / 2);
  const auto late = cli_.run({"wait", other, "--timeout", "1.5", "--connect", node.address(), "--json"});
  EXPECT_EQ(late.exit_code, 3) << "an unconfirmed payment is not enough";
  EXPECT_EQ(json::parse(late.out).at("reached"), json::value(false));
  EXPECT_EQ(json::parse(late.err).at("error").at("code").as_string(), "timeout");

  const auto theirs = cli_.run({"wait", node.new_address(), "--connect", node.address()});
  EXPECT_EQ(theirs.exit_code, 1);
  EXPECT_THAT(theirs.err, HasSubstr("does not watch"));
}

// --- commands for events

TEST_F(NetworkView, ACommandIsRunForEachEventInOrder) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  restore();
  node.mine(101);
  const auto address = new_address();
  const auto events = (cli_.folder() / "events").string();
  auto follower =
      start({"sync", "--follow", "--json", "--connect", node.address(), "--mempool-wait", "1", "--exec",
             "cat >>'" + events + "'; echo \"$SPV_EVENT $SPV_WALLET $SPV_TXID\" >>'" + events + ".names'; exit 1"});
  ASSERT_TRUE(wait_until([&] { return text_of(events).find(R"("event":"tip")") != std::string::npos; }));
  const auto txid = node.send(address, kBtc);
  node.mine(1);
  EXPECT_TRUE(wait_until([&] { return text_of(events + ".names").find("tx default " + txid) != std::string::npos; }));
  follower.signal(SIGINT);
  EXPECT_EQ(follower.wait(std::chrono::seconds(30)), 0);
  EXPECT_THAT(said(), HasSubstr("--exec exited with status 1"));
  std::string printed;
  std::istringstream lines(said());
  for (std::string line; std::getline(lines, line);) printed += line.starts_with('{') ? line + "\n" : "";
  EXPECT_EQ(text_of(events), printed) << "each event once, in order";
  EXPECT_EQ(cli_.run({"sync", "--exec", "true", "--connect", node.address()}).exit_code, 2) << "there are no events";
}

// --- the peers that are known

TEST_F(NetworkView, LookingAtPeersWritesNothing) {
  EXPECT_EQ(cli_.run({"peers"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(cli_.folder() / "regtest")) << "there was nothing to look at";
  cli_.json({"peers", "add", "127.0.0.1:18444"});
  const auto folder = cli_.folder() / "regtest";
  std::filesystem::remove(folder / "peers.dat.lock");
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(cli_.json({"peers"}).at("peers").as_array().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder / "peers.dat.lock"));
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

TEST_F(NetworkView, WhereAllPeersAreBannedItSaysSo) {
  restore();
  cli_.json({"peers", "ban", "127.0.0.1:18444"});
  const auto result = cli_.run({"sync"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("the only known peer is banned"));
  EXPECT_THAT(result.err, HasSubstr("spv peers unban"));
}

}  // namespace
}  // namespace spv::test
