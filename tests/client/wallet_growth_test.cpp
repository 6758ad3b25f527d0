#include "client/wallet_growth.h"

#include <set>

#include <gtest/gtest.h>

#include "client/new_wallet.h"
#include "client/open_wallet.h"
#include "tests/client/client_fixture.h"
#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"
#include "wallet/key_ring.h"
#include "wallet/wallet.h"

namespace spv::client {
namespace {

store::WalletContents two_chains(chain::Height birthday, chain::Height scanned_to) {
  auto config = test::sample_config(2);
  config.birthday = birthday;
  auto state = wallet::Wallet::fresh_state(config);
  state.scan.scanned_to = test::block_at(scanned_to);
  return {.config = config, .state = state};
}

std::vector<wallet::KeyChainConfig> one_script() {
  return {{wallet::Descriptor::parse("raw(51)", chain::params(test::sample_config(2).network))->front(), false}};
}

TEST(WalletGrowth, AHigherGapLimitWatchesMoreAndOwesEveryBlock) {
  const auto before = two_chains(5, 100);
  const auto after = grown(before, {.gap_limit = 4});
  EXPECT_EQ(after.config.gap_limit, 4U);
  EXPECT_EQ(before.state.key_chains[0].watched, 20U);
  EXPECT_EQ(after.state.key_chains[0].watched, 40U);
  EXPECT_EQ(after.state.scan.backfill, (wallet::HeightRange{.from = 5, .to = 100}));
  EXPECT_EQ(after.state.scan.scanned_to, before.state.scan.scanned_to);
}

TEST(WalletGrowth, WhatIsHeldMayPayAScriptThatIsWatchedOnlyNow) {
  auto before = two_chains(5, 100);
  wallet::Wallet wallet(before.config, before.state);
  test::confirm(wallet, test::TxBuilder().pays(test::receive_script(1), 5).pays(test::receive_script(30), 7).build(),
                50);
  for (const auto& entry : wallet.history()) before.state.transactions.push_back(*wallet.find(entry.txid));
  before.state.key_chains[0].last_used = 1;
  const auto after = grown(before, {.gap_limit = 4});
  EXPECT_EQ(after.state.key_chains[0].last_used, 30U);
  EXPECT_GE(after.state.key_chains[0].watched, 34U);
}

TEST(WalletGrowth, WhatIsNewOwesBlocksFromItsOwnBirthday) {
  EXPECT_EQ(grown(two_chains(5, 100), {.chains = one_script()}).state.scan.backfill,
            (wallet::HeightRange{.from = 5, .to = 100}));
  EXPECT_EQ(grown(two_chains(5, 100), {.chains = one_script(), .birthday = 60}).state.scan.backfill,
            (wallet::HeightRange{.from = 60, .to = 100}));
  const auto earlier = grown(two_chains(50, 100), {.chains = one_script(), .birthday = 20});
  EXPECT_EQ(earlier.config.birthday, 20);
  EXPECT_EQ(earlier.state.scan.backfill, (wallet::HeightRange{.from = 20, .to = 100}));
  EXPECT_EQ(grown(two_chains(5, 100), {.chains = one_script(), .birthday = 101}).state.scan.backfill, std::nullopt);
  auto owing = two_chains(5, 100);
  owing.state.scan.backfill = wallet::HeightRange{.from = 30, .to = 90};
  EXPECT_EQ(grown(owing, {.chains = one_script(), .birthday = 60}).state.scan.backfill,
            (wallet::HeightRange{.from = 30, .to = 100}));
}

TEST(WalletGrowth, AHigherGapLimitConcernsTheOldChainsToo) {
  EXPECT_EQ(grown(two_chains(5, 100), {.gap_limit = 4, .chains = one_script(), .birthday = 60}).state.scan.backfill,
            (wallet::HeightRange{.from = 5, .to = 100}));
}

TEST(WalletGrowth, ABirthdayAboveTheTipKeepsWhatIsScanned) {
  const auto before = two_chains(500, 148);
  const auto same = grown(before, {.chains = one_script()});
  EXPECT_EQ(same.state.scan.scanned_to, before.state.scan.scanned_to);
  EXPECT_EQ(same.state.scan.backfill, std::nullopt);
  const auto earlier = grown(before, {.chains = one_script(), .birthday = 20});
  EXPECT_EQ(earlier.config.birthday, 20);
  EXPECT_EQ(earlier.state.scan.backfill, (wallet::HeightRange{.from = 20, .to = 148}));
}

TEST(WalletGrowth, AChainThatSharesAScriptWithAnAddressKnowsWhatIsUsed) {
  auto before = two_chains(5, 100);
  const auto chains = before.config.key_chains;
  before.config.key_chains = {
      {test::parse_descriptors("raw(" + util::to_hex(test::receive_script(3)) + ")").front(), false}};
  before.state.key_chains = {wallet::KeyRing::fresh_state(before.config.key_chains[0].descriptor, 2)};
  wallet::Wallet wallet(before.config, before.state);
  test::confirm(wallet, test::TxBuilder().pays(test::receive_script(3), 5).build(), 50);
  before.state.transactions.push_back(wallet.transactions().front());
  EXPECT_EQ(grown(before, {.chains = chains}).state.key_chains[1].last_used, 3U);
}

TEST(WalletGrowth, AWalletThatHasSeenNothingOwesNothing) {
  auto unseen = two_chains(50, 49);
  unseen.state.scan.scanned_to.hash = {};
  const auto fresh = grown(unseen, {.chains = one_script(), .birthday = 20});
  EXPECT_EQ(fresh.config.birthday, 20);
  EXPECT_EQ(fresh.state.scan.scanned_to.height, 19);
  EXPECT_EQ(fresh.state.scan.backfill, std::nullopt);
  EXPECT_EQ(fresh.state.key_chains.size(), 3U);
  auto dated = two_chains(0, -1);
  dated.config.birthday_time = 1'700'000'000;
  EXPECT_EQ(grown(dated, {.chains = one_script()}).config.birthday_time, 1'700'000'000);
  const auto settled = grown(dated, {.chains = one_script(), .birthday = 20});
  EXPECT_EQ(settled.config.birthday_time, std::nullopt);
  EXPECT_LE(settled.config.birthday, 20);
}

class BesideAClient : public test::ClientTest {};

TEST_F(BesideAClient, AddressesThatAnotherProcessHandsOutAreNotHandedOutAgain) {
  Client client = open();
  const char* const xpub =
      "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
  WatchOptions watch;
  watch.descriptors = {"wpkh(" + std::string(xpub) + "/<0;1>/*)"};
  ASSERT_TRUE(client.watch_wallet("shared", watch));
  const DataFolder folder(options().data_dir, chain::Network::Regtest);
  const auto& params = chain::params(chain::Network::Regtest);
  std::set<std::string> handed_out;
  for (int i = 0; i < 6; ++i) {
    const auto ours = client.address("shared", true);
    ASSERT_TRUE(ours);
    EXPECT_TRUE(handed_out.insert(ours->address).second);
    auto other = open_wallet(make_store(folder, chain::Network::Regtest), "shared", store::Access::Shared);
    const auto issued = other.wallet.issue_address(false, true);
    ASSERT_TRUE(issued && other.stored->issue(issued->entry.chain, issued->entry.index));
    EXPECT_TRUE(handed_out.insert(*wallet::address_of_script(issued->entry.script, params)).second);
  }
  EXPECT_EQ(handed_out.size(), 12U);
}

TEST_F(BesideAClient, APrivateKeyIsNotWatched) {
  Client client = open();
  WatchOptions watch;
  watch.descriptors = {
      "wpkh("
      "tprv8ZgxMBicQKsPeDgjzdC36fs6bMjGApWDNLR9erAXMs5skhMv36j9MV5ecvfavji5khqjWaWSFhN3YcCUUdiKH6isR4Pwy3U5y5egddBr1"
      "6m/0/*)"};
  const auto refused = client.watch_wallet("secret", watch);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("private key"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace spv::client
