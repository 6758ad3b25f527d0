#include "cli/options/config_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "cli/error.h"
#include "tests/support/temp_dir.h"

namespace spv::cli {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_config(text, "spv.conf");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ConfigFile, HasNamesValuesSectionsAndComments) {
  const auto entries = parse_config(
      "# all\n\nregtest=1\r\n  wallet = savings  # mine\n[regtest]\nconnect=127.0.0.1\n-datadir=/x\n[test]\njson=0",
      "f");
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[0].name, "regtest");
  EXPECT_EQ(entries[0].value, "1");
  EXPECT_EQ(entries[0].section, "");
  EXPECT_EQ(entries[0].where, "f:3");
  EXPECT_EQ(entries[1].name, "wallet");
  EXPECT_EQ(entries[1].value, "savings");
  EXPECT_EQ(entries[2].section, "regtest");
  EXPECT_EQ(entries[2].where, "f:6");
  EXPECT_EQ(entries[3].name, "datadir");
  EXPECT_EQ(entries[4].section, "testnet") << "the name in bitcoin.conf";
}

TEST(ConfigFile, AChecksumIsNoComment) {
  EXPECT_EQ(parse_config("descriptor=addr(x)#abcdefgh", "f").at(0).value, "addr(x)#abcdefgh");
}

TEST(ConfigFile, SaysWhichLineIsBad) {
  EXPECT_EQ(refusal("wallet=a\njson\n").rfind("spv.conf:2: 'json' is not NAME=VALUE", 0), 0U);
  EXPECT_EQ(refusal("=a").rfind("spv.conf:1: ", 0), 0U);
  EXPECT_EQ(refusal("\n\n[moon]").rfind("spv.conf:3: unknown section '[moon]'", 0), 0U);
  EXPECT_EQ(refusal("[regtest").rfind("spv.conf:1: ", 0), 0U);
  EXPECT_EQ(refusal("[").rfind("spv.conf:1: ", 0), 0U);
}

TEST(ConfigFile, OnlyAFileThatTheUserNamedMustBeThere) {
  const test::TempDir folder;
  EXPECT_TRUE(read_config(folder.path() / "none", false).empty());
  EXPECT_THROW(read_config(folder.path() / "none", true), UsageError);
  EXPECT_THROW(read_config(folder.path(), true), UsageError) << "a directory";
}

TEST(ConfigFile, IsBounded) {
  const test::TempDir folder;
  const auto path = folder.path() / "big";
  std::ofstream(path) << std::string((1U << 20U) + 1, '\n');
  EXPECT_THROW(read_config(path, true), UsageError);
}

}  // namespace
}  // namespace spv::cli
