// Payments of the wallet's own making and frozen coins, as the file keeps them.
#include <gtest/gtest.h>

#include "store/schema.h"
#include "store/wallet_repository.h"
#include "tests/store/wallet_repository_samples.h"

namespace spv::store {
namespace {

using Kind = StoreError::Kind;
using Mode = WalletRepository::Mode;
using test::TxBuilder;
using wallet::SendState;

class SendingStore : public ::testing::Test {
 protected:
  SendingStore() {
    auto config = test::sample_config(2);
    wallet::Wallet wallet(config, wallet::Wallet::fresh_state(config));
    WalletRepository::Contents contents{config, wallet::Wallet::fresh_state(config)};
    auto file = WalletRepository::create(path_, contents, test::kWatchOnly, std::nullopt);
    auto changes = test::confirm(wallet, coin_, 10);
    changes.merge(wallet.set_scan(test::scanned_to(100)));
    file.commit(changes);
  }
  WalletRepository open(Mode mode) { return WalletRepository::open(path_, mode); }
  wallet::Wallet load() {
    auto loaded = open(Mode::ReadOnly).load();
    return {loaded.config, loaded.state};
  }
  void change(const std::function<wallet::Changes(wallet::Wallet&)>& step) {
    auto file = open(Mode::ReadWrite);
    auto loaded = file.load();
    wallet::Wallet wallet(loaded.config, loaded.state);
    file.commit(step(wallet));
  }
  void add(SendState state) {
    change([&](wallet::Wallet& wallet) { return wallet.add_own(payment_, state, test::kNow).value(); });
  }
  std::string ref() const { return util::to_string(coin_.txid()) + ":0"; }

  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
  const chain::Transaction coin_ = TxBuilder().pays(test::receive_script(0), 5'000).build();
  const chain::Transaction payment_ =
      TxBuilder().spends(coin_).sequence(0xFFFF'FFFD).pays(test::change_script(0), 4'000).build();
};

TEST_F(SendingStore, EveryStateComesBackAndItsCoinsAreStillReserved) {
  for (const auto state :
       {SendState::NotSent, SendState::Announced, SendState::Fetched, SendState::Accepted, SendState::Uncertain}) {
    std::filesystem::copy_file(path_, folder_.file("kept"), std::filesystem::copy_options::overwrite_existing);
    add(state);
    auto wallet = load();
    ASSERT_TRUE(wallet.find(payment_.txid())->sending);
    EXPECT_EQ(wallet.find(payment_.txid())->sending->state, state);
    const auto again = TxBuilder().spends(coin_).pays(test::foreign_script(), 1).build();
    EXPECT_FALSE(wallet.add_own(again, SendState::Announced, test::kNow)) << to_string(state);
    std::filesystem::copy_file(folder_.file("kept"), path_, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(SendingStore, ProgressAndAbandoningAreKept) {
  add(SendState::Announced);
  change([&](wallet::Wallet& wallet) { return wallet.set_send_state(payment_.txid(), SendState::Uncertain, 0); });
  EXPECT_EQ(load().find(payment_.txid())->sending->state, SendState::Uncertain);
  change([&](wallet::Wallet& wallet) { return wallet.abandon(payment_.txid()).value(); });
  EXPECT_EQ(load().balance().total(), 5'000);
  EXPECT_TRUE(load().coins().at(0).spendable);
  change([&](wallet::Wallet& wallet) { return test::see(wallet, payment_); });
  EXPECT_EQ(load().find(payment_.txid())->sending,
            (wallet::Sending{.state = SendState::Accepted, .peers_accepted = 1}));
  EXPECT_EQ(load().balance().total(), 4'000);
}

TEST_F(SendingStore, S6_AChangedSendStateIsNoticed) {
  add(SendState::Announced);
  Database(path_, Mode::ReadWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto original = test::read_file(path_);
  for (const char* damage :
       {"send_state = 5", "send_state = 6", "send_state = -1", "send_state = 256 + 1", "send_state = NULL",
        "peers_accepted = NULL", "peers_accepted = 1", "peers_accepted = -1", "peers_accepted = 4294967296",
        "send_state = NULL, peers_accepted = NULL", "send_state = 1 << 32"}) {
    test::write_file(path_, original);
    Database(path_, Mode::ReadWrite).execute("UPDATE tx SET " + std::string(damage) + " WHERE send_state = 1");
    EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadOnly).load()); }), Kind::Corrupt) << damage;
  }
  test::write_file(path_, original);
  Database(path_, Mode::ReadWrite).execute("UPDATE tx SET send_state = 3, peers_accepted = 1 WHERE send_state IS NULL");
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadOnly).load()); }), Kind::Corrupt)
      << "a stranger's is not ours";
}

TEST_F(SendingStore, ACoinThatALabelForbidsIsFrozenForWhoLoadsAndWhoAsks) {
  auto follower = open(Mode::ReadWrite);
  auto shared = open(Mode::Shared);
  shared.change_labels({{.kind = wallet::LabelKind::Output, .ref = ref(), .spendable = false},
                        {.kind = wallet::LabelKind::Output, .ref = "aa:0", .spendable = false},
                        {.kind = wallet::LabelKind::Tx, .ref = util::to_string(coin_.txid()), .text = "rent"}});
  EXPECT_EQ(follower.frozen(), std::vector{test::outpoint(coin_)});
  EXPECT_TRUE(load().coins().at(0).frozen);
  EXPECT_FALSE(load().add_own(payment_, SendState::NotSent, test::kNow));
  shared.change_labels({{.kind = wallet::LabelKind::Output, .ref = ref(), .spendable = true}});
  EXPECT_TRUE(follower.frozen().empty());
  EXPECT_TRUE(load().coins().at(0).spendable);
}

TEST_F(SendingStore, S6_ALostFreezeIsNoticedBeforeTheCoinIsSpent) {
  open(Mode::Shared).change_labels({{.kind = wallet::LabelKind::Output, .ref = ref(), .spendable = false}});
  Database(path_, Mode::ReadWrite).execute("DELETE FROM label");
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadOnly).load()); }), Kind::Corrupt);
}

}  // namespace
}  // namespace spv::store
