// A program that runs out of memory in the middle of a sync: it ends with an error, stops at once, or goes on, and
// never with a wrong balance. 40 places in every run, 1,000 with SPV_LONG_TESTS=1.
#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/long_tests.h"

namespace spv::test {
namespace {

class NoMemory : public testing::Test {
 protected:
  /// Syncs a copy of the wallet that was never synced, with the allocation of this number failing.
  ProcessResult sync_with_little(const std::string& folder, const std::string& peer, std::uint64_t allocation) {
    ProcessOptions options;
    options.environment = {{"LD_PRELOAD", SPV_FAILING_MALLOC}, {"SPV_TEST_FAIL_MALLOC", std::to_string(allocation)}};
    options.timeout = std::chrono::minutes(5);  // one that hangs is told from one that is slow
    if (allocation % 2 == 0) options.environment.emplace_back("SPV_TEST_FAIL_FOREVER", "1");
    return run({SpvCli::binary(), "--regtest", "--datadir", folder, "sync", "--connect", peer, "--mempool-wait", "0"},
               options);
  }
  static boost::json::value balance(const std::string& folder) {
    return boost::json::parse(run({SpvCli::binary(), "--regtest", "--datadir", folder, "balance", "--json"}).out);
  }
};

TEST_F(NoMemory, S11_ASyncWithoutMemoryEndsInAnErrorAndNeverWithAWrongBalance) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node;
  SpvCli cli;
  SameKeys keys(node, cli, "wpkh");
  node.mine(101);
  node.send(keys.receive_address("bech32"), 12'345'678);
  node.mine(10);
  std::uint64_t refused = 0;
  const std::uint64_t places = repeats(40, 1'000);
  for (std::uint64_t n = 0; n < places; ++n) {
    const TempDir copy;
    const std::string folder = copy.file("data");
    std::filesystem::copy(cli.folder(), folder, std::filesystem::copy_options::recursive);
    // Close together at the start, where there are most kinds of them.
    const auto allocation = 1 + n + n * n * 16'000 / (places * places);
    const auto result = sync_with_little(folder, node.address(), allocation);
    // Before main() and within libcrypto there is nobody to tell: there it stops at once, with a line that says why.
    EXPECT_TRUE(result.exit_code <= 4 || (result.exit_code == 134 && !result.err.empty()))
        << "allocation " << allocation << ": " << result.exit_code << " " << result.err.substr(0, 500);
    if (result.exit_code != 0) ++refused;
    const auto left = balance(folder);
    const bool scanned = left.at("height").is_int64() && left.at("height").as_int64() >= 102;
    EXPECT_EQ(left.at("total_sat").as_int64(), scanned ? 12'345'678 : 0) << "allocation " << allocation;
    ASSERT_EQ(sync_with_little(folder, node.address(), 1'000'000'000).exit_code, 0) << "allocation " << allocation;
    EXPECT_EQ(balance(folder).at("total_sat").as_int64(), 12'345'678);
  }
  RecordProperty("faults", static_cast<int>(refused));
  EXPECT_GT(refused, 5U);
}

}  // namespace
}  // namespace spv::test
