// Help, man page and completions: made from one tree, fresh, and taken by the programs that they are for.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pseudo_terminal.h"
#include "tests/support/spv_cli.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

using testing::HasSubstr;

struct Generated {
  const char* what;
  const char* file;
  std::vector<std::string> parser;
};

class GeneratedFile : public testing::TestWithParam<Generated> {};

TEST_P(GeneratedFile, IsFreshAndParses) {
  const auto made = run({SpvCli::binary(), "generate", GetParam().what});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string path = std::string(SPV_GENERATED) + "/" + GetParam().file;
  EXPECT_TRUE(made.out == read_text(path)) << GetParam().file << " is stale";
  auto command = GetParam().parser;
  command.push_back(path);
  if (run({"sh", "-c", "command -v " + command.front()}).exit_code != 0) GTEST_SKIP() << "no " << command.front();
  ProcessOptions options;
  options.environment = {{"MANWIDTH", "80"}, {"LC_ALL", "C.UTF-8"}, {"MANROFFSEQ", ""}};
  const auto parsed = run(command, options);
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
  EXPECT_EQ(parsed.err, "") << "warnings";
}

INSTANTIATE_TEST_SUITE_P(All, GeneratedFile,
                         testing::Values(Generated{"man", "spv.1", {"man", "--warnings", "-E", "UTF-8", "-l"}},
                                         Generated{"bash", "spv.bash", {"bash", "-n"}},
                                         Generated{"zsh", "_spv", {"zsh", "-n"}},
                                         Generated{"fish", "spv.fish", {"fish", "-n"}}),
                         [](const auto& each) { return std::string(each.param.what); });

std::string complete(const std::string& words) {
  const std::string script = "source '" + std::string(SPV_GENERATED) + "/spv.bash'; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _spv; printf '%s ' \"${COMPREPLY[@]}\"";
  const auto result = run({"bash", "-c", script});
  EXPECT_EQ(result.err, "") << words;
  return result.out;
}

/// A data directory with the wallets "savings" and "shop" on regtest, and one of another network.
class WalletCompletion : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"savings", "shop"}) cli_.json({"watch", "-w", name, "--descriptor", "raw(51)"});
    run({SpvCli::binary(), "--signet", "--datadir", folder_, "watch", "-w", "sig", "--descriptor", "raw(51)"});
  }
  SpvCli cli_;
  const std::string folder_ = cli_.folder().string();
};

TEST_F(WalletCompletion, BashAsksTheProgramForNames) {
  const std::string start = "'" + SpvCli::binary() + "' --regtest --datadir '" + folder_ + "' ";
  EXPECT_EQ(complete(start + "-w ''"), "savings shop ");
  EXPECT_EQ(complete(start + "balance --wallet sh"), "shop ");
  EXPECT_EQ(complete(start + "balance --wallet = sa"), "savings ") << "--wallet=sa, as bash cuts it";
  EXPECT_EQ(complete(start + "balance --wallet ="), "savings shop ");
  EXPECT_EQ(complete("'" + SpvCli::binary() + "' --network = signet --datadir '" + folder_ + "' -w ''"), "sig ");
  EXPECT_EQ(complete("'" + SpvCli::binary() + "' --datadir /dev/null/none -w ''"), " ") << "quiet on errors";
  EXPECT_EQ(complete("/no/such/program -w ''"), " ");
}

TEST_F(WalletCompletion, TxidsAreQuietWithoutAWallet) {
  const std::string start = "'" + SpvCli::binary() + "' --regtest --datadir '" + folder_ + "' ";
  EXPECT_EQ(complete(start + "-w savings tx ''"), " ") << "none in it yet";
  EXPECT_EQ(complete(start + "-w none proof ''"), " ");
}

TEST_F(WalletCompletion, AWalletMayHaveTheNameOfACommand) {
  const std::string start = "'" + SpvCli::binary() + "' --regtest --datadir '" + folder_ + "' ";
  EXPECT_EQ(complete(start + "-w wait ba"), "backup balance ");
  EXPECT_EQ(complete(start + "--wallet = wait balance --un"), "--unit ");
  EXPECT_THAT(complete(start + "-w wait balance --"), testing::Not(HasSubstr("--confirmations")));
  EXPECT_EQ(complete(start + "-w filter create --fl"), " ") << "not filter create";
}

/// A program that knows two transactions and writes down what it was asked.
class TxidCompletion : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(program_)
        << "#!/bin/sh\nprintf '%s ' \"$@\" >> '" << asked_ << "'\n"
        << "case \"$*\" in *txids*) echo 6abc1234; echo 6abd5678 ;; *wallets*) echo wonder ;; esac\n";
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }
  std::string asked() {
    std::string text = read_text(asked_);
    std::filesystem::remove(asked_);
    return text;
  }
  TempDir folder_;
  const std::string program_ = folder_.file("spv");
  const std::string asked_ = folder_.file("asked");
};

TEST_F(TxidCompletion, BashFindsThemBehindOptions) {
  for (const char* command : {"tx", "proof", "label", "wait"}) {
    const std::string name = "'" + program_ + "' ";
    EXPECT_EQ(complete(name + command + " 6ab"), "6abc1234 6abd5678 ") << command;
    EXPECT_EQ(complete(name + command + " --regtest --datadir /d -w tx 6abd"), "6abd5678 ") << command;
    EXPECT_EQ(complete(name + "--regtest -w wait --datadir = /d " + command + " ''"), "6abc1234 6abd5678 ") << command;
    EXPECT_THAT(asked(), HasSubstr("--regtest --datadir /d -w tx complete txids ")) << command;
  }
}

/// What zsh makes of the line when Tab is pressed.
std::string zsh_complete(const std::string& folder, const std::string& line) {
  const std::string script = R"(zmodload zsh/zpty || exit 9
zpty shell zsh -f -i
zpty -w shell "PS1=; PROMPT_SP=; fpath=($1 $2 \$fpath); PATH=$1:\$PATH; autoload -U compinit; compinit -u -D
show() { print -r -- \"<<\$BUFFER>>\"; zle kill-buffer }; zle -N show; bindkey '^X' show; print REA''DY"
zpty -r shell out '*READY*'
zpty -w -n shell "$3"$'\t\x18'
zpty -r shell out '*<<*>>*'
print -r -- ${${out##*<<}%%>>*}
zpty -d shell)";
  return run({"timeout", "60", "zsh", "-f", "-c", script, "zsh", folder, SPV_GENERATED, line}).out;
}

TEST_F(TxidCompletion, ZshFindsThemBehindOptions) {
  if (run({"sh", "-c", "command -v zsh"}).exit_code != 0) GTEST_SKIP() << "no zsh";
  SPV_TERMINAL_OR_SKIP();
  const auto folder = folder_.path().string();
  EXPECT_EQ(zsh_complete(folder, "spv tx 6abc"), "spv tx 6abc1234 \n");
  for (const char* command : {"tx", "proof", "label", "wait"}) {
    const std::string line = std::string("spv ") + command + " --regtest --datadir /tmp -w tx 6abd";
    EXPECT_EQ(zsh_complete(folder, line), line + "5678 \n");
  }
  EXPECT_EQ(zsh_complete(folder, "spv balance --wallet=w"), "spv balance --wallet=wonder \n");
  EXPECT_EQ(zsh_complete(folder, "spv --regtest --wallet w"), "spv --regtest --wallet wonder \n");
  EXPECT_EQ(zsh_complete(folder, "spv sync --source=f"), "spv sync --source=filter \n");
}

TEST_F(WalletCompletion, ZshAsksTheProgramForNames) {
  if (run({"sh", "-c", "command -v zsh"}).exit_code != 0) GTEST_SKIP() << "no zsh";
  const auto asked = [&](const std::string& words) {
    const auto result = run({"zsh", "-f", "-c",
                             "_arguments() { : }; compadd() { print -l -- ${(P)2} }; source '" +
                                 std::string(SPV_GENERATED) + "/_spv'; _spv_line=(" + words + "); _spv_wallets"});
    EXPECT_EQ(result.err, "");
    return result.out;
  };
  EXPECT_EQ(asked("'" + SpvCli::binary() + "' --regtest --datadir '" + folder_ + "' -w ''"), "savings\nshop\n");
  EXPECT_EQ(asked("'" + SpvCli::binary() + "' --network=signet --datadir='" + folder_ + "' -w ''"), "sig\n");
}

TEST_F(WalletCompletion, FishAsksTheProgramForNames) {
  if (run({"sh", "-c", "command -v fish"}).exit_code != 0) GTEST_SKIP() << "no fish";
  const std::string program = std::filesystem::path(SpvCli::binary()).parent_path().string();
  const auto result = run({"fish", "--no-config", "-c",
                           "set -x PATH '" + program + "' $PATH; source '" + std::string(SPV_GENERATED) +
                               "/spv.fish'; complete -C 'spv --regtest --datadir " + folder_ +
                               " balance -w s'"
                               " | cut -f1"});
  EXPECT_EQ(result.out, "savings\nshop\n") << result.err;
}

TEST(BashCompletion, KnowsCommandsOptionsAndValues) {
  EXPECT_EQ(complete("spv ba"), "backup balance ");
  EXPECT_EQ(complete("spv sync --tr"), "--transport ");
  EXPECT_EQ(complete("spv --regtest sync --transport v"), "v1 v2 ");
  EXPECT_EQ(complete("spv sync --network test"), "testnet testnet4 ");
  EXPECT_EQ(complete("spv filter me"), "measure ");
  EXPECT_EQ(complete("spv filter create --fl"), "--flags ");
  EXPECT_EQ(complete("spv filter create --flags p"), "p2pubkey ");
  EXPECT_THAT(complete("spv sync --"), testing::Not(HasSubstr("--words")));
  EXPECT_THAT(complete("spv "), testing::Not(HasSubstr("send")));
  EXPECT_THAT(complete("spv "), testing::Not(HasSubstr("complete")));
  EXPECT_EQ(complete("spv filter union --o"), "--out ");
  EXPECT_EQ(complete("spv sync --transport = v"), "v1 v2 ");
}

TEST(FishCompletion, KnowsCommandsOptionsAndValues) {
  if (run({"sh", "-c", "command -v fish"}).exit_code != 0) GTEST_SKIP() << "no fish";
  const auto complete = [](const std::string& line) {
    return run({"fish", "--no-config", "-c",
                "source '" + std::string(SPV_GENERATED) + "/spv.fish'; complete -C '" + line + "' | cut -f1"})
        .out;
  };
  EXPECT_EQ(complete("spv ba"), "backup\nbalance\n");
  EXPECT_EQ(complete("spv sync --tr"), "--transport\n");
  EXPECT_EQ(complete("spv sync --network s"), "signet\n");
  EXPECT_EQ(complete("spv filter me"), "measure\n");
}

TEST(Help, NamesEveryCommandAndOption) {
  const auto help = run({SpvCli::binary(), "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* name : {"create", "restore", "watch", "list", "sync", "balance", "history", "utxos", "address",
                           "addresses", "tx", "status", "proof", "verify-proof", "filter"}) {
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + name + " "));
    const auto own = run({SpvCli::binary(), name, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_THAT(own.out, HasSubstr(std::string("Usage: spv ") + name + " "));
  }
  for (const auto& text : {help.out, run({SpvCli::binary(), "sync", "--help"}).out}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_THAT(run({SpvCli::binary(), "filter", "add", "-h"}).out, HasSubstr("spv filter add [OPTIONS] FILE HEX..."));
}

TEST(Version, NamesLibrariesAndFeatures) {
  const auto text = run({SpvCli::binary(), "--version"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.out.rfind("spv 0.", 0), 0U);
  for (const char* part : {"openssl 3.", "sqlite 3.", "secp256k1 0.", "boost 1.81", "BIP324", "SHA-256"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
  const auto document = boost::json::parse(run({SpvCli::binary(), "--version", "--json"}).out);
  EXPECT_TRUE(document.at("libraries").at("openssl").is_string());
  // The program asks libsecp256k1 for ElligatorSwift, or it does not.
  const auto symbols = run({"nm", "-D", "--undefined-only", SpvCli::binary()});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  ASSERT_THAT(symbols.out, HasSubstr(" secp256k1_")) << "the search must find what is there";
  const bool theirs = symbols.out.find("secp256k1_ellswift_xdh") != std::string::npos;
  EXPECT_EQ(document.at("features").at("v2_transport"), theirs ? "libsecp256k1" : "field arithmetic of our own");
  EXPECT_TRUE(document.at("features").at("sha_instructions").is_bool());
}

}  // namespace
}  // namespace spv::test
