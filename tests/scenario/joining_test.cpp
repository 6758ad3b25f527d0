// Wallets that come and go while the client runs, and an orderly end: each is scanned for what it lacks, nobody for
// more.
#include "tests/scenario/sync_scenario.h"
#include "util/hex.h"

namespace spv::test {
namespace {

class Joining : public SyncScenario {
 protected:
  Joining() { options.follow = true; }
  static util::Bytes others_script() { return p2wpkh(util::Bytes(20, 0x77)); }
  static wallet::Wallet other_wallet(chain::Height birthday) {
    wallet::WalletConfig config;
    const auto text = "raw(" + util::to_hex(others_script()) + ")";
    config.key_chains.push_back(
        {wallet::Descriptor::parse(text, chain::params(chain::Network::Regtest)).value().front(), false});
    config.birthday = birthday;
    return {config, wallet::Wallet::fresh_state(config)};
  }
  /// One payment to the first wallet, two to the other.
  ChainBuilder story() {
    return ChainBuilder()
        .blocks(9)
        .pays(receive(0), 5)
        .blocks(35)
        .pays(others_script(), 70)
        .blocks(9)
        .pays(others_script(), 700)
        .blocks(5);
  }
};

TEST_F(Joining, AWalletThatComesLaterIsScannedForFromItsBirthdayAlone) {
  auto& node = add_node(story());
  sync();
  auto late = other_wallet(40);
  sim().add_wallet(2, late);
  sim().run_for(seconds(30));
  EXPECT_EQ(late.balance().confirmed, 770);
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(each_asked(node.fake, 1, 39, 1));
  EXPECT_TRUE(each_asked(node.fake, 40, story().height(), 2));
  EXPECT_EQ(events<sync::Finished>().size(), 2U) << "the end is told again";
}

TEST_F(Joining, AWalletThatComesInTheMiddleOfTheScanMissesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    start_anew(seed);
    options.spacing = milliseconds(5);
    auto late = other_wallet(1);
    add_node(story());
    sim().after(milliseconds(40 * static_cast<int>(seed)), [&] { sim().add_wallet(2, late); });
    sync();
    sim().run_for(seconds(30));
    ASSERT_EQ(late.balance().confirmed, 770);
    ASSERT_EQ(difference(), "");
  }
}

// What comes between the two belongs to the first wallet as before, though it is no longer alone.
TEST_F(Joining, AWalletBornLaterTakesNothingFromTheFirstBeforeTheEngineNotices) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    start_anew(seed);
    options.spacing = milliseconds(5);
    auto late = other_wallet(story().height());
    add_node(story());
    sim().after(milliseconds(20 * static_cast<int>(seed)), [&] { sim().add_wallet(2, late, milliseconds(500)); });
    sync();
    sim().run_for(seconds(30));
    ASSERT_EQ(difference(), "");
  }
}

TEST_F(Joining, OneThatHasLeftIsToldNothingMore) {
  add_node(story());
  sync();
  auto other = other_wallet(40);
  sim().add_wallet(2, other);
  sim().run_for(seconds(30));
  sim().remove_wallet(2);
  sim().mine(0, {TxBuilder(50).pays(others_script(), 9).build(), TxBuilder(51).pays(receive(1), 11).build()});
  sim().run_for(seconds(30));
  EXPECT_EQ(other.balance().confirmed, 770);
  EXPECT_EQ(difference(), "");
}

TEST_F(Joining, WhileABranchIsLeftItEndsOnTheNewOne) {
  add_node(story());
  sync();
  auto late = other_wallet(40);
  auto branch = story().at_height(50).salt(3).blocks(3).pays(others_script(), 1'000).blocks(12);
  sim().add_wallet(2, late);
  sim().set_chain(0, branch);
  sim().run_for(std::chrono::minutes(1));
  EXPECT_EQ(late.balance().confirmed, 1'070);
  EXPECT_EQ(difference(), "");
}

TEST_F(Joining, ProgressTellsHowFarItIs) {
  add_node(story());
  sync();
  const auto progress = sim().engine().progress();
  EXPECT_EQ(progress.header_height, story().height());
  EXPECT_TRUE(progress.headers_done);
  EXPECT_EQ(progress.scanned, story().height());
  EXPECT_EQ(progress.headers_added, static_cast<std::uint64_t>(story().height()));
  EXPECT_EQ(progress.ready_peers, 1U);
  EXPECT_EQ(progress.announced_height, story().height());
}

TEST_F(Joining, AnOrderlyEndKeepsAllThatWasVerified) {
  options.spacing = milliseconds(20);
  auto& node = add_node(ChainBuilder().pays(receive(0), 5).blocks(400));
  sim().run_for(seconds(4));
  const auto scanned = sim().engine().progress().scanned;
  ASSERT_GT(scanned, 20);
  ASSERT_LT(scanned, 380);
  sim().shut_down();
  EXPECT_EQ(sim().committed().scan.scanned_to.height, scanned);
  node.fake.seen = {};
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(each_asked(node.fake, 1, scanned, 0));
}

}  // namespace
}  // namespace spv::test
