// What the commands that look at a wallet say before it is scanned, and while it is scanned in part: without a node.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/open_wallet.h"
#include "store/header_file.h"
#include "tests/support/chain_builder.h"
#include "tests/support/spv_cli.h"

namespace spv::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";

class Views : public testing::Test {
 protected:
  Views() : data_(cli_.folder(), chain::Network::Regtest) {}
  void store_headers(const ChainBuilder& chain) {
    const auto& params = chain::params(chain::Network::Regtest);
    const auto file = store::HeaderFile::open(data_.headers().string(), params);
    file->replace_above(0, chain.headers(1), chain.tip().hash,
                        chain::Uint256(2 * (static_cast<std::uint64_t>(chain.height()) + 1)));
    file->flush();
  }
  /// As a sync would have left it at this block.
  void scan_to(const ChainBuilder& chain, chain::Height height) {
    auto open =
        client::open_wallet(client::make_store(data_, chain::Network::Regtest), "default", store::Access::Write);
    wallet::ScanState scan = open.wallet.scan();
    scan.scanned_to = {height, chain.block(height).hash};
    client::commit_changes(open, open.wallet.set_scan(std::move(scan)), 1);
  }

  SpvCli cli_;
  client::DataFolder data_;
};

TEST_F(Views, BeforeTheFirstScanWhatIsNotKnownIsNull) {
  cli_.json({"watch", "--address", kAddress});
  const auto balance = cli_.json({"balance"});
  for (const char* name : {"height", "tip", "headers", "time", "rescan"})
    EXPECT_TRUE(balance.at(name).is_null()) << name;
  EXPECT_EQ(balance.at("complete"), json::value(false));
  const auto status = cli_.json({"status"});
  for (const char* name : {"height", "tip", "headers_from", "chain_work", "tip_time", "scanned_to", "rescan"}) {
    EXPECT_TRUE(status.at(name).is_null()) << name;
  }
  EXPECT_EQ(status.at("complete"), json::value(false));
  EXPECT_EQ(json::serialize(status).find("-1"), std::string::npos) << status;
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("nothing scanned yet; run spv sync\n"));
  EXPECT_THAT(cli_.run({"status"}).out, HasSubstr("scanned to  nothing scanned yet; run spv sync\n"));
}

TEST_F(Views, ABirthdayThatIsADateHasNoHeightYet) {
  cli_.json({"create"});
  const auto status = cli_.json({"status"});
  EXPECT_TRUE(status.at("birthday").is_null() || status.at("birthday").as_int64() >= 0);
}

TEST_F(Views, AfterAnInterruptedSyncTheBalanceSaysThatBlocksAreMissing) {
  const auto chain = ChainBuilder().blocks(40);
  cli_.json({"watch", "--address", kAddress});
  store_headers(chain);
  scan_to(chain, 25);
  const auto partial = cli_.json({"balance"});
  EXPECT_EQ(partial.at("height"), json::value(25));
  EXPECT_EQ(partial.at("headers"), json::value(40));
  EXPECT_EQ(partial.at("complete"), json::value(false));
  const std::string words = "incomplete: 26 of 41 blocks scanned; run spv sync to continue\n";
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr(words));
  EXPECT_THAT(cli_.run({"status"}).out, HasSubstr(words));

  scan_to(chain, 40);
  EXPECT_EQ(cli_.json({"balance"}).at("complete"), json::value(true));
  EXPECT_THAT(cli_.run({"balance"}).out, Not(HasSubstr("incomplete")));
  EXPECT_EQ(cli_.json({"status"}).at("complete"), json::value(true));
}

TEST_F(Views, APendingRescanIsInTheStatusToo) {
  const auto chain = ChainBuilder().blocks(40);
  cli_.json({"watch", "--address", kAddress});
  store_headers(chain);
  scan_to(chain, 40);
  cli_.json({"rescan", "--from", "11"});
  for (const char* command : {"balance", "status"}) {
    const auto document = cli_.json({command});
    EXPECT_EQ(document.at("rescan"), json::parse(R"({"from":11,"to":40})")) << command;
    EXPECT_EQ(document.at("complete"), json::value(false)) << command;
  }
  EXPECT_THAT(cli_.run({"status"}).out, HasSubstr("blocks 11 to 40 pending"));
  EXPECT_THAT(cli_.run({"balance"}).out, HasSubstr("rescan of blocks 11 to 40 pending"));
}

TEST_F(Views, DamagedHeadersDoNotHideTheBalance) {
  cli_.json({"watch", "--address", kAddress});
  std::ofstream(data_.headers()) << "not headers";
  EXPECT_EQ(cli_.run({"balance"}).exit_code, 0);
}

TEST_F(Views, AnAddressThatIsWatchedTwiceIsListedOnce) {
  const std::string address = kAddress;
  ASSERT_EQ(cli_.run({"watch", "--address", address, "--descriptor", "addr(" + address + ")"}).exit_code, 0);
  EXPECT_EQ(cli_.json({"addresses"}).at("addresses").as_array().size(), 1U);
  EXPECT_EQ(cli_.json({"descriptors"}).as_array().size(), 1U);
}

TEST_F(Views, AnIdThatIsNoneIsRefusedInPlainWords) {
  cli_.json({"watch", "--address", kAddress});
  const auto result = cli_.run({"tx", "x"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "error: invalid txid 'x': give 64 hex digits or at least the first 8\n");
  EXPECT_THAT(cli_.run({"tx", "deadbeef…"}).err,
              HasSubstr("transaction deadbeef… is not in this wallet; see spv history"))
      << "as a narrow window shows it";
}

TEST_F(Views, ADescriptorWithoutAKeySaysSo) {
  const auto nonsense = cli_.run({"watch", "--descriptor", "wpkh(nonsense)"});
  EXPECT_EQ(nonsense.exit_code, 1);
  EXPECT_THAT(nonsense.err, HasSubstr("\"nonsense\" is not a key: give a public key in hex, or an extended key (tpub"));
}

TEST_F(Views, AStoredBalanceIsShownLikeOneThatIsComputed) {
  const auto chain = ChainBuilder().blocks(30);
  cli_.json({"watch", "--address", kAddress});
  store_headers(chain);
  scan_to(chain, 20);
  const auto text = cli_.run({"balance"}).out;
  const auto document = cli_.json({"balance"});
  const auto store = client::make_store(data_, chain::Network::Regtest);
  EXPECT_FALSE(store->balance("default"));
  {
    auto open = client::open_wallet(store, "default", store::Access::Write);
    client::keep_balance(open);
  }
  ASSERT_TRUE(store->balance("default"));
  EXPECT_EQ(cli_.run({"balance"}).out, text);
  EXPECT_EQ(cli_.json({"balance"}), document);
  scan_to(chain, 30);
  EXPECT_EQ(cli_.json({"balance"}).at("height"), json::value(30));
}

}  // namespace
}  // namespace spv::test
