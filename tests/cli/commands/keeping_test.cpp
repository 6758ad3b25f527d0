// What keeps wallets in order: no wallet without its words seen, labels, names, copies, settings.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pseudo_terminal.h"
#include "tests/support/spv_cli.h"
#include "util/hash.h"
#include "util/hash256.h"

namespace spv::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

constexpr const char* kKeptAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
constexpr const char* kKeptWords = "legal winner thank year wave sausage worth useful legal winner thank yellow";
constexpr const char* kKeptTxid = "f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd";
constexpr const char* kKeptXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
constexpr const char* kKeptXprv =
    "tprv8ZgxMBicQKsPeDgjzdC36fs6bMjGApWDNLR9erAXMs5skhMv36j9MV5ecvfavji5khqjWaWSFhN3YcCUUdiKH6isR4Pwy3U5y5egddBr16m";

class Keeping : public testing::Test {
 protected:
  /// Through a shell, which closes or fills what the program writes to.
  ProcessResult shell(const std::string& redirection, const Arguments& arguments) {
    Arguments command{"sh",        "-c",        "exec \"$@\" " + redirection, "sh", SpvCli::binary(),
                      "--regtest", "--datadir", cli_.folder().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run(command);
  }
  ProcessResult refused(const Arguments& arguments, int exit_code, const std::string& words,
                        const std::string& input = {}) {
    auto result = cli_.run(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << words << ": " << result.err << result.out;
    EXPECT_THAT(result.err, HasSubstr(words));
    return result;
  }
  [[nodiscard]] fs::path wallets() const { return cli_.folder() / "regtest/wallets"; }
  bool exists(const std::string& name) { return fs::exists(wallets() / (name + ".sqlite")); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(files_.file(name)) << text;
    return files_.file(name);
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  SpvCli cli_;
  TempDir files_;
};

TEST_F(Keeping, NoWordsShownNoWallet) {
  for (const char* redirection : {">&-", ">/dev/full", ">&- 2>&-", "<&- >&- 2>&-", ">&- <&-"}) {
    for (const Arguments& arguments : {Arguments{"create"}, Arguments{"create", "--json"}}) {
      EXPECT_EQ(shell(redirection, arguments).exit_code, 1) << redirection;
      EXPECT_FALSE(exists("default")) << redirection;
    }
  }
  const auto piped = run({"sh", "-c", "trap '' PIPE; { sleep 0.2; \"$@\"; echo $? >&2; } | true", "sh",
                          SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "create"});
  EXPECT_THAT(piped.err, HasSubstr("Broken pipe"));
  EXPECT_FALSE(exists("default"));
  const auto words = write("words", std::string(kKeptWords) + "\n");
  for (const char* redirection : {">&-", ">/dev/full"}) {
    for (const Arguments& arguments :
         {Arguments{"restore", "--mnemonic-file", words}, Arguments{"restore", "--mnemonic-file", words, "--json"}}) {
      EXPECT_EQ(shell(redirection, arguments).exit_code, 1) << redirection;
    }
  }
  for (const auto& entry : fs::directory_iterator(wallets())) ADD_FAILURE() << entry.path() << " is left";
}

TEST_F(Keeping, AFailedRenameLeavesNothing) {
  cli_.json({"create", "-w", "old"});
  // A second name of the file is refused only under the lock of the new one.
  fs::create_hard_link(wallets() / "old.sqlite", files_.file("second"));
  refused({"rename", "-w", "old", "new"}, 1, "second name");
  EXPECT_FALSE(fs::exists(wallets() / "new.sqlite.lock"));
  fs::remove(files_.file("second"));
  EXPECT_EQ(cli_.run({"rename", "-w", "old", "new"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(wallets() / "old.sqlite.lock"));
}

TEST_F(Keeping, WhoLabelsAWalletThatIsJustRenamedIsToldSo) {
  cli_.json({"watch", "-w", "a", "--address", kKeptAddress});
  const std::string program = SpvCli::binary() + " --regtest --datadir " + cli_.folder().string();
  ChildProcess renaming({"sh", "-c",
                         "for i in $(seq 60); do " + program + " rename -w a b; " + program +
                             " rename -w b a; done; : > " + files_.file("done")},
                        files_.file("log"));
  int labelled = 0;
  while (!fs::exists(files_.file("done"))) {
    const auto result = cli_.run({"label", "-w", "a", kKeptAddress, "x"});
    labelled += result.exit_code == 0 ? 1 : 0;
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.exit_code << ": " << result.err;
    EXPECT_THAT(result.err, testing::Not(testing::AnyOf(HasSubstr("No such file"), HasSubstr("readonly"))));
  }
  EXPECT_EQ(renaming.wait(std::chrono::seconds(10)), 0);
  EXPECT_GT(labelled, 0);
}

TEST_F(Keeping, ANoteThatCannotBeWrittenKeepsNobodyFromHisWords) {
  int number = 0;
  for (const char* redirection : {"2>&-", "2>/dev/full", "2>&- <&-"}) {
    const std::string name = "w" + std::to_string(++number);
    const auto made = shell(redirection, {"create", "-w", name});
    EXPECT_EQ(made.exit_code, 0) << redirection;
    EXPECT_THAT(made.out, HasSubstr("Write these words down"));
    EXPECT_TRUE(exists(name));
    EXPECT_EQ(cli_.run({"balance", "-w", name}).exit_code, 0) << "nothing was written into its file";
  }
}

TEST_F(Keeping, ADataDirectoryThatIsNoneIsRefusedAndNotTouched) {
  const auto file = write("data", "precious");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  for (const char* command : {"create", "balance", "list", "peers", "status"}) {
    const auto result = test::run({SpvCli::binary(), "--regtest", "--datadir", file, command});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("is not a directory")) << command;
  }
  fs::create_directory(files_.file("dir"));
  write("dir/regtest", "precious too");
  ASSERT_EQ(::chmod(files_.file("dir/regtest").c_str(), 0644), 0);
  EXPECT_EQ(test::run({SpvCli::binary(), "--regtest", "--datadir", files_.file("dir"), "create"}).exit_code, 1);
  for (const auto& path : {file, files_.file("dir/regtest")}) {
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0644U) << path;
  }
}

TEST_F(Keeping, OnlyWalletsAreListedWithWhatTheyAreAndHold) {
  cli_.json({"create", "-w", "alice"});
  cli_.json({"watch", "-w", "bob", "--address", kKeptAddress});
  fs::create_directory(wallets() / "folder.sqlite");
  std::ofstream(wallets() / "broken.sqlite") << "not a database";
  const auto list = cli_.json({"list"});
  EXPECT_EQ(list.at("wallets"), json::value({"alice", "bob", "broken"}));
  const auto& details = list.at("details").as_array();
  ASSERT_EQ(details.size(), 3U);
  EXPECT_EQ(details[0], json::parse(R"({"wallet":"alice","wallet_type":"mnemonic","height":null,"balance_sat":0})"));
  EXPECT_EQ(details[1].at("wallet_type"), "watch-only");
  EXPECT_EQ(details[2].at("wallet_type"), "damaged");
  EXPECT_THAT(cli_.run({"list"}).out, HasSubstr("watch-only"));
  EXPECT_EQ(cli_.run({"list", "--names"}).out, "alice\nbob\nbroken\n");
}

TEST_F(Keeping, AWalletIsRenamed) {
  cli_.json({"create", "-w", "old"});
  const auto descriptors = cli_.json({"descriptors", "-w", "old"});
  cli_.json({"create", "-w", "taken"});
  EXPECT_EQ(refused({"rename", "-w", "old", "taken"}, 1, "already exists").err.find("-w"), std::string::npos)
      << "-w is the old name";
  refused({"rename", "-w", "old", "../x"}, 2, "invalid wallet name");
  refused({"rename", "-w", "none", "x"}, 4, "no wallet");
  EXPECT_EQ(cli_.json({"rename", "-w", "old", "new"}).at("wallet"), "new");
  EXPECT_EQ(cli_.json({"descriptors", "-w", "new"}), descriptors);
  EXPECT_FALSE(exists("old"));
  EXPECT_EQ(cli_.run({"address", "-w", "new", "--new"}).exit_code, 0);
}

TEST_F(Keeping, AWalletIsDeletedWhenThatIsMeant) {
  cli_.json({"create", "-w", "gone"});
  refused({"delete", "-w", "gone"}, 2, "--yes");
  refused({"delete", "-w", "gone", "--json"}, 2, "--yes");
  refused({"delete", "-w", "none", "--yes"}, 4, "no wallet");
  EXPECT_TRUE(exists("gone"));
  const auto deleted = cli_.run({"delete", "-w", "gone", "--yes"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
  EXPECT_THAT(deleted.out, HasSubstr("without its mnemonic or a backup the coins are lost"));
  EXPECT_TRUE(fs::is_empty(wallets()));
  std::ofstream(wallets() / "broken.sqlite") << "not a database";
  EXPECT_EQ(cli_.json({"delete", "-w", "broken", "--yes"}).at("wallet_type"), "damaged");
  EXPECT_TRUE(fs::is_empty(wallets()));
}

TEST_F(Keeping, ABackupOpensAsAWallet) {
  cli_.json({"create"});
  cli_.json({"address", "--new"});
  const auto path = files_.file("copy.sqlite");
  EXPECT_THAT(cli_.run({"backup", path}).out, HasSubstr("not encrypted: whoever can read it can spend"));
  refused({"backup", path}, 1, "already exists");
  refused({"backup", files_.file("none/copy")}, 1, "No such file");
  refused({"backup", files_.path().string()}, 1, "already exists");
  fs::copy_file(path, wallets() / "second.sqlite");
  EXPECT_EQ(cli_.json({"addresses", "-w", "second"}), cli_.json({"addresses"}));
  EXPECT_EQ(cli_.json({"address", "-w", "second", "--new"}), cli_.json({"address", "--new"}));
}

TEST_F(Keeping, LabelsAreSetShownAndRemoved) {
  cli_.json({"watch", "--address", kKeptAddress});
  EXPECT_EQ(cli_.run({"label", kKeptAddress}).out, "");
  EXPECT_EQ(cli_.run({"label", kKeptAddress, "Rent, Äpfel 🍎"}).exit_code, 0);
  EXPECT_EQ(cli_.run({"label", kKeptAddress}).out, "Rent, Äpfel 🍎\n");
  EXPECT_EQ(cli_.json({"label", kKeptAddress}).at("type"), "addr");
  EXPECT_EQ(cli_.json({"addresses"}).at("addresses").at(0).at("label"), "Rent, Äpfel 🍎");
  EXPECT_THAT(cli_.run({"addresses"}).out, HasSubstr("label"));
  const std::string outpoint = std::string(kKeptTxid) + ":7";
  EXPECT_EQ(cli_.json({"label", outpoint, "change"}),
            json::parse(R"({"type":"output","ref":")" + outpoint + R"(","label":"change"})"));
  EXPECT_EQ(cli_.json({"label", kKeptTxid, "salary"}).at("type"), "tx");
  EXPECT_EQ(cli_.run({"label", kKeptAddress, ""}).exit_code, 0);
  EXPECT_TRUE(cli_.json({"label", kKeptAddress}).at("label").is_null());
  EXPECT_FALSE(cli_.json({"addresses"}).at("addresses").at(0).as_object().contains("label"));
  EXPECT_EQ(cli_.run({"addresses"}).out.find("label"), std::string::npos) << "no column without a label";
}

TEST_F(Keeping, LabelsThatATerminalWouldNotShowAreRefused) {
  cli_.json({"watch", "--address", kKeptAddress});
  for (const std::string& bad : std::vector<std::string>{"two\nlines", "\x1b[2J", "\xff\xfe",
                                                         "\xE2\x80\xAE"
                                                         "evil"}) {
    EXPECT_EQ(cli_.run({"label", kKeptAddress, bad}).exit_code, 2) << bad;
  }
  EXPECT_EQ(cli_.run({"label", kKeptAddress, std::string(1'001, 'x')}).exit_code, 2);
  refused({"label", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "x"}, 2, "regtest");
  refused({"label", "nonsense", "x"}, 2, "not a txid, outpoint or address");
  refused({"label", "abcdef12", "x"}, 1, "abcdef12");
}

TEST_F(Keeping, LabelsGoToOtherWalletsAndComeBack) {
  cli_.json({"watch", "--address", kKeptAddress});
  const std::string txid = kKeptTxid;
  const auto as_line = [](const std::string& type, const std::string& ref, const std::string& rest) {
    return "{\"type\":\"" + type + "\",\"ref\":\"" + ref + "\"," + rest + "}\n";
  };
  const std::string lines = as_line("tx", txid, R"x("label":"Transaction","origin":"wpkh([d34db33f/84'/0'/0'])")x") +
                            as_line("addr", kKeptAddress, R"("label":"Address")") +
                            as_line("pubkey", "0283409659355b6d1cc3c32decd5d561abaac86c37a353b52895a5e6c196d6f448",
                                    R"("label":"Public Key")") +
                            as_line("input", txid + ":0", R"("label":"Input")") +
                            as_line("output", txid + ":1", R"("label":"Output","spendable":false)") +
                            as_line("xpub", kKeptXpub, R"("label":"Extended Public Key")");
  const auto file = write("labels.jsonl", lines + "\r\n\nnonsense\n{\"type\":\"new\",\"ref\":\"x\",\"label\":\"y\"}\n");
  EXPECT_EQ(cli_.json({"labels", "import", file}), json::parse(R"({"imported":6,"skipped":2})"));
  EXPECT_THAT(cli_.run({"labels", "import", file}).err, HasSubstr("line 9"));
  const auto written = cli_.run({"labels", "export", "-"}).out;
  std::istringstream in(written);
  std::istringstream out(lines);
  std::multiset<std::string> expected;
  std::multiset<std::string> got;
  for (std::string line; std::getline(out, line);) expected.insert(json::serialize(json::parse(line)));
  for (std::string line; std::getline(in, line);) got.insert(json::serialize(json::parse(line)));
  EXPECT_EQ(got, expected);
  const auto path = files_.file("out.jsonl");
  EXPECT_EQ(cli_.json({"labels", "export", path}).at("exported"), json::value(6));
  EXPECT_EQ(text_of(path), written);
  refused({"labels", "export", path}, 1, "already exists");
  refused({"labels", "import", files_.file("none")}, 1, "No such file");
  refused({"labels", "import", "-"}, 1, "line 1", "nonsense");
  EXPECT_EQ(
      cli_.json({"labels", "import", "-"}, R"({"type":"tx","ref":")" + txid + R"(","label":"a\nb"})").at("imported"),
      json::value(1));
  EXPECT_EQ(cli_.run({"label", txid}).out, "a b\n");
}

TEST_F(Keeping, ALargeImportLetsOthersWriteAndRead) {
  cli_.json({"watch", "--address", kKeptAddress});
  constexpr std::size_t kLabels = 40'000;
  std::string lines;
  for (std::size_t i = 0; i < kLabels; ++i) {
    lines += R"({"type":"tx","ref":")" + util::to_string(util::sha256(util::as_bytes(std::to_string(i)))) +
             R"(","label":"number )" + std::to_string(i) + "\"}\n";
  }
  ChildProcess import(
      {SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "labels", "import", write("many", lines)},
      files_.file("log"));
  std::set<std::size_t> counts;
  for (std::size_t count = 0; count < kLabels;) {
    const auto listed = cli_.run({"labels", "export", "-"}).out;
    count = static_cast<std::size_t>(std::ranges::count(listed, '\n'));
    if (count > 0) counts.insert(count);
    ASSERT_TRUE(count < kLabels || import.wait(std::chrono::seconds(30)) == 0) << text_of(files_.file("log"));
  }
  EXPECT_GT(counts.size(), 1U) << "not all at once: a sync beside it would wait for too long";
  for (const auto count : counts) EXPECT_EQ(count % 1'000, 0U) << "whole batches";
  EXPECT_EQ(text_of(files_.file("log")), "40000 labels imported\n");
}

TEST_F(Keeping, OfTwoLinesForOneLabelTheLaterWins) {
  cli_.json({"watch", "--address", kKeptAddress});
  const std::string start = R"({"type":"tx","ref":")" + std::string(kKeptTxid) + R"(","label":")";
  cli_.json({"labels", "import", "-"}, start + "z\"}\n" + start + "a\"}\n");
  EXPECT_EQ(cli_.run({"label", kKeptTxid}).out, "a\n");
}

TEST_F(Keeping, TheGapLimitIsRaisedAndNotLowered) {
  cli_.json({"create"});
  EXPECT_EQ(cli_.json({"set", "--gap-limit", "25"}),
            json::parse(R"({"wallet":"default","gap_limit":25,"rescan_from":null})"));
  EXPECT_EQ(cli_.json({"status"}).at("gap_limit"), json::value(25));
  refused({"set", "--gap-limit", "10"}, 1, "cannot be lowered");
  refused({"set"}, 2, "--gap-limit");
  std::set<std::string> handed_out;
  for (int i = 0; i < 25; ++i) handed_out.insert(cli_.run({"address", "--new"}).out);
  EXPECT_EQ(handed_out.size(), 25U);
  refused({"address", "--new"}, 1, "gap limit");
}

TEST_F(Keeping, AWatchOnlyWalletGrows) {
  cli_.json({"watch", "--descriptor", std::string("wpkh(") + kKeptXpub + "/0/*)"});
  const auto added = cli_.run({"watch", "--add", "--descriptor", std::string("wpkh(") + kKeptXpub + "/1/*)",
                               "--descriptor", std::string("wpkh(") + kKeptXpub + "/0/*)", "--address", kKeptAddress});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_THAT(added.err, HasSubstr("is watched already"));
  EXPECT_THAT(added.out, HasSubstr("2 descriptors added"));
  const auto descriptors = cli_.json({"descriptors"});
  ASSERT_EQ(descriptors.as_array().size(), 3U);
  EXPECT_TRUE(descriptors.at(1).at("internal").as_bool()) << "it is the change chain of the other";
  EXPECT_EQ(cli_.json({"watch", "--add", "--address", kKeptAddress}).at("added"), json::array());
  EXPECT_EQ(cli_.json({"addresses"}).at("addresses").as_array().size(), 3U);
  cli_.json({"create", "-w", "keys"});
  refused({"watch", "-w", "keys", "--add", "--address", kKeptAddress}, 1, "keys of its own");
  refused({"watch", "-w", "none", "--add", "--address", kKeptAddress}, 4, "no wallet");
  refused({"watch", "--add"}, 2, "nothing to watch");
}

TEST_F(Keeping, ABitcoindsDescriptorsAreTakenAsItListsThem) {
  const std::string key = kKeptXpub;
  const auto entry = [&](const std::string& chain, const std::string& rest) {
    return R"({"desc":"wpkh()" + key + "/" + chain + "/*)\"," + rest + R"(,"active":true,"range":[0,999]})";
  };
  const std::string document = R"({"wallet_name":"w","descriptors":[)" +
                               entry("0", R"("timestamp":1700000000,"internal":false,"next":30,"next_index":30)") +
                               "," + entry("1", R"("timestamp":1700000001,"internal":true,"next":0,"next_index":0)") +
                               "]}";
  const auto made = cli_.run({"watch", "--descriptors-file", "-"}, document);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("--gap-limit 30"));
  const auto listed = cli_.json({"descriptors"});
  ASSERT_EQ(listed.as_array().size(), 2U);
  EXPECT_FALSE(listed.at(0).at("internal").as_bool());
  EXPECT_TRUE(listed.at(1).at("internal").as_bool());
  EXPECT_EQ(listed.at(0).at("timestamp"), json::value(1'700'000'000)) << "nothing before bitcoind made them";
  const auto own = write("own.json", cli_.run({"descriptors", "--json"}).out);
  EXPECT_EQ(cli_.json({"watch", "-w", "again", "--descriptors-file", own}).at("descriptors").as_array().size(), 2U);
  for (const char* bad : {"", "[]", "{}", "[1]", R"([{"desc":1}])", R"x({"descriptors":[{"desc":"wpkh(x)"}]})x"}) {
    EXPECT_EQ(cli_.run({"watch", "-w", "x", "--descriptors-file", "-"}, bad).exit_code, 1) << bad;
  }
}

TEST_F(Keeping, APrivateKeyIsNotWatched) {
  const std::string key = kKeptXprv;
  for (const Arguments& what : {Arguments{"--descriptor", "wpkh(" + key + "/84h/1h/0h/0/*)"},
                                Arguments{"--descriptor", "pkh(cTpB4YiyKiBcPxnefsDpbnDxFDffjqJob8wGCEDXxgQ7zQoMXJdH)"},
                                Arguments{"--xpub", key}}) {
    Arguments arguments{"watch"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    const auto result = refused(arguments, 1, "private key");
    EXPECT_THAT(result.err, HasSubstr("spv restore"));
    EXPECT_EQ(result.err.find(key), std::string::npos) << "and not repeated";
    EXPECT_FALSE(exists("default"));
  }
}

TEST_F(Keeping, AnAddressOnlyWalletSaysThatItCannotMakeNewOnes) {
  cli_.json({"watch", "--address", kKeptAddress});
  EXPECT_EQ(cli_.json({"address"}).at("address"), kKeptAddress);
  refused({"address", "--new"}, 1, "watches fixed addresses");
  refused({"address", "--change"}, 1, "no change addresses");
}

TEST_F(Keeping, AnAddressOfEachTypeAndAPaymentRequest) {
  cli_.json({"create", "--script", "all"});
  const std::vector<std::pair<std::string, std::string>> types{
      {"pkh", "m/44'"}, {"sh-wpkh", "m/49'"}, {"wpkh", "m/84'"}, {"tr", "m/86'"}};
  for (const auto& [type, path] : types) {
    const auto shown = cli_.json({"address", "--type", type});
    EXPECT_THAT(std::string(shown.at("path").as_string()), HasSubstr(path));
    EXPECT_NE(cli_.json({"address", "--type", type, "--new"}), shown);
  }
  cli_.json({"create", "-w", "one"});
  refused({"address", "-w", "one", "--type", "tr"}, 1, "no tr addresses");
  const auto request = cli_.json({"address", "--type", "wpkh", "--amount", "0.001", "--label", "Café 7"});
  const auto address = std::string(request.at("address").as_string());
  EXPECT_EQ(request.at("uri"), json::value("bitcoin:" + address + "?amount=0.001&label=Caf%C3%A9%207"));
  EXPECT_EQ(cli_.run({"address", "--type", "wpkh", "--amount", "5000sat"}).out,
            "bitcoin:" + address + "?amount=0.00005\n");
  EXPECT_EQ(cli_.run({"address", "--type", "wpkh", "--amount", ".5"}).out, "bitcoin:" + address + "?amount=0.5\n");
  for (const char* bad : {"0", "-1", "x", "1.000000001", "22000000", "1.5sat", "sat", "1e3"}) {
    refused({"address", "--amount", bad}, 2, "amount");
    refused({"wait", address, "--amount", bad}, 2, "amount");
  }
  // Taken by both: what is missing is the peer.
  refused({"wait", address, "--amount", ".5", "--connect", "127.0.0.1:1", "--timeout", "1"}, 3, "no peer answered");
}

TEST_F(Keeping, RestoreWithoutAFileNeedsATerminal) {
  const auto result =
      test::run({"setsid", "-w", SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(), "restore"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--mnemonic-file"));
}

}  // namespace
}  // namespace spv::test
