#include "store/postgres/database_store.h"

#include <algorithm>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/postgres/store_fixture.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = StoreError::Kind;

class DatabaseStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (!IsSkipped()) store_ = process();
  }
  void TearDown() override {
    store_.reset();
    StoreTest::TearDown();
  }
  std::unique_ptr<DatabaseStore> store_;
};

TEST_F(DatabaseStoreTest, NamesBelongToDifferentShards) { ASSERT_NE(shard_of("alice"), shard_of("bob")); }

TEST_F(DatabaseStoreTest, GivesBackWhatItGot) {
  NewStoredWallet made = watch_only();
  wallet::Wallet wallet(made.contents.config, made.contents.state);
  payment_at(wallet, 10);
  test::see(wallet, test::TxBuilder(77).pays(test::change_script(3), 50).build());
  made.contents.state.transactions.assign(wallet.transactions().begin(), wallet.transactions().end());
  for (std::size_t n = 0; n < 2; ++n) made.contents.state.key_chains[n].watched = wallet.watched(n);
  made.contents.state.key_chains[0].last_used = 0;
  made.contents.state.key_chains[1].last_used = 3;
  made.contents.state.scan = wallet.scan();
  made.contents.state.scan.backfill = wallet::HeightRange{.from = 3, .to = 5};
  made.contents.state.scan.attested.add_by_two(7);
  made.contents.state.scan.peers = 4;
  made.contents.state.scan.time = 1'700'000'000;
  made.contents.state.told = {{.txid = wallet.transactions().front().txid,
                               .state = wallet::TxStanding::Confirmed,
                               .net = 1'000,
                               .block = test::block_at(10).hash}};
  made.contents.config.filter = {.tweak = 0xFFFF'FFFF, .decoy_seed = 0xFEDC'BA98'7654'3210};
  store_->create("alice", made);

  const auto opened = store_->open_all({"alice"}, Access::Read);
  ASSERT_THAT(opened, SizeIs(1));
  const auto& [config, state] = opened[0].contents;
  EXPECT_EQ(config.filter, made.contents.config.filter);
  EXPECT_EQ(config.gap_limit, 2U);
  EXPECT_EQ(config.key_chains[1].descriptor.to_string(), made.contents.config.key_chains[1].descriptor.to_string());
  EXPECT_TRUE(config.key_chains[1].change);
  EXPECT_EQ(state.key_chains, made.contents.state.key_chains);
  EXPECT_EQ(state.transactions, made.contents.state.transactions);
  EXPECT_EQ(state.scan, made.contents.state.scan);
  EXPECT_EQ(state.told, made.contents.state.told);
  ASSERT_THAT(state.scripts, SizeIs(2));
  EXPECT_EQ(state.scripts[0].size(), state.key_chains[0].watched);
  EXPECT_EQ(util::to_bytes(state.scripts[1][3]), test::change_script(3));
}

TEST_F(DatabaseStoreTest, NeverOverwritesAWallet) {
  store_->create("alice", watch_only());
  EXPECT_EQ(kind_of_error([&] { store_->create("alice", watch_only()); }), Kind::Exists);
  EXPECT_THAT(store_->names(), ElementsAre("alice"));
}

TEST_F(DatabaseStoreTest, MakesNoWalletWhereTheCallerChangesItsMind) {
  const auto refuse = [&] {
    EXPECT_FALSE(store_->contains("alice"));
    throw StoreError(Kind::Io, "no");
  };
  EXPECT_EQ(kind_of_error([&] { store_->create("alice", watch_only(), refuse); }), Kind::Io);
  EXPECT_THAT(store_->names(), IsEmpty());
  store_->create("alice", watch_only());
}

TEST_F(DatabaseStoreTest, RefusesAWalletOfAnotherNetwork) {
  NewStoredWallet wallet = watch_only();
  wallet.contents.config.network = chain::Network::Regtest;
  EXPECT_EQ(kind_of_error([&] { store_->create("alice", wallet); }), Kind::WrongNetwork);
}

TEST_F(DatabaseStoreTest, IsReadByAUserWithoutRights) {
  store_->create("alice", watch_only());
  const std::string role = name() + "_viewer";
  // As docs/database.md has it.
  sql("CREATE ROLE " + role + " LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role +
      "; REVOKE SELECT ON secret, webhook FROM " + role + "; GRANT SELECT (wallet, format) ON secret TO " + role);
  {
    DatabaseStore reader(*parse_database_url(cluster().url(name(), role)), kNetwork);
    EXPECT_THAT(reader.names(), ElementsAre("alice"));
    EXPECT_THAT(reader.open_all({"alice"}, Access::Read), SizeIs(1));
    EXPECT_EQ(reader.newest_event(), 1);
    EXPECT_EQ(kind_of_error([&] { static_cast<void>(reader.open("alice", Access::Read)->secret()); }),
              Kind::NotAllowed);
    EXPECT_EQ(kind_of_error([&] { static_cast<void>(reader.open("alice", Access::Write)); }), Kind::NotAllowed);
  }
  sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST_F(DatabaseStoreTest, LetsOneProcessWrite) {
  store_->create("alice", watch_only());
  store_->create("bob", watch_only());
  const auto other = process("other");
  auto writer = other->open("alice", Access::Write);
  try {
    static_cast<void>(store_->open("alice", Access::Write));
    FAIL() << "two write one wallet";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), Kind::Locked);
    EXPECT_THAT(error.what(), HasSubstr("'other'"));
  }
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(other->open("alice", Access::Write)); }), Kind::Locked);
  EXPECT_NE(store_->open("alice", Access::Shared), nullptr);
  EXPECT_NE(store_->open("bob", Access::Write), nullptr);
  writer.reset();
  EXPECT_NE(store_->open("alice", Access::Write), nullptr);
}

TEST_F(DatabaseStoreTest, GivesUpItsLeasesWhenItEnds) {
  store_->create("alice", watch_only());
  auto other = process();
  auto writer = other->open("alice", Access::Write);
  EXPECT_EQ(sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL"), "1");
  writer.reset();
  EXPECT_EQ(sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL"), "0");
  other.reset();
  EXPECT_EQ(sql("SELECT count(*) FROM worker"), "0");
}

TEST_F(DatabaseStoreTest, RenewsItsLeases) {
  store_->create("alice", watch_only());
  const auto brief = process("brief", 300ms);
  const auto writer = brief->open("alice", Access::Write);
  const std::string until = sql("SELECT lease_until FROM shard WHERE worker IS NOT NULL");
  EXPECT_TRUE(becomes("SELECT lease_until > '" + until + "' FROM shard WHERE worker IS NOT NULL", "t"));
}

TEST_F(DatabaseStoreTest, RefusesTheCommitOfAZombie) {
  store_->create("alice", watch_only());
  OpenedWallet zombie(*store_, "alice");
  commit(*store_, zombie, payment_at(zombie.wallet, 10));
  expire_leases();
  const auto other = process();
  std::optional<OpenedWallet> heir(std::in_place, *other, "alice");
  EXPECT_EQ(heir->wallet.balance().confirmed, 1'000);
  const auto late = payment_at(zombie.wallet, 11);
  // Of a batch it says which ones are lost.
  store_->create("bob", watch_only());
  OpenedWallet bob(*store_, "bob");
  const auto his = payment_at(bob.wallet, 11);
  std::vector<WalletChanges> batch{{.wallet = zombie.stored.get(), .changes = &late},
                                   {.wallet = bob.stored.get(), .changes = &his}};
  EXPECT_EQ(kind_of_error([&] { store_->commit(batch, test::kNow); }), Kind::Fenced);
  EXPECT_TRUE(batch[0].lost);
  EXPECT_FALSE(batch[1].lost);
  EXPECT_FALSE(batch[1].done);
  commit(*store_, bob, his);
  commit(*other, *heir, payment_at(heir->wallet, 11));
  EXPECT_EQ(sql("SELECT count(*) FROM wallet_tx"), "3");
  EXPECT_EQ(sql("SELECT count(*) FROM event WHERE type = 'tx'"), "3");

  // Its lease ended twice: what it knows is out of date, though nobody has the wallet now.
  heir.reset();
  EXPECT_EQ(kind_of_error([&] { commit(*store_, zombie, late); }), Kind::Fenced);
  zombie.stored.reset();
  OpenedWallet again(*store_, "alice");
  commit(*store_, again, payment_at(again.wallet, 12));
  EXPECT_EQ(again.wallet.balance().confirmed, 3'000);
}

TEST_F(DatabaseStoreTest, CommitsAThousandPositionsTogether) {
  std::vector<std::string> names;
  for (int n = 0; n < 1'000; ++n) names.push_back("w" + std::to_string(n));
  for (const auto& each : names) store_->create(each, watch_only(1));
  auto opened = store_->open_all(names, Access::Write);
  ASSERT_THAT(opened, SizeIs(1'000));
  wallet::Changes position;
  position.scan = test::scanned_to(500);
  std::vector<WalletChanges> batch;
  for (auto& each : opened) batch.push_back({.wallet = each.wallet.get(), .changes = &position, .done = false});
  store_->commit(batch, test::kNow);
  EXPECT_EQ(sql("SELECT concat_ws(' ', count(*), count(DISTINCT xmin::text), max(height)) FROM scan"), "1000 1 500");
}

TEST_F(DatabaseStoreTest, TakesAllOrNothing) {
  store_->create("alice", watch_only());
  store_->create("bob", watch_only());
  OpenedWallet alice(*store_, "alice");
  OpenedWallet bob(*store_, "bob");
  const auto first = payment_at(alice.wallet, 10);
  const auto second = payment_at(bob.wallet, 10);
  sql("DELETE FROM scan WHERE wallet = 2; ALTER TABLE scan ADD CONSTRAINT no_bob CHECK (wallet <> 2)");
  std::vector<WalletChanges> batch{{.wallet = alice.stored.get(), .changes = &first, .done = false},
                                   {.wallet = bob.stored.get(), .changes = &second, .done = false}};
  EXPECT_EQ(kind_of_error([&] { store_->commit(batch, test::kNow); }), Kind::Constraint);
  EXPECT_FALSE(batch[0].done);
  EXPECT_EQ(sql("SELECT count(*) FROM wallet_tx"), "0");
  EXPECT_EQ(store_->newest_event(), 2) << "they were added";
}

// One transaction that pays both is stored once, with a witness once one of them has seen it.
TEST_F(DatabaseStoreTest, SharesATransactionAmongWallets) {
  store_->create("alice", watch_only());
  store_->create("bob", watch_only());
  OpenedWallet alice(*store_, "alice");
  OpenedWallet bob(*store_, "bob");
  test::TxBuilder builder(5);
  builder.pays(test::receive_script(0), 70).spends(test::outpoint(test::TxBuilder(6).build()));
  const auto bare = builder.build();
  const auto full = builder.witness(util::Bytes{1, 2, 3}).build();
  ASSERT_EQ(bare.txid(), full.txid());
  commit(*store_, alice, payment_at(alice.wallet, 10, bare));
  commit(*store_, bob, payment_at(bob.wallet, 10, full));
  EXPECT_EQ(sql("SELECT count(*) FROM tx"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM coin"), "2");
  const auto opened = store_->open_all({"alice", "bob"}, Access::Read);
  for (const auto& each : opened) EXPECT_EQ(each.contents.state.transactions.at(0).tx, full);
}

// It was stored for its first output; the second one is ours too once the window reaches it.
TEST_F(DatabaseStoreTest, FindsCoinsOfScriptsThatAreWatchedLater) {
  store_->create("alice", watch_only());
  OpenedWallet alice(*store_, "alice");
  ASSERT_EQ(alice.wallet.watched(0), 20U);
  const auto batch_payout =
      test::TxBuilder().pays(test::receive_script(1), 5).pays(test::receive_script(30), 7).build();
  commit(*store_, alice, payment_at(alice.wallet, 10, batch_payout));
  EXPECT_EQ(sql("SELECT total FROM balance"), "5");
  const auto far = test::TxBuilder().pays(test::receive_script(19), 100).build();
  commit(*store_, alice, payment_at(alice.wallet, 11, far));
  ASSERT_GT(alice.wallet.watched(0), 30U);
  EXPECT_EQ(alice.wallet.balance().confirmed, 112);
  EXPECT_EQ(sql("SELECT total FROM balance"), "112");
  EXPECT_EQ(sql("SELECT count(*) FROM script WHERE chain = 0"), std::to_string(alice.wallet.watched(0)));
  EXPECT_EQ(sql("SELECT index FROM utxo WHERE amount = 7"), "30");
}

TEST_F(DatabaseStoreTest, AddsKeyChains) {
  store_->create("alice", watch_only());
  auto writer = store_->open("alice", Access::Write);
  WalletContents contents = writer->load();
  const auto more = test::parse_descriptors("wpkh(" + std::string(test::kXpub) + "/7/*)").front();
  contents.config.key_chains.push_back({.descriptor = more, .change = false});
  contents.config.gap_limit = 3;
  contents.state.key_chains.push_back(wallet::KeyRing::fresh_state(more, 3));
  contents.state.scan.backfill = wallet::HeightRange{.from = 1, .to = 4};
  writer->reconfigure(contents);
  const WalletContents found = writer->load();
  EXPECT_EQ(found.config.gap_limit, 3U);
  EXPECT_EQ(found.state.key_chains, contents.state.key_chains);
  EXPECT_EQ(found.state.scan, contents.state.scan);
  EXPECT_EQ(found.state.scripts.at(2).size(), 30U);
  EXPECT_EQ(util::to_bytes(found.state.scripts[2][4]), *more.script_at(4));
}

TEST_F(DatabaseStoreTest, HandsOutAnAddressOnce) {
  store_->create("alice", watch_only());
  const auto other = process();
  auto first = store_->open("alice", Access::Shared);
  auto second = other->open("alice", Access::Shared);
  EXPECT_TRUE(first->issue(0, 0));
  EXPECT_FALSE(second->issue(0, 0));
  EXPECT_TRUE(second->issue(0, 1));
  EXPECT_THAT(first->issued(), ElementsAre(2U, 0U));
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(first->issue(0, 20)); }), Kind::Corrupt);
  // A commit that does not know of it takes none back.
  OpenedWallet writer(*store_, "alice");
  wallet::Changes stale;
  stale.key_chains.push_back({.chain = 0, .state = {.watched = 20, .last_used = {}, .next_unissued = 1}});
  commit(*store_, writer, stale);
  EXPECT_THAT(first->issued(), ElementsAre(2U, 0U));
}

TEST_F(DatabaseStoreTest, KeepsLabels) {
  store_->create("alice", watch_only());
  const std::string ref = std::string(64, 'a') + ":1";
  auto shared = store_->open("alice", Access::Shared);
  using wallet::LabelKind;
  shared->change_labels({{.kind = LabelKind::Output, .ref = ref, .text = "rent"},
                         {.kind = LabelKind::Tx, .ref = "x", .text = "old", .origin = "o"},
                         {.kind = LabelKind::Tx, .ref = "x", .text = ""},
                         {.kind = LabelKind::Tx, .ref = "x", .text = "new"}});
  shared->change_labels({{.kind = LabelKind::Output, .ref = ref, .spendable = false}});
  EXPECT_THAT(shared->labels(), ElementsAre(wallet::Label{LabelKind::Output, ref, "rent", "", false},
                                            wallet::Label{LabelKind::Tx, "x", "new", "", std::nullopt}));
  EXPECT_THAT(shared->frozen(), SizeIs(1));
  EXPECT_THAT(shared->load().state.frozen, SizeIs(1));
}

TEST_F(DatabaseStoreTest, KeepsASecret) {
  NewStoredWallet wallet = watch_only();
  wallet.info.kind = WalletKind::Mnemonic;
  wallet.secret = StoredSecret{.format = StoredSecret::Format::Plain, .data = util::SecretBytes(64, 0x5A)};
  store_->create("alice", wallet);
  auto writer = store_->open("alice", Access::Write);
  EXPECT_FALSE(writer->info().encrypted);
  EXPECT_EQ(writer->secret()->data, wallet.secret->data);
  EXPECT_TRUE(writer->replace_secret({.format = StoredSecret::Format::Encrypted, .data = util::SecretBytes(132, 3)}));
  EXPECT_TRUE(writer->info().encrypted);
  EXPECT_EQ(store_->open("alice", Access::Read)->secret()->data, util::SecretBytes(132, 3));
  EXPECT_TRUE(store_->open("alice", Access::Read)->info().encrypted);
}

TEST_F(DatabaseStoreTest, RenamesAndRemoves) {
  store_->create("alice", watch_only());
  {
    OpenedWallet alice(*store_, "alice");
    commit(*store_, alice, payment_at(alice.wallet, 10));
    EXPECT_EQ(kind_of_error([&] { store_->rename("alice", "carol"); }), Kind::Locked);
    EXPECT_EQ(kind_of_error([&] { process()->remove("alice"); }), Kind::Locked);
  }
  store_->create("bob", watch_only());
  EXPECT_EQ(kind_of_error([&] { store_->rename("alice", "bob"); }), Kind::Exists);
  EXPECT_EQ(kind_of_error([&] { store_->rename("alice", "alice"); }), Kind::Exists);
  EXPECT_EQ(kind_of_error([&] { store_->rename("nobody", "carol"); }), Kind::Missing);
  auto shared = store_->open("alice", Access::Shared);
  store_->rename("alice", "carol");
  EXPECT_THAT(store_->names(), ElementsAre("bob", "carol"));
  EXPECT_EQ(sql("SELECT shard FROM wallet WHERE name = 'carol'"), std::to_string(shard_of("carol")));
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(shared->issue(0, 0)); }), Kind::Moved);
  EXPECT_EQ(kind_of_error([&] { shared->change_labels({{.ref = "x", .text = "y"}}); }), Kind::Moved);
  store_->remove("carol");
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(shared->load()); }), Kind::Moved);
  EXPECT_THAT(store_->names(), ElementsAre("bob"));
  // What happened stays.
  const auto events = store_->events(0, 10, "carol");
  ASSERT_THAT(events, SizeIs(3)) << "added, paid and removed";
  EXPECT_EQ(events[1].wallet, "carol");
  EXPECT_EQ(sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL"), "0");
}

// Contents, secret and labels: a change in the middle of an export is in none of them.
TEST_F(DatabaseStoreTest, ACopyIsOfOneMoment) {
  NewStoredWallet made = watch_only();
  made.info.kind = WalletKind::Mnemonic;
  made.secret = StoredSecret{.format = StoredSecret::Format::Plain, .data = {7}};
  store_->create("alice", made);
  Connection writer = connect();
  writer.execute(
      "BEGIN; LOCK TABLE label; UPDATE secret SET format = 1;"
      "INSERT INTO label (wallet, type, ref, label, origin) SELECT id, 'tx', 'x', 'late', '' FROM wallet");
  const auto alice = store_->open("alice", Access::Read);
  std::optional<WalletCopy> copy;
  std::thread copies([&] { copy = alice->copy(); });
  EXPECT_TRUE(somebody_waits());
  writer.execute("COMMIT");
  copies.join();
  ASSERT_TRUE(copy);
  EXPECT_THAT(copy->labels, IsEmpty());
  EXPECT_FALSE(copy->info.encrypted);
  EXPECT_EQ(copy->secret->format, StoredSecret::Format::Plain);
  EXPECT_TRUE(alice->copy().info.encrypted);
  EXPECT_THAT(alice->copy().labels, SizeIs(1));
}

TEST_F(DatabaseStoreTest, WalletsThatAreClosedTogetherBecomeFreeTogether) {
  std::vector<std::string> names;
  for (int n = 0; n < 20; ++n) names.push_back("w" + std::to_string(n));
  for (const auto& each : names) store_->create(each, watch_only(1));
  auto wallets = store_->open_all(names, Access::Write);
  const std::string held = sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL");
  auto together = store_->close_together();
  wallets.clear();
  EXPECT_EQ(sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL"), held);
  together.reset();
  EXPECT_EQ(sql("SELECT count(*) FROM shard WHERE worker IS NOT NULL"), "0");
}

std::set<std::string> set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

TEST_F(DatabaseStoreTest, SharesTheWalletsAmongWorkers) {
  std::vector<std::string> names;
  for (int n = 0; n < 20; ++n) names.push_back("w" + std::to_string(n));
  for (const auto& each : names) store_->create(each, watch_only(1));
  auto first = process("first", 2s);
  first->share_wallets();
  EXPECT_THAT(first->wait_leased(0ms).taken, testing::UnorderedElementsAreArray(names));
  EXPECT_TRUE(first->wait_leased(0ms).empty());

  // Any process makes one, and the worker is told.
  store_->create("new", watch_only(1));
  EXPECT_THAT(first->wait_leased(60s).taken, ElementsAre("new"));
  store_->create("newer", watch_only(1));
  EXPECT_THAT(first->wait_leased(60s).taken, ElementsAre("newer"));

  auto second = process("second", 2s);
  second->share_wallets();
  std::set<std::string> taken;
  while (taken.empty()) taken = set_of(second->wait_leased(60s).taken);
  std::set<std::string> gone;
  while (!std::ranges::includes(gone, taken)) {
    const auto change = first->wait_leased(60s);
    ASSERT_THAT(change.gone, testing::Not(IsEmpty()));
    gone.merge(set_of(change.gone));
  }
  first.reset();
  while (taken.size() < names.size() + 2) {
    const auto change = second->wait_leased(60s);
    ASSERT_THAT(change.taken, testing::Not(IsEmpty()));
    taken.merge(set_of(change.taken));
  }
}

TEST_F(DatabaseStoreTest, LeavesTheSharesOfOthersAlone) {
  store_->create("alice", watch_only(1));
  auto worker = process("worker");
  const auto guest = process("guest");
  const auto opened = guest->open("alice", Access::Write);
  worker->share_wallets();
  EXPECT_EQ(sql("SELECT count(*) FROM shard JOIN worker ON worker.id = worker WHERE name = 'worker'"), "255");
  EXPECT_THAT(worker->wait_leased(0ms).taken, IsEmpty());
}

}  // namespace
}  // namespace spv::store::postgres
