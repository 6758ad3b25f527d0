// What the tests of the command's contract share: one node and one wallet that serve all of its rows, a schema for
// JSON documents, and a note of every command, option and choice that was tried.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"

namespace spv::test {

/// Compares a document with a schema, which is JSON too: names with the kind of their values.
/// "int", "number", "text", "bool", "hash" (64 hex digits), "null"; with '?' null is fine too. [x]: at least one, all
/// of that kind. In an object "+" allows further names: the contract may be added to.
void compare(const boost::json::value& value, const boost::json::value& schema, const std::string& at);
/// The same for what a program printed, which must be one line.
void expect_schema(const std::string& text, const std::string& schema, const std::string& name);

class Contract : public testing::Test {
 protected:
  static constexpr std::int64_t kBtc = 100'000'000;

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override { SPV_BITCOIND_OR_SKIP(); }

  /// Runs the program on the wallet of the suite and notes what was tried.
  static ProcessResult spv(const std::vector<std::string>& arguments, const std::string& input = {});
  /// Notes arguments that were given to the program in another way.
  static void note(const std::vector<std::string>& arguments);
  /// "balance", "filter add": all that users have.
  static std::set<std::string> commands();

  static std::string path(const std::string& name) { return (cli_->folder() / name).string(); }
  static std::vector<std::string> to_node() { return {"sync", "--connect", node_->address(), "--mempool-wait", "0"}; }

  static Bitcoind* node_;
  static SpvCli* cli_;
  static SameKeys* keys_;
  static std::string spend_;  // a confirmed transaction whose inputs are ours
};

}  // namespace spv::test
