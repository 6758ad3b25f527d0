// Bad input and useless peers: the right error, the right exit code, and nothing changed.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/vectors.h"
#include "util/hash.h"

namespace spv::test {
namespace {

/// Every file below a folder with the hash of its content; but not the lock, which names the last process, nor the
/// headers, which belong to no wallet.
std::map<std::string, std::string> snapshot(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto& path = entry.path();
    if (!entry.is_regular_file() || path.extension() == ".lock" || path.filename() == "headers.dat") continue;
    files[path.string()] = util::to_string(util::sha256(util::as_bytes(read_text(path.string()))));
  }
  return files;
}

class Refusal : public testing::Test {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, int exit_code, const std::string& words,
                      const std::string& input = {}) {
    const auto before = snapshot(cli_.folder());
    const auto result = cli_.run(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("error: ", 0), 0U) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(snapshot(cli_.folder()), before);
  }
  void restore() { cli_.json({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic); }

  SpvCli cli_;
};

TEST_F(Refusal, OfAMnemonicWithAWrongChecksum) {
  expect_refused({"restore", "--mnemonic-file", "-"}, 1, "checksum",
                 "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon");
}

TEST_F(Refusal, OfAMnemonicWithAnUnknownWord) {
  expect_refused({"restore", "--mnemonic-file", "-"}, 1, "bitcoinz",
                 "abandon abandon abandon abandon abandon bitcoinz abandon abandon abandon abandon abandon about");
}

TEST_F(Refusal, OfAMissingMnemonicFile) {
  expect_refused({"restore", "--mnemonic-file", "/nonexistent/words"}, 1, "/nonexistent/words");
}

TEST_F(Refusal, OfAnAddressOfAnotherNetwork) {
  expect_refused({"watch", "--address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, 1, "main");
}

TEST_F(Refusal, ToOverwriteAWallet) {
  restore();
  expect_refused({"restore", "--mnemonic-file", "-"}, 1, "exists", SameKeys::kMnemonic);
}

TEST_F(Refusal, ToSyncAWalletThatIsNotThere) { expect_refused({"sync", "--connect", "127.0.0.1:1"}, 4, "spv list"); }

TEST_F(Refusal, OfAnUnreachablePeer) {
  restore();
  expect_refused({"sync", "--connect", "127.0.0.1:1"}, 3, "127.0.0.1:1");
}

TEST_F(Refusal, OfAPeerWithoutBloomFilters) {
  SPV_BITCOIND_OR_SKIP();
  BitcoindOptions options;
  options.bloom_filters = false;
  Bitcoind node(options);
  node.mine(3);
  restore();
  expect_refused({"sync", "--connect", node.address()}, 3, "peerbloomfilters=1");
}

TEST_F(Refusal, OfBadUsage) {
  expect_refused({"sinc"}, 2, "sinc");
  expect_refused({"sync", "--connect", "host:port"}, 2, "host:port");
  expect_refused({"restore"}, 2, "--mnemonic-file");
  expect_refused({"-w", "../up", "balance"}, 2, "../up");
}

TEST_F(Refusal, IsJsonForPrograms) {
  const auto result = cli_.run({"balance", "--json"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out, "");
  const auto document = boost::json::parse(result.err);
  EXPECT_FALSE(document.at("error").at("code").as_string().empty());
  EXPECT_FALSE(document.at("error").at("message").as_string().empty());
}

}  // namespace
}  // namespace spv::test
