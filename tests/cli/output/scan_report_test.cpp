#include "cli/output/scan_report.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "chain/params.h"
#include "tests/support/chain_builder.h"
#include "wallet/birthday.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

using report::attested_json;
using report::rescan_json;
using report::scan_progress;
using test::ChainBuilder;
using wallet::ScanState;

class ScanReport : public testing::Test {
 protected:
  static wallet::Wallet wallet_with(const ScanState& scan, chain::Height birthday = 0) {
    wallet::WalletConfig config;
    config.network = chain::Network::Regtest;
    config.birthday = birthday;
    auto state = wallet::Wallet::fresh_state(config);
    if (!scan.scanned_to.hash.is_zero()) state.scan = scan;
    return {std::move(config), std::move(state)};
  }
  static std::unique_ptr<chain::MemoryHeaderStore> headers_of(const ChainBuilder& chain) {
    auto store = std::make_unique<chain::MemoryHeaderStore>(0, chain.header(0), chain::Uint256(2));
    store->replace_above(0, chain.headers(1), chain.tip().hash, chain::Uint256(2));
    return store;
  }
  static ScanState scanned_to(const ChainBuilder& chain, chain::Height height) {
    ScanState scan;
    scan.scanned_to = {height, chain.block(height).hash};
    return scan;
  }

  const ChainBuilder chain_ = ChainBuilder().blocks(30);
};

TEST_F(ScanReport, BeforeTheFirstScanNothingIsComplete) {
  const auto wallet = wallet_with({});
  for (const auto& headers : {headers_of(chain_), std::unique_ptr<chain::MemoryHeaderStore>()}) {
    const auto progress = scan_progress(wallet, headers.get());
    EXPECT_FALSE(progress.complete);
    EXPECT_EQ(progress.scanned, 0U);
    EXPECT_EQ(progress.headers.has_value(), headers != nullptr);
    EXPECT_EQ(incomplete_text(wallet, progress), "nothing scanned yet; run spv sync");
  }
}

TEST_F(ScanReport, AnInterruptedScanSaysHowManyBlocksAreMissing) {
  const auto wallet = wallet_with(scanned_to(chain_, 19), 10);
  const auto progress = scan_progress(wallet, headers_of(chain_).get());
  EXPECT_FALSE(progress.complete);
  EXPECT_EQ(progress.headers, 30);
  EXPECT_EQ(incomplete_text(wallet, progress), "incomplete: 10 of 21 blocks scanned; run spv sync to continue");
}

TEST_F(ScanReport, AtTheTipItIsComplete) {
  const auto wallet = wallet_with(scanned_to(chain_, 30));
  const auto progress = scan_progress(wallet, headers_of(chain_).get());
  EXPECT_TRUE(progress.complete);
  EXPECT_EQ(progress.scanned, 31U);
  EXPECT_EQ(incomplete_text(wallet, progress), "");
}

TEST_F(ScanReport, APendingRescanIsNotComplete) {
  auto scan = scanned_to(chain_, 30);
  scan.backfill = wallet::HeightRange{21, 30};
  const auto wallet = wallet_with(scan);
  const auto progress = scan_progress(wallet, headers_of(chain_).get());
  EXPECT_FALSE(progress.complete);
  EXPECT_EQ(incomplete_text(wallet, progress), "incomplete: 21 of 31 blocks scanned; run spv sync to continue");
  EXPECT_EQ(rescan_json(wallet), boost::json::parse(R"({"from":21,"to":30})"));
  EXPECT_NE(standing_text(wallet).find("; rescan of blocks 21 to 30 pending"), std::string::npos);
}

TEST_F(ScanReport, BlocksThatAreToBeScannedAgainAreNotCalledScanned) {
  auto scan = scanned_to(chain_, 30);
  scan.backfill = wallet::HeightRange{10, 30};
  EXPECT_EQ(attested_text(wallet_with(scan)), "10 blocks scanned, each answered by one peer");
  EXPECT_EQ(boost::json::value(attested_json(wallet_with(scan))),
            boost::json::parse(R"({"blocks":10,"by_one":10,"by_two":0,"whole":0})"));
  scan.attested.add_whole(3);
  EXPECT_EQ(boost::json::value(attested_json(wallet_with(scan))),
            boost::json::parse(R"({"blocks":10,"by_one":9,"by_two":0,"whole":1})"));
  scan.backfill = wallet::HeightRange{0, 30};
  EXPECT_EQ(attested_text(wallet_with(scanned_to(chain_, 30), 10)), "21 blocks scanned, each answered by one peer");
  scan.attested = {};
  EXPECT_EQ(attested_text(wallet_with(scan, 10)), "0 blocks scanned") << "also if it begins before the birthday";
}

TEST_F(ScanReport, UntilTheChainReachesTheBirthdayNothingIsComplete) {
  const auto early = wallet_with(scanned_to(chain_, 30), 40);
  for (const auto& headers : {headers_of(chain_), std::unique_ptr<chain::MemoryHeaderStore>()}) {
    const auto progress = scan_progress(early, headers.get());
    EXPECT_FALSE(progress.complete);
    EXPECT_EQ(incomplete_text(early, progress), "incomplete: " + wallet::above_tip_text(40, 30));
  }
  EXPECT_EQ(attested_text(early), "0 blocks scanned since the birthday");
  const auto next = wallet_with(scanned_to(chain_, 30), 31);
  EXPECT_TRUE(scan_progress(next, headers_of(chain_).get()).complete) << "it begins with the next block";
  EXPECT_EQ(attested_text(next), "0 blocks scanned");
  const auto longer = ChainBuilder(chain_).blocks(20);
  const auto reached = wallet_with(scanned_to(longer, 50), 40);
  EXPECT_TRUE(scan_progress(reached, headers_of(longer).get()).complete);
  EXPECT_EQ(attested_text(reached), "11 blocks scanned, each answered by one peer");
}

TEST_F(ScanReport, ABlockThatLeftTheChainIsNotScanned) {
  auto scan = scanned_to(chain_, 30);
  std::vector<chain::BlockRef> anchors;
  for (const chain::Height height : {8, 24, 28}) anchors.push_back({height, chain_.block(height).hash});
  scan.anchors = anchors;
  const auto other = chain_.at_height(25).blocks(5);
  const auto progress = scan_progress(wallet_with(scan), headers_of(other).get());
  EXPECT_FALSE(progress.complete) << "another wallet's sync has followed the reorg";
  EXPECT_EQ(progress.scanned, 25U) << "up to the anchor at 24";
  EXPECT_EQ(progress.blocks, 31U);
}

TEST_F(ScanReport, HeadersThatAreMissingOrBehindTakeNothingAway) {
  const auto wallet = wallet_with(scanned_to(chain_, 30));
  EXPECT_TRUE(scan_progress(wallet, nullptr).complete);
  EXPECT_FALSE(scan_progress(wallet, nullptr).headers);
  EXPECT_TRUE(scan_progress(wallet, headers_of(chain_.at_height(12)).get()).complete);
}

TEST_F(ScanReport, SaysHowManyPeersAnsweredForEachBlock) {
  auto scan = scanned_to(chain_, 30);
  EXPECT_EQ(attested_text(wallet_with(scan)), "31 blocks scanned, each answered by one peer");
  scan.attested.add_by_two(3);
  scan.attested.add_whole(4);
  EXPECT_EQ(attested_text(wallet_with(scan)),
            "31 blocks scanned: 29 answered by one peer, 1 by two peers, 1 downloaded whole");
  EXPECT_EQ(attested_text(wallet_with({})), "0 blocks scanned");
  EXPECT_EQ(standing_text(wallet_with(scan)), "as of block 30");
  scan.peers = 1;
  EXPECT_EQ(standing_text(wallet_with(scan)), "as of block 30, reported by 1 peer");
}

}  // namespace
}  // namespace spv::cli
