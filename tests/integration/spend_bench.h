// SpendBench: a wallet with money on a node of its own, held by spv and by bitcoind's wallet at once; spv pays.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {

using Words = std::vector<std::string>;

class SpendBench {
 public:
  /// Accounts of one script type, or of all.
  explicit SpendBench(const std::string& script = "all");

  /// One for all tests of a script type: to start a node takes longer than most of them.
  static SpendBench& shared(const std::string& script);

  /// Pays this much to `count` new addresses of each of the wallet's types, in a block, and syncs.
  void fund(int count, std::int64_t amount_sat);
  /// Runs a command without looking at how it ends.
  ProcessResult run(Words words) { return cli.run(std::move(words)); }
  /// Pays with the node as the only peer and gives the JSON; throws unless it ended with 0.
  boost::json::value pay(Words words);
  boost::json::value dry_run(Words words);
  /// Syncs with the mempool if something of ours waits in it.
  void sync();
  /// What testmempoolaccept says of raw hex.
  boost::json::value verdict(const boost::json::value& hex);
  [[nodiscard]] bool in_mempool(const std::string& txid);
  void mine(int count = 1);

  Bitcoind node;
  SpvCli cli;
  SameKeys keys;

 private:
  Words types_;
};

std::string text_of(const boost::json::value& value);
/// "txid:vout" of an input or of a coin.
std::string outpoint_of(const boost::json::value& coin);
/// A script type as the name of a test.
inline std::string script_name(const testing::TestParamInfo<const char*>& script) {
  return script.param == std::string("sh-wpkh") ? "sh_wpkh" : script.param;
}
/// Adds words to a command.
Words joined(Words words, const Words& more);

}  // namespace spv::test
