// The stored balance: it is that of the wallet as the file holds it, or there is none.
#include "store/stored_balance.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "store/file_store.h"
#include "store/schema.h"
#include "tests/store/wallet_repository_samples.h"
#include "tests/support/fault_vfs.h"
#include "util/rng.h"

namespace spv::store {
namespace {

using Mode = WalletRepository::Mode;
using test::confirm;
using test::TxBuilder;

wallet::Changes with_balance(const wallet::Wallet& wallet, wallet::Changes changes = {}) {
  changes.balance = wallet.counted_balance();
  return changes;
}

class StoredBalances : public ::testing::Test {
 protected:
  StoredBalances() : writer_(WalletRepository::create(path_, contents_, test::kWatchOnly, std::nullopt)) {}

  std::optional<StoredBalance> stored() const { return balance_of_file(path_, chain::Network::Main); }
  bool is_stored() const { return stored().has_value(); }
  /// What those find who read all of it.
  wallet::Balance counted() const {
    auto contents = WalletRepository::open(path_, Mode::ReadOnly).load();
    return wallet::Wallet(std::move(contents.config), std::move(contents.state)).balance();
  }
  void execute(const std::string& sql) const { Database(path_, Mode::ReadWrite).execute(sql); }
  /// All that waits for a block is confirmed, so that more blocks change nothing.
  void confirm_all() {
    for (const auto& record : std::vector(wallet_.transactions().begin(), wallet_.transactions().end())) {
      if (!record.confirmation) writer_.commit(confirm(wallet_, record.tx, 150));
    }
  }
  void scan_to(chain::Height height) { writer_.commit(wallet_.set_scan(test::scanned_to(height))); }
  void pay(std::uint64_t salt, chain::Amount amount, chain::Height height) {
    writer_.commit(confirm(wallet_, TxBuilder(salt).pays(test::receive_script(0), amount).build(), height));
  }

  const test::FaultVfs disk_;  // for its speed alone
  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
  const WalletRepository::Contents contents_ = test::sample_contents();
  wallet::Wallet wallet_{contents_.config, contents_.state};
  WalletRepository writer_;
};

TEST_F(StoredBalances, ComesBackWithWhatIsShownBesideIt) {
  writer_.commit(with_balance(wallet_));
  const auto found = stored();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->balance, counted());
  EXPECT_NE(found->balance.unconfirmed, 0) << "or this shows little";
  EXPECT_EQ(found->birthday, contents_.config.birthday);
  EXPECT_EQ(found->scan, contents_.state.scan);
  EXPECT_FALSE(writer_.lacks_balance());
}

TEST_F(StoredBalances, IsNotThereBeforeOneIsStored) {
  EXPECT_FALSE(is_stored());
  EXPECT_TRUE(writer_.lacks_balance());
}

TEST_F(StoredBalances, CountsNoLongerOnceATransactionIsAdded) {
  writer_.commit(with_balance(wallet_));
  pay(500, 7, 200);
  EXPECT_FALSE(is_stored());
  EXPECT_TRUE(writer_.lacks_balance());
  const auto tx = TxBuilder(501).pays(test::receive_script(0), 9).build();
  auto changes = confirm(wallet_, tx, 200);
  writer_.commit(with_balance(wallet_, std::move(changes)));
  ASSERT_TRUE(is_stored()) << "in one commit with what it is of";
  EXPECT_EQ(stored()->balance, counted());
}

TEST_F(StoredBalances, CountsNoLongerWithMoreBlocksWhileSomethingWaitsForOne) {
  writer_.commit(with_balance(wallet_));
  scan_to(201);
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, CountsOnWithMoreBlocksWhereNothingWaits) {
  confirm_all();
  writer_.commit(with_balance(wallet_));
  scan_to(900);
  ASSERT_TRUE(is_stored());
  EXPECT_EQ(stored()->balance, counted());
  EXPECT_EQ(stored()->scan.scanned_to.height, 900);
  scan_to(199);
  EXPECT_FALSE(is_stored()) << "fewer blocks are another matter";
}

TEST_F(StoredBalances, CountsNoLongerWithMoreBlocksWhileACoinMatures) {
  confirm_all();
  const auto coinbase = TxBuilder::coinbase(190, test::receive_script(0), 50);
  auto changes = confirm(wallet_, coinbase, 190, 0);
  writer_.commit(with_balance(wallet_, std::move(changes)));
  EXPECT_EQ(stored()->balance.immature, 50);
  scan_to(201);
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, CountsNoLongerAfterAReorganisation) {
  confirm_all();
  pay(600, 11, 195);
  writer_.commit(with_balance(wallet_));
  ASSERT_TRUE(is_stored());
  writer_.commit(wallet_.disconnect_above(test::block_at(190)));
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, CountsNoLongerOnceMoreScriptsAreWatched) {
  writer_.commit(with_balance(wallet_));
  auto contents = writer_.load();
  contents.state.key_chains[0].watched += 1;
  wallet::Changes changes;
  changes.key_chains = {{.chain = 0, .state = contents.state.key_chains[0]}};
  writer_.commit(changes);
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, CountsNoLongerInAWalletThatWatchesMoreChains) {
  writer_.commit(with_balance(wallet_));
  auto contents = writer_.load();
  contents.config.key_chains.push_back(
      {.descriptor = test::parse_descriptors("addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)").front()});
  contents.state.key_chains.push_back({.watched = 1, .last_used = std::nullopt, .next_unissued = 0});
  writer_.reconfigure(contents);
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, CountsOnWhileOthersHandOutAddressesAndLabelThem) {
  writer_.commit(with_balance(wallet_));
  auto other = WalletRepository::open(path_, Mode::Shared);
  ASSERT_TRUE(other.issue(0, other.issued()[0]));
  other.change_labels({{.kind = wallet::LabelKind::Tx, .ref = std::string(64, 'a'), .text = "rent"}});
  ASSERT_TRUE(is_stored());
  EXPECT_EQ(stored()->balance, counted());
}

TEST_F(StoredBalances, IsNotStoredForAWalletThatIsAheadOfItsFile) {
  auto uncommitted = confirm(wallet_, TxBuilder(700).pays(test::receive_script(0), 7).build(), 200);
  writer_.commit(with_balance(wallet_));
  EXPECT_FALSE(is_stored());
  uncommitted.merge(wallet_.set_scan(test::scanned_to(300)));
  writer_.commit(with_balance(wallet_, std::move(uncommitted)));
  ASSERT_TRUE(is_stored());
  auto ahead = wallet_.set_scan(test::scanned_to(400));
  execute("DELETE FROM balance");
  writer_.commit(with_balance(wallet_));
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, IsOfAnEarlierStateOnceChangesAreMerged) {
  wallet::Changes changes = with_balance(wallet_);
  changes.merge(wallet_.set_scan(test::scanned_to(201)));
  EXPECT_FALSE(changes.balance);
}

TEST_F(StoredBalances, IsOneMomentBesideAProcessThatWrites) {
  writer_.commit(with_balance(wallet_));
  const auto before = counted();
  Database reader(path_, Mode::ReadOnly);
  const Transaction transaction(reader, Transaction::Kind::Read);
  ASSERT_TRUE(read_balance(reader));
  pay(800, 7, 200);
  EXPECT_EQ(read_balance(reader)->balance, before) << "of the moment when it began to read";
  EXPECT_FALSE(is_stored()) << "of now";
}

TEST_F(StoredBalances, IsTakenFromNoDamagedRow) {
  confirm_all();
  for (const char* damage : {"UPDATE balance SET confirmed = confirmed + 1",
                             "UPDATE balance SET unconfirmed = 1",
                             "UPDATE balance SET immature = 1",
                             "UPDATE balance SET scanned = scanned - 1",
                             "UPDATE balance SET lasts = 0",
                             "UPDATE balance SET checksum = zeroblob(8)",
                             "UPDATE balance SET checksum = x''",
                             "UPDATE scan SET tx_count = tx_count + 1",
                             "UPDATE scan SET tx_sum = zeroblob(8)",
                             "UPDATE scan SET height = height + 1",
                             "UPDATE scan SET checksum = zeroblob(8)",
                             "UPDATE wallet SET birthday = birthday + 1",
                             "UPDATE wallet SET checksum = zeroblob(8)",
                             "UPDATE key_chain SET watched = watched + 1 WHERE id = 0",
                             "UPDATE key_chain SET descriptor = descriptor || ' '",
                             "DELETE FROM key_chain WHERE id = 1",
                             "DELETE FROM balance",
                             "DELETE FROM scan",
                             "DELETE FROM wallet",
                             "DROP TABLE balance",
                             "CREATE TRIGGER sly AFTER UPDATE ON scan BEGIN DELETE FROM tx; END",
                             "PRAGMA user_version = 8",
                             "PRAGMA user_version = 99",
                             "PRAGMA application_id = 1"}) {
    writer_.commit(with_balance(wallet_));
    ASSERT_TRUE(is_stored());
    writer_.rest();
    const auto sound = test::read_file(path_);
    execute(std::string(damage) + "; PRAGMA wal_checkpoint(TRUNCATE)");
    EXPECT_FALSE(is_stored()) << damage;
    test::write_file(path_, sound);
  }
}

TEST_F(StoredBalances, S6_IsTheRightOneOrNoneWhateverByteOfTheFileIsWrong) {
  writer_.commit(with_balance(wallet_));
  writer_.rest();
  const auto right = counted();
  const auto sound = test::read_file(path_);
  for (std::size_t at = 0; at < sound.size(); at += 61) {
    auto damaged = sound;
    damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ 0x5AU);
    test::write_file(path_, damaged);
    const auto found = stored();
    if (found) {
      EXPECT_EQ(found->balance, right) << at;
    }
  }
}

TEST_F(StoredBalances, IsNotTakenFromAnotherWallet) {
  writer_.commit(with_balance(wallet_));
  const auto other_path = folder_.file("bob.sqlite");
  const auto other_contents = test::sample_contents(4);
  auto other = WalletRepository::create(other_path, other_contents, test::kWatchOnly, std::nullopt);
  other.commit(with_balance(wallet::Wallet(other_contents.config, other_contents.state)));
  writer_.rest();
  execute("ATTACH '" + other_path + "' AS other; DELETE FROM balance; INSERT INTO balance SELECT * FROM other.balance");
  EXPECT_FALSE(is_stored());
}

TEST_F(StoredBalances, IsOfTheNetworkThatIsAskedFor) {
  writer_.commit(with_balance(wallet_));
  EXPECT_FALSE(balance_of_file(path_, chain::Network::Testnet4));
}

TEST_F(StoredBalances, IsNoneWhereThereIsNoWallet) {
  EXPECT_FALSE(balance_of_file(folder_.file("nobody.sqlite"), chain::Network::Main));
  const auto text = folder_.file("text.sqlite");
  test::write_file(text, util::as_bytes("not a database"));
  EXPECT_FALSE(balance_of_file(text, chain::Network::Main));
  test::write_file(text, {});
  EXPECT_FALSE(balance_of_file(text, chain::Network::Main));
}

TEST_F(StoredBalances, IsNoneOfAnEarlierFormatUntilOneIsStored) {
  const auto old = folder_.file("old.sqlite");
  std::filesystem::copy_file(SPV_STORE_FIXTURES "/wallet_v8.sqlite", old);
  const auto before = test::read_file(old);
  EXPECT_FALSE(balance_of_file(old, chain::Network::Regtest));
  EXPECT_EQ(test::read_file(old), before) << "whoever opens it brings it up to date";
  auto opened = WalletRepository::open(old, Mode::ReadWrite);
  auto contents = opened.load();
  EXPECT_TRUE(opened.lacks_balance());
  const wallet::Wallet wallet(std::move(contents.config), std::move(contents.state));
  opened.commit(with_balance(wallet));
  EXPECT_EQ(balance_of_file(old, chain::Network::Regtest)->balance,
            (wallet::Balance{.confirmed = 100'000'000, .unconfirmed = 25'000'000, .immature = 0}));
}

TEST_F(StoredBalances, AFolderGivesThoseOfItsWallets) {
  writer_.commit(with_balance(wallet_));
  FileStore store(folder_.path(), folder_.file("events.sqlite"), chain::Network::Main);
  ASSERT_TRUE(store.balance("alice"));
  EXPECT_EQ(store.balance("alice")->balance, counted());
  EXPECT_FALSE(store.balance("bob"));
}

// Whatever happens, with or without a balance in the commit.
TEST_F(StoredBalances, S6_IsNeverThatOfAnotherState) {
  util::Rng rng(20'261'119);
  std::vector<chain::Transaction> made;
  chain::Height tip = 200;
  int found = 0;
  for (int step = 0; step < 400; ++step) {
    wallet::Changes changes;
    const auto amount = static_cast<chain::Amount>(1 + rng.below(1'000));
    const auto salt = 10'000 + static_cast<std::uint64_t>(step);
    switch (rng.below(7)) {
      case 0:
        made.push_back(
            TxBuilder(salt).pays(test::receive_script(static_cast<std::uint32_t>(rng.below(4))), amount).build());
        changes = confirm(wallet_, made.back(), tip, static_cast<std::uint32_t>(step));
        break;
      case 1:
        made.push_back(TxBuilder(salt).pays(test::change_script(1), amount).build());
        changes = test::see(wallet_, made.back());
        break;
      case 2:
        if (!made.empty())
          changes = confirm(wallet_, made[rng.below(made.size())], tip, static_cast<std::uint32_t>(step));
        break;
      case 3:
        if (!made.empty())
          changes = confirm(wallet_, TxBuilder(salt).spends(made[rng.below(made.size())]).build(), tip);
        break;
      case 4:
        changes = wallet_.disconnect_above(test::block_at(tip - 2));
        tip -= 2;
        break;
      default:
        tip += static_cast<chain::Height>(1 + rng.below(3));
        changes = wallet_.set_scan(test::scanned_to(tip));
        break;
    }
    writer_.commit(rng.below(2) == 0 ? std::move(changes) : with_balance(wallet_, std::move(changes)));
    const auto now = stored();
    if (!now) continue;
    ++found;
    ASSERT_EQ(now->balance, counted()) << step;
    ASSERT_EQ(now->scan, wallet_.scan()) << step;
  }
  EXPECT_GT(found, 150);
  EXPECT_LT(found, 390) << "or this shows little";
}

}  // namespace
}  // namespace spv::store
