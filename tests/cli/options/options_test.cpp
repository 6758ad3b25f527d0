// How the program reads its arguments, its environment and its config file: run as users run it.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/spv_cli.h"

namespace spv::test {
namespace {

using testing::HasSubstr;

class Options : public testing::Test {
 protected:
  /// With nothing set but what is said; the wallet "default" is on regtest.
  ProcessResult spv(std::vector<std::string> arguments, Environment environment = {}) {
    arguments.insert(arguments.begin(), SpvCli::binary());
    ProcessOptions options;
    options.environment = std::move(environment);
    options.environment.emplace_back("HOME", folder().string());
    options.environment.emplace_back("XDG_DATA_HOME", "");
    return run(arguments, options);
  }
  void make_wallet() {
    ASSERT_EQ(cli_.run({"watch", "--address", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"}).exit_code, 0);
  }
  std::filesystem::path conf(const std::string& text, const std::string& name = "spv.conf") {
    std::ofstream(folder() / name) << text;
    return folder() / name;
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return cli_.folder(); }
  [[nodiscard]] std::string datadir() const { return folder().string(); }

 private:
  SpvCli cli_;
};

TEST_F(Options, OneDashNamesAreThoseOfBitcoinCore) {
  make_wallet();
  EXPECT_EQ(spv({"-regtest", "-datadir=" + datadir(), "balance"}).exit_code, 0);
  EXPECT_EQ(spv({"balance", "-regtest", "-datadir", datadir(), "-json"}).out.front(), '{');
  EXPECT_EQ(spv({"-datadir=" + datadir(), "-network=regtest", "-wallet=default", "balance"}).exit_code, 0);
  EXPECT_EQ(spv({"-help"}).exit_code, 0);
  EXPECT_EQ(spv({"-version"}).exit_code, 0);
  EXPECT_EQ(spv({"-nonsense", "balance"}).exit_code, 2);
}

TEST_F(Options, JsonStandsBeforeOrAfterTheCommand) {
  make_wallet();
  const auto before = spv({"--json", "--regtest", "--datadir", datadir(), "list", "--names"});
  const auto after = spv({"list", "--names", "--regtest", "--datadir", datadir(), "--json"});
  EXPECT_EQ(before.out, "{\"wallets\":[\"default\"]}\n");
  EXPECT_EQ(after.out, before.out);
}

TEST_F(Options, TheEnvironmentFillsWhatTheCommandLineLeavesOpen) {
  make_wallet();
  const Environment environment{{"SPV_DATADIR", datadir()}, {"SPV_REGTEST", "1"}, {"SPV_JSON", "1"}};
  EXPECT_EQ(spv({"list", "--names"}, environment).out, "{\"wallets\":[\"default\"]}\n");
  const auto signet = spv({"--signet", "list", "--names"}, environment);
  EXPECT_EQ(signet.out, "{\"wallets\":[]}\n") << "the command line wins, the short forms of --network among them";
  const auto rate = spv({"sync", "--connect", "127.0.0.1:1"}, {{"SPV_DATADIR", datadir()}, {"SPV_FP_RATE", "7"}});
  EXPECT_EQ(rate.exit_code, 2);
  EXPECT_THAT(rate.err, HasSubstr("$SPV_FP_RATE"));
}

TEST_F(Options, ARequiredOptionMayComeFromTheEnvironment) {
  const auto missing = spv({"filter", "design", "--fp-rate", "0.1"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--elements is required"));
  EXPECT_EQ(spv({"filter", "design", "--fp-rate", "0.1"}, {{"SPV_ELEMENTS", "10"}}).exit_code, 0);
}

TEST_F(Options, SeveralValuesInOneVariableAreSeparatedBySpaces) {
  const std::string first = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
  const std::string second = "bcrt1qd7spv5q28348xl4myc8zmh983w5jx32cs707jh";
  const auto made =
      spv({"watch", "--regtest", "--datadir", datadir(), "--json"}, {{"SPV_ADDRESS", first + " " + second}});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, testing::AllOf(HasSubstr(first), HasSubstr(second)));
}

TEST_F(Options, TheConfigFileOfTheDataDirectoryIsRead) {
  make_wallet();
  conf("regtest=1\n[regtest]\njson=1\n[signet]\nwallet=other\n");
  EXPECT_EQ(spv({"--datadir", datadir(), "list", "--names"}).out, "{\"wallets\":[\"default\"]}\n");
  const auto other = spv({"--datadir", datadir(), "--signet", "balance"});
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.err, HasSubstr("'other'"));
}

TEST_F(Options, EnvironmentBeatsConfigAndASectionBeatsTheGeneralPart) {
  conf("regtest=1\nwallet=general\n[regtest]\nwallet=section\n");
  EXPECT_THAT(spv({"--datadir", datadir(), "balance"}).err, HasSubstr("'section'"));
  EXPECT_THAT(spv({"--datadir", datadir(), "balance"}, {{"SPV_WALLET", "variable"}}).err, HasSubstr("'variable'"));
  EXPECT_THAT(spv({"--datadir", datadir(), "balance", "-w", "argument"}, {{"SPV_WALLET", "variable"}}).err,
              HasSubstr("'argument'"));
}

TEST_F(Options, ANamedConfigFileMayNameTheDataDirectory) {
  make_wallet();
  const auto path = conf("network=regtest\ndatadir=" + datadir() + "\n", "other.conf");
  EXPECT_EQ(spv({"--config", path.string(), "balance"}).exit_code, 0);
  EXPECT_EQ(spv({"balance"}, {{"SPV_CONFIG", path.string()}}).exit_code, 0);
  EXPECT_EQ(spv({"--config", (folder() / "none").string(), "balance"}).exit_code, 2);
  conf("datadir=/elsewhere\n");
  EXPECT_THAT(spv({"--datadir", datadir(), "balance"}).err, HasSubstr("spv.conf:1: "));
}

TEST_F(Options, ADataDirectoryCannotRunACommand) {
  make_wallet();
  const auto mark = folder() / "ran";
  const std::string lines = "follow=1\ntimeout=1\nconnect=127.0.0.1:1\nexec=touch " + mark.string() + "\n";
  for (const auto& text : {lines, "regtest=1\n[regtest]\n" + lines}) {
    conf(text);
    const auto result = spv({"--datadir", datadir(), "--regtest", "sync"});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("cannot set exec"));
    EXPECT_THAT(result.err, HasSubstr("spv.conf:"));
    EXPECT_FALSE(std::filesystem::exists(mark));
  }
  const auto named = conf(lines, "named.conf");
  conf("");
  const auto result = spv({"--datadir", datadir(), "--regtest", "--config", named.string(), "sync"});
  EXPECT_EQ(result.exit_code, 3) << "the user named it: " << result.err;
}

TEST_F(Options, BadConfigLinesAreRefusedWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"wallet=a\nwalet=b\n", ":2: unknown option 'walet'"},
      {"fp-rate=nan\n", ":1: --fp-rate must be a number from 0.0000001 to 0.5"},
      {"[signet]\nfp-rate=2\n", ":2: "},
      {"json=perhaps\n", ":1: --json must be 1 or 0"},
      {"wallet=a\nwallet=b\n", ":2: 'wallet' is already set"},
      {"[regtest]\nnetwork=main\n", ":2: set the network above"},
      {"config=/x\n", ":1: "},
      {"help=1\n", ":1: unknown option 'help'"},
      {"mempool-wait=-1\n", ":1: "},
  };
  for (const auto& [text, said] : cases) {
    const auto path = conf(text, "bad.conf");
    const auto result = spv({"--datadir", datadir(), "--config", path.string(), "list"});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("bad.conf" + said)) << text;
  }
}

TEST_F(Options, TheDataDirectoryFollowsXdg) {
  const auto xdg = folder() / "xdg";
  const std::string address = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
  EXPECT_EQ(spv({"watch", "--regtest", "--address", address}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / ".local/share/spv/regtest/wallets/default.sqlite"));
  ProcessOptions options;
  options.environment = {{"HOME", folder().string()}, {"XDG_DATA_HOME", xdg.string()}};
  EXPECT_EQ(run({SpvCli::binary(), "watch", "--regtest", "--address", address}, options).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(xdg / "spv/regtest/wallets/default.sqlite"));
  const auto mode = std::filesystem::status(xdg / "spv").permissions();
  EXPECT_EQ(mode & std::filesystem::perms::all, std::filesystem::perms::owner_all);
}

TEST_F(Options, ErrorsAreOneLineOrOneDocument) {
  const auto text = spv({"--datadir", datadir(), "-w", "a\nb\x1b[2J", "balance"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err.rfind("error: ", 0), 0U);
  EXPECT_EQ(text.err.find('\n'), text.err.size() - 1);
  EXPECT_EQ(text.err.find('\x1b'), std::string::npos);
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--json", "-w", "\xFF\xFE", "balance"}, {"--json", "\xFF"}, {"balance", "--json", "-w", "none"}}) {
    const auto result = spv(arguments);
    const auto document = boost::json::parse(result.err);
    EXPECT_TRUE(document.at("error").at("code").is_string());
    EXPECT_TRUE(document.at("error").at("message").is_string());
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Options, AWalletOfAnotherNetworkIsNamed) {
  ASSERT_EQ(spv({"--datadir", datadir(), "--signet", "create", "-w", "mine"}).exit_code, 0);
  const auto missing = spv({"--datadir", datadir(), "--testnet4", "balance", "-w", "mine"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_NE(missing.err.find("there is one with --network signet;"), std::string::npos) << missing.err;
  const auto other = spv({"--datadir", datadir(), "--testnet4", "balance", "-w", "yours"});
  EXPECT_EQ(other.err.find("--network"), std::string::npos) << other.err;
  const auto listed = spv({"--datadir", datadir(), "--testnet4", "list"});
  EXPECT_NE(listed.out.find("no wallets on testnet4; there are wallets with --network"), std::string::npos)
      << listed.out;
}

// Everything that can be seen to be wrong without a wallet or a network is bad usage, and nothing is opened.
TEST_F(Options, SpendingCommandsRefuseBadArguments) {
  const std::string address = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx";
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"send"},
                                                                     {"send", address, "0.1", "--psbt-version", "1"},
                                                                     {"bump", "--fee-rate", "2"},
                                                                     {"broadcast"},
                                                                     {"psbt"},
                                                                     {"psbt", "sign"},
                                                                     {"psbt", "combine"},
                                                                     {"psbt", "combine", "-", "-"},
                                                                     {"fees", "extra"}}) {
    const auto result = spv(arguments);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(arguments) << result.err;
  }
}

TEST_F(Options, BadUsageIsExitCodeTwo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"blance"},
                                                                     {"balance", "extra"},
                                                                     {"--network", "moon", "balance"},
                                                                     {"--regtest", "--signet", "balance"},
                                                                     {"history", "--limit", "-1"},
                                                                     {"history", "--limit", "x"},
                                                                     {"-w"},
                                                                     {"-w", "../x", "balance"},
                                                                     {"--log-level", "loud", "balance"},
                                                                     {"filter"},
                                                                     {"restore"}}) {
    const auto result = spv(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Options, NamesWhatWasProbablyMeant) {
  EXPECT_THAT(spv({"blance"}).err, HasSubstr("unknown command 'blance'; did you mean balance? (see spv --help)"));
  EXPECT_THAT(spv({"sync", "--conect=x"}).err, HasSubstr("unknown option '--conect=x'; did you mean --connect? (see"));
  EXPECT_THAT(spv({"-regtst", "balance"}).err, HasSubstr("did you mean --regtest?"));
  EXPECT_THAT(spv({"filter", "desing"}).err, HasSubstr("did you mean design?"));
  EXPECT_THAT(spv({"balance", "xyzzy"}).err, HasSubstr("unexpected argument 'xyzzy' (see spv balance --help)"));
  EXPECT_THAT(spv({"--nothing-like-it", "balance"}).err, HasSubstr("unknown option '--nothing-like-it' (see"));
}

TEST_F(Options, AShortOptionThatIsNotThereSuggestsNoOther) {
  EXPECT_EQ(spv({"-v"}).err, "error: unknown option '-v' (see spv --help or spv --version)\n");
  EXPECT_EQ(spv({"balance", "-x"}).err, "error: unknown option '-x' (see spv balance --help)\n");
  EXPECT_EQ(spv({"-v"}).exit_code, 2);
}

TEST_F(Options, NamesOfBitcoinCliAndElectrumGetAHint) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"getbalance", "use spv balance"},          {"getnewaddress", "use spv address --new"},
      {"listunspent", "use spv utxos"},           {"listtransactions", "use spv history"},
      {"gettransaction", "use spv tx TXID"},      {"getblockchaininfo", "use spv status"},
      {"getpeerinfo", "use spv peers"},           {"getwalletinfo", "use spv status"},
      {"listdescriptors", "use spv descriptors"}, {"importdescriptors", "use spv watch --descriptor DESCRIPTOR"},
      {"createwallet", "use spv create"},         {"listwallets", "use spv list"},
      {"walletpassphrase", "use spv passphrase"}, {"rescanblockchain", "use spv rescan --from HEIGHT"},
      {"getunusedaddress", "use spv address"},    {"onchain_history", "use spv history"},
  };
  for (const auto& [name, hint] : cases) {
    const auto result = spv({"--regtest", name, "x", "1"});
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("unknown command '" + name + "'; " + hint));
  }
  for (const char* name : {"sendtoaddress", "payto"}) {
    EXPECT_THAT(spv({name, "x", "1"}).err, HasSubstr("unknown command '" + std::string(name) + "'; ")) << name;
  }
}

TEST_F(Options, SaysWhichValuesAnOptionTakes) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"create", "--words", "13"}, "--words must be 12, 15, 18, 21 or 24 (see spv create --help)"},
      {{"sync", "--transport", "v3"}, "--transport must be auto, v1 or v2 (see"},
      {{"--log-level", "loud", "list"}, "--log-level must be trace, debug, info, warn or error (see"},
      {{"history", "--limit", "many"}, "--limit must be a whole number from 1 to 1000000000 (see"},
      {{"sync", "--fp-rate", "2"}, "--fp-rate must be a number from 0.0000001 to 0.5 (see"},
      {{"filter", "design", "--elements", "1", "--fp-rate", "1"},
       "--fp-rate must be a number above 0 and below 1 (see"},
      {{"--datadir", "", "list"}, "--datadir must not be empty (see"},
      {{"sync", "--connect"}, "--connect needs a value (see"},
      {{"history", "--limit", "1", "--limit", "2"}, "--limit can be given only once (see"},
      {{"create", "--passphrase-file", "x"}, "--passphrase-file needs --encrypt (see"},
      {{"passphrase", "--remove", "--new-passphrase-file", "x"}, "--new-passphrase-file cannot be used with --remove"},
  };
  for (const auto& [arguments, words] : cases) {
    const auto result = spv(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("error: " + words));
  }
}

TEST_F(Options, MainIsAShortFormToo) {
  ASSERT_EQ(spv({"watch", "--main", "--descriptor", "raw(51)", "--datadir", datadir()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "main/wallets/default.sqlite"));
  EXPECT_THAT(spv({"list", "--json", "--datadir", datadir()}, {{"SPV_MAIN", "1"}}).out,
              HasSubstr("\"wallets\":[\"default\"]"));
  EXPECT_THAT(spv({"--main", "--signet", "list"}).err, HasSubstr("two networks given"));
}

TEST_F(Options, HelpIsACommandToo) {
  EXPECT_EQ(spv({"help"}).out, spv({"--help"}).out);
  EXPECT_EQ(spv({"help", "sync"}).out, spv({"sync", "--help"}).out);
}

TEST_F(Options, AnEmptyOrUnusableDataDirectoryIsRefused) {
  EXPECT_EQ(spv({"--datadir", "", "list"}).exit_code, 2);
  EXPECT_EQ(spv({"--config", "", "list"}).exit_code, 2);
  EXPECT_EQ(spv({"--regtest", "--datadir", "/proc/none", "create"}).exit_code, 1);
}

TEST_F(Options, TwoDashesEndTheOptions) {
  const auto file = (folder() / "-f").string();
  EXPECT_EQ(spv({"filter", "create", "--elements", "1", "--fp-rate", "0.1", "--", file}).exit_code, 0);
  EXPECT_EQ(spv({"filter", "exists", "--", file, "-regtest"}).exit_code, 2) << "an element that is not hex";
}

}  // namespace
}  // namespace spv::test
