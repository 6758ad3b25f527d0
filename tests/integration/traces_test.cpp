// What a sync leaves in the log at the level that it has unless told otherwise: nothing about the wallet (P9).
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {
namespace {

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

  const std::string log = (cli.folder() / "log").string();
  // A node that is not there gives it something to complain of; a reorganisation and a new block follow.
  const std::vector<std::string> sync{"sync",           "--connect", node.address(), "--connect", "127.0.0.1:1",
                                      "--mempool-wait", "3",         "--log-file",   log};
  cli.json(sync);
  node.invalidate_block(block.front());
  node.mine(3);
  cli.json(sync);
  const auto utxos = cli.json({"utxos", "--log-file", log});
  ASSERT_EQ(utxos.at("utxos").as_array().size(), 3U);

  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_THAT(text, testing::HasSubstr("127.0.0.1:1")) << "it does log";
  for (const std::string& trace : {address, payments[0], payments[1], pending, std::string("12345678"),
                                   std::string("0.12345678"), std::string("0.87654321"), std::string("0.23456789")}) {
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(trace)));
  }
}

}  // namespace
}  // namespace spv::test
