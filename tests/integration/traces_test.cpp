// What a sync leaves in the log at the level that it has unless told otherwise: nothing about the wallet (P9).
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Traces, P9_TheLogNamesNoAddressTransactionOrAmountOfTheWallet) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  SpvCli cli;
  SameKeys keys(node, cli, "wpkh");
  node.mine(101);
  const std::string address = keys.receive_address("bech32");
  const std::vector<std::string> payments{node.send(address, 12'345'678), node.send(address, 87'654'321)};
  const auto block = node.mine(1);
  const std::string pending = node.send(address, 23'456'789);

  // A node that is not there gives it something to complain of; a reorganisation and new blocks follow.
  const auto sync = [&](const std::string& log, const std::string& level) {
    cli.json({"sync", "--connect", node.address(), "--connect", "127.0.0.1:1", "--mempool-wait", "3", "--log-file",
              (cli.folder() / log).string(), "--log-level", level});
  };
  sync("usual", "warn");
  node.invalidate_block(block.front());
  node.mine(3);
  sync("usual", "warn");
  node.mine(1);
  sync("much", "debug");
  ASSERT_EQ(cli.json({"utxos"}).at("utxos").as_array().size(), 3U);
  EXPECT_NE(content(cli.folder() / "much"), "") << "it does log";
  const std::string usual = content(cli.folder() / "usual");
  for (const std::string& trace : {address, payments[0], payments[1], pending, std::string("12345678"),
                                   std::string("87654321"), std::string("23456789")}) {
    EXPECT_THAT(usual, testing::Not(testing::HasSubstr(trace)));
  }
}

}  // namespace
}  // namespace spv::test
