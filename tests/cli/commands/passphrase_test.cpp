// `spv create --encrypt`, `spv restore --encrypt`, `spv passphrase` and `spv descriptors --private`: what they do, what
// they refuse, and that no secret is left anywhere.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/pseudo_terminal.h"
#include "tests/support/spv_cli.h"
#include "util/hex.h"
#include "wallet/account.h"
#include "wallet/mnemonic.h"

namespace spv::test {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

constexpr const char* kWords = "legal winner thank year wave sausage worth useful legal winner thank yellow";

class PassphraseCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(secrets_.file(name)) << text;
    return secrets_.file(name);
  }
  Arguments restore(const Arguments& more = {}) {
    Arguments arguments{"restore", "--mnemonic-file", write("words", std::string(kWords) + "\n")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Arguments restore_encrypted() { return restore({"--encrypt", "--passphrase-file", old_}); }
  void expect_refused(const Arguments& arguments, int exit_code, const std::string& words) {
    const auto result = cli_.run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << words << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("error: ", 0), 0U) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
  bool is_encrypted() { return cli_.json({"status"}).at("encrypted").as_bool(); }
  bool has_wallet() { return fs::exists(cli_.folder() / "regtest/wallets/default.sqlite"); }
  /// Whether the passphrase of that file opens the wallet's keys.
  int opens_with(const std::string& file) {
    return cli_.run({"descriptors", "--private", "--passphrase-file", file}).exit_code;
  }

  SpvCli cli_;
  TempDir secrets_;
  const std::string old_ = write("old", "correct horse\n");
  const std::string new_ = write("new", "battery staple");
};

TEST_F(PassphraseCommand, K1_RestoreAndCreateEncryptFromTheStart) {
  const auto result = cli_.run(restore_encrypted());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "") << "nothing to warn of";
  EXPECT_TRUE(is_encrypted());
  EXPECT_NE(cli_.run({"status"}).out.find("encrypted"), std::string::npos);
  cli_.json({"-w", "fresh", "create", "--encrypt", "--passphrase-file", old_});
  EXPECT_TRUE(cli_.json({"-w", "fresh", "status"}).at("encrypted").as_bool());
}

TEST_F(PassphraseCommand, WithoutEncryptionTheUserIsToldOnce) {
  const auto made = cli_.run({"create"});
  EXPECT_NE(made.err.find("without a passphrase"), std::string::npos);
  EXPECT_FALSE(is_encrypted());
  EXPECT_EQ(cli_.run({"balance"}).err, "");
}

TEST_F(PassphraseCommand, LookingNeedsNoPassphrase) {
  cli_.json(restore_encrypted());
  for (const char* command : {"balance", "history", "utxos", "address", "addresses", "status", "descriptors", "list"}) {
    EXPECT_EQ(cli_.run({command}).exit_code, 0) << command;
  }
}

TEST_F(PassphraseCommand, SetsChangesAndRemoves) {
  cli_.json(restore());
  const auto keys = cli_.json({"descriptors", "--private"});
  EXPECT_NE(boost::json::serialize(keys).find("tprv"), std::string::npos);
  EXPECT_TRUE(cli_.json({"passphrase", "--new-passphrase-file", old_}).at("encrypted").as_bool());
  EXPECT_TRUE(is_encrypted());
  EXPECT_EQ(opens_with(old_), 0);
  EXPECT_EQ(cli_.run({"passphrase", "--passphrase-file", old_, "--new-passphrase-file", new_}).exit_code, 0);
  EXPECT_EQ(opens_with(old_), 4);
  EXPECT_EQ(opens_with(new_), 0);
  EXPECT_EQ(cli_.run({"passphrase", "--passphrase-file", new_, "--remove"}).exit_code, 0);
  EXPECT_FALSE(is_encrypted());
  EXPECT_EQ(cli_.json({"descriptors", "--private"}), keys) << "the same keys all along";
}

TEST_F(PassphraseCommand, K3_AWrongPassphraseIsExitCode4AndChangesNothing) {
  cli_.json(restore_encrypted());
  const auto wallet = cli_.folder() / "regtest/wallets/default.sqlite";
  std::ifstream before_file(wallet, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(before_file), {}};
  expect_refused({"passphrase", "--passphrase-file", new_, "--new-passphrase-file", old_}, 4, "passphrase is wrong");
  expect_refused({"passphrase", "--passphrase-file", new_, "--remove"}, 4, "passphrase is wrong");
  expect_refused({"descriptors", "--private", "--passphrase-file", new_}, 4, "passphrase is wrong");
  const auto json = cli_.run({"--json", "descriptors", "--private", "--passphrase-file", new_});
  EXPECT_EQ(boost::json::parse(json.err).at("error").at("code").as_string(), "wrong-passphrase");
  std::ifstream after_file(wallet, std::ios::binary);
  EXPECT_TRUE((std::string{std::istreambuf_iterator<char>(after_file), {}}) == before);
  EXPECT_EQ(opens_with(old_), 0);
}

TEST_F(PassphraseCommand, RefusesWhatMakesNoSense) {
  expect_refused(restore({"--passphrase-file", old_}), 2, "--encrypt");
  expect_refused(restore({"--encrypt", "--passphrase-file", write("empty", "\n")}), 1, "empty");
  expect_refused(restore({"--encrypt", "--passphrase-file", secrets_.file("missing")}), 1, "cannot read");
  expect_refused({"restore", "--mnemonic-file", "-", "--encrypt", "--passphrase-file", "-"}, 2, "stdin");
  EXPECT_FALSE(has_wallet()) << "nothing is half made";
  expect_refused({"passphrase", "--new-passphrase-file", new_}, 4, "no wallet");
  cli_.json(restore());
  expect_refused({"passphrase", "--passphrase-file", old_, "--new-passphrase-file", new_}, 1, "has no passphrase");
  expect_refused({"passphrase", "--remove"}, 1, "has no passphrase");
  expect_refused({"passphrase", "--remove", "--new-passphrase-file", new_}, 2, "--remove");
  expect_refused({"descriptors", "--passphrase-file", old_}, 2, "--private");
  cli_.json({"-w", "eye", "watch", "--address", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"});
  expect_refused({"-w", "eye", "passphrase", "--new-passphrase-file", new_}, 1, "watch-only");
}

// --- the terminal ------------------------------------------------------------------------------------------------

struct Typed {
  std::string shown;
  int exit_code = -1;
};

/// Runs the program on a terminal of its own and types a line at each question.
Typed on_terminal(const Arguments& command, const std::vector<std::string>& lines) {
  Typed out;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<char*> argv;
    for (const auto& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::size_t typed = 0;
  char buffer[512];
  pollfd ready{.fd = terminal, .events = POLLIN, .revents = 0};
  while (::poll(&ready, 1, 20'000) > 0) {
    const auto got = ::read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;
    out.shown.append(buffer, static_cast<std::size_t>(got));
    if (typed == lines.size() || !(out.shown.ends_with(": ") || out.shown.ends_with("] "))) continue;
    static_cast<void>(::write(terminal, lines[typed].data(), lines[typed].size()) == 0);
    ++typed;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return out;
}

class PassphrasePrompt : public PassphraseCommand {
 protected:
  void SetUp() override { SPV_TERMINAL_OR_SKIP(); }
  Typed type(Arguments arguments, const std::vector<std::string>& lines) {
    Arguments command{SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return on_terminal(command, lines);
  }
};

TEST_F(PassphrasePrompt, K5_AsksTwiceAndShowsNothingOfIt) {
  const auto typed = type(restore({"--encrypt"}), {"correct horsf\x7f"
                                                   "e\n",
                                                   "correct horse\n"});
  EXPECT_EQ(typed.exit_code, 0) << typed.shown;
  EXPECT_EQ(typed.shown.find("horse"), std::string::npos) << typed.shown;
  EXPECT_NE(typed.shown.find("Repeat passphrase"), std::string::npos) << typed.shown;
  EXPECT_EQ(opens_with(old_), 0);
  EXPECT_EQ(type({"descriptors", "--private"}, {"correct horse\n"}).exit_code, 0);
  EXPECT_EQ(type({"descriptors", "--private"}, {"correct house\n"}).exit_code, 4);
}

TEST_F(PassphrasePrompt, TwoThatDifferMakeNoWallet) {
  const auto typed = type({"create", "--encrypt"}, {"one\n", "another\n"});
  EXPECT_EQ(typed.exit_code, 1);
  EXPECT_NE(typed.shown.find("do not match"), std::string::npos) << typed.shown;
  EXPECT_FALSE(has_wallet());
}

TEST_F(PassphrasePrompt, CtrlCAndCtrlDEndItWithNothingMade) {
  for (const std::string key : {"abc\x03", "\x04"}) {
    const auto typed = type({"create", "--encrypt"}, {key});
    EXPECT_EQ(typed.exit_code, key == "\x04" ? 1 : 130);
    EXPECT_NE(typed.shown.find("nothing is changed"), std::string::npos) << typed.shown;
    EXPECT_FALSE(has_wallet());
  }
}

TEST_F(PassphrasePrompt, ASignalEndsItAndTheTerminalShowsWhatIsTypedAgain) {
  const std::vector<std::pair<std::string, int>> signals{{"TERM", 143}, {"HUP", 129}};
  for (const auto& [name, code] : signals) {
    // In the background, so that the shell lives on; it reads the terminal all the same, as its group does not change.
    const std::string script = "trap '' TTIN TTOU; \"$@\" & sleep 1; kill -" + name +
                               " $!; wait $!; echo status $?; stty -a | grep -o '[-]*echo ' ; stty -a | grep -o "
                               "'[-]*icanon'";
    const auto typed = on_terminal({"/bin/sh", "-c", script, "sh", SpvCli::binary(), "--regtest", "--datadir",
                                    cli_.folder().string(), "create", "--encrypt"},
                                   {});
    EXPECT_NE(typed.shown.find("status " + std::to_string(code) + "\r\n"), std::string::npos) << typed.shown;
    EXPECT_NE(typed.shown.find("\necho \r\nicanon"), std::string::npos) << name << ": " << typed.shown;
    EXPECT_NE(typed.shown.find("nothing is changed"), std::string::npos) << typed.shown;
    EXPECT_FALSE(has_wallet());
  }
}

TEST_F(PassphrasePrompt, K5_RestoreAsksForTheWordsShowsNoneAndNamesAMistypedOne) {
  const std::string words = kWords;
  const auto mistyped = words.substr(0, words.rfind(' ')) + " wepon\n";
  const auto typed = type({"restore"}, {mistyped, words + "\n"});
  EXPECT_EQ(typed.exit_code, 0) << typed.shown;
  EXPECT_NE(typed.shown.find("did you mean \"weapon\"?"), std::string::npos) << typed.shown;
  EXPECT_EQ(typed.shown.find("sausage"), std::string::npos) << "not shown";
  EXPECT_EQ(typed.shown.find("yellow"), std::string::npos);
  const auto descriptors = cli_.json({"descriptors"});
  cli_.json(Arguments{"restore", "-w", "file", "--mnemonic-file", write("words", words)});
  EXPECT_EQ(cli_.json({"descriptors", "-w", "file"}), descriptors);
  EXPECT_EQ(type({"restore", "-w", "three"}, {"a\n", "b\n", "c\n"}).exit_code, 1) << "three tries";
  EXPECT_EQ(type({"restore", "-w", "stopped"}, {"\x03"}).exit_code, 130);
  EXPECT_EQ(cli_.json({"list"}).at("wallets").as_array().size(), 2U);
}

TEST_F(PassphrasePrompt, DeleteAsksAndNamesWhatIsLost) {
  cli_.json(restore());
  const auto kept = type({"delete"}, {"\n"});
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_NE(kept.shown.find("without its mnemonic or a backup the coins are lost"), std::string::npos) << kept.shown;
  EXPECT_TRUE(has_wallet());
  EXPECT_EQ(type({"delete"}, {"y\n"}).exit_code, 0);
  EXPECT_FALSE(has_wallet());
}

TEST_F(PassphrasePrompt, WithoutATerminalTheErrorNamesTheOption) {
  const auto result =
      run({"setsid", "-w", SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "create", "--encrypt"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--passphrase-file"), std::string::npos) << result.err;
}

// --- nothing left behind -------------------------------------------------------------------------------------------

/// Everything that must not be found: the words, the passphrases, seed and keys as bytes, hex and text.
std::vector<std::string> secrets_of_the_wallet() {
  const auto& params = chain::params(chain::Network::Regtest);
  const auto seed = wallet::Mnemonic::parse(kWords)->seed("").value();
  const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
  std::vector<std::string> out{"winner thank", "correct horse", "battery staple"};
  const auto add = [&](util::ByteView bytes) {
    out.emplace_back(bytes.begin(), bytes.end());
    out.push_back(util::to_hex(bytes));
  };
  add(seed.view().first(32));
  add(master.key().view());
  for (const wallet::KeyPath& path : {wallet::KeyPath{}, wallet::account_path(wallet::ScriptKind::Wpkh, 0, params)}) {
    const auto text = master.descend(path)->to_text(params);
    out.emplace_back(text.begin(), text.end());
    add(master.descend(path)->key().view());
  }
  return out;
}

TEST_F(PassphraseCommand, K5_NoCommandLeavesASecretInAFileOrALog) {
  const std::string log = cli_.folder() / "log.txt";
  std::string said;
  const auto note = [&](Arguments arguments) {
    arguments.insert(arguments.end(), {"--log-level", "trace", "--log-file", log});
    const auto result = cli_.run(arguments);
    said += result.err;
    return result;
  };
  const auto secrets = secrets_of_the_wallet();
  const auto hits = [&] {
    std::string all = said;
    for (const auto& entry : fs::recursive_directory_iterator(cli_.folder())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(in), {});
    }
    return std::ranges::count_if(secrets, [&](const auto& secret) { return all.find(secret) != std::string::npos; });
  };
  note(restore());
  EXPECT_EQ(hits(), 1) << "the plain wallet holds the seed: the search must find it";
  note({"passphrase", "--new-passphrase-file", old_});
  EXPECT_EQ(hits(), 0) << "nor in what SQLite has freed";
  note({"passphrase", "--passphrase-file", old_, "--new-passphrase-file", new_});
  note({"passphrase", "--passphrase-file", old_, "--new-passphrase-file", new_});
  EXPECT_EQ(note({"descriptors", "--private", "--passphrase-file", new_}).exit_code, 0);
  for (const char* command : {"balance", "history", "utxos", "address", "addresses", "status", "descriptors", "list"}) {
    note({command});
  }
  note({"address", "--new"});
  note({"sync", "--connect", "127.0.0.1:1", "--timeout", "1"});
  note({"-w", "two", "restore", "--mnemonic-file", secrets_.file("words"), "--encrypt", "--passphrase-file", old_});
  note({"-w", "three", "restore", "--mnemonic-file", write("bad", std::string(kWords) + " zoo")});
  EXPECT_EQ(hits(), 0);
}

// While it waits for the mnemonic: its limits, its arguments, its environment.
TEST_F(PassphraseCommand, K5_K6_CoreDumpsAreOffMemoryIsLockedAndArgumentsHoldNoSecret) {
  const std::string fifo = secrets_.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ChildProcess child({SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "restore", "--mnemonic-file",
                      fifo, "--encrypt", "--passphrase-file", old_},
                     secrets_.file("output"));
  std::ofstream feed(fifo);  // opens when the program has opened the other end
  std::string limits;
  std::string command;
  std::string status;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream line(entry.path() / "cmdline");
    std::string text{std::istreambuf_iterator<char>(line), {}};
    if (text.find(fifo) == std::string::npos || text.find("restore") == std::string::npos) continue;
    command = text;
    std::ifstream in(entry.path() / "limits");
    limits.assign(std::istreambuf_iterator<char>(in), {});
    std::ifstream memory(entry.path() / "status");
    status.assign(std::istreambuf_iterator<char>(memory), {});
    std::ifstream environment(entry.path() / "environ");
    command.append(std::istreambuf_iterator<char>(environment), {});
  }
  ASSERT_FALSE(limits.empty());
  EXPECT_NE(limits.find("Max core file size        0                    0"), std::string::npos) << limits;
  EXPECT_EQ(command.find("correct"), std::string::npos);
  feed << kWords << std::endl;
  feed.close();
  EXPECT_EQ(child.wait(std::chrono::seconds(30)), 0);

  const auto locked = status.find("VmLck:");
  if (locked == std::string::npos) GTEST_SKIP() << "/proc tells nothing of locked memory here";
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &limit), 0);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr unsigned long kLeast = 32;  // the sanitizer locks no stack
#else
  constexpr unsigned long kLeast = 256;
#endif
  if (limit.rlim_cur >= 512UL * 1024) {
    EXPECT_GT(std::stoul(status.substr(locked + 6)), kLeast) << "kB of heap and stack";
  }
}

}  // namespace
}  // namespace spv::test
