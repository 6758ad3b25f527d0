// A server that goes away, and rows that were not written by us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/postgres/store_fixture.h"

namespace spv::store::postgres {
namespace {

using testing::ElementsAre;
using Kind = StoreError::Kind;

TEST(DatabaseRestartTest, IsSurvived) {
  SPV_POSTGRES_OR_SKIP();
  test::PostgresCluster cluster;
  const DatabaseUrl url = *parse_database_url(cluster.url(cluster.create_database()));
  DatabaseStore store(url, chain::Network::Main, {.worker_name = "test", .lease = kLongLease, .connect = {}});
  store.create("alice", watch_only());
  OpenedWallet alice(store, "alice");
  commit(store, alice, payment_at(alice.wallet, 10));

  cluster.stop();
  const auto late = payment_at(alice.wallet, 11);
  EXPECT_EQ(kind_of_error([&] { commit(store, alice, late); }), Kind::Unreachable);
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(store.names()); }), Kind::Unreachable);
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(store.events(0, 1, std::nullopt)); }), Kind::Unreachable);
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(alice.stored->load()); }), Kind::Unreachable);

  cluster.start();
  EXPECT_THAT(store.names(), ElementsAre("alice"));
  alice.stored.reset();
  OpenedWallet again(store, "alice");
  EXPECT_EQ(again.wallet.balance().confirmed, 1'000);
  commit(store, again, payment_at(again.wallet, 11));
  EXPECT_EQ(store.newest_event(), 3);

  // What is read is read again by itself where the server was restarted meanwhile.
  cluster.kill();
  cluster.start();
  EXPECT_EQ(store.newest_event(), 3);
}

// A server that has become a standby, and then a primary again: what has been refused is written later.
TEST(StandbyTest, IsAServerThatIsAway) {
  SPV_POSTGRES_OR_SKIP();
  test::PostgresCluster cluster;
  const std::string name = cluster.create_database();
  const DatabaseUrl url = *parse_database_url(cluster.url(name));
  DatabaseStore store(url, chain::Network::Main, {.worker_name = "test", .lease = kLongLease, .connect = {}});
  store.create("alice", watch_only());
  OpenedWallet alice(store, "alice");
  commit(store, alice, payment_at(alice.wallet, 10));
  cluster.stop();
  cluster.start();
  cluster.sql("postgres", "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  const auto late = payment_at(alice.wallet, 11);
  for (int tries = 0; tries < 3; ++tries) {
    EXPECT_EQ(kind_of_error([&] { commit(store, alice, late); }), Kind::Unreachable);
  }
  EXPECT_EQ(store.newest_event(), 2) << "that it was added, and its payment: it can be read";
  cluster.sql("postgres", "ALTER DATABASE " + name + " RESET default_transaction_read_only");
  commit(store, alice, late);
  EXPECT_EQ(store.newest_event(), 3);
}

class DatabaseDamageTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    store_ = process();
    store_->create("alice", watch_only());
    OpenedWallet alice(*store_, "alice");
    commit(*store_, alice, payment_at(alice.wallet, 10));
  }
  void TearDown() override {
    store_.reset();
    StoreTest::TearDown();
  }
  std::unique_ptr<DatabaseStore> store_;
};

/// Parents before children.
const std::vector<std::string> kTables{"wallet", "secret", "key_chain", "script", "scan", "tx", "wallet_tx"};

TEST_F(DatabaseDamageTest, IsNoticed) {
  const std::vector<std::string> changes{
      "UPDATE wallet SET gap_limit = 0",
      "UPDATE wallet SET gap_limit = 1000000",
      "UPDATE wallet SET birthday = -1",
      "UPDATE wallet SET filter_tweak = -1",
      "UPDATE wallet SET kind = 'mnemonic'",
      "INSERT INTO secret VALUES (1, 0, '')",
      "UPDATE key_chain SET descriptor = 'x'",
      "UPDATE key_chain SET watched = 1000000",
      "UPDATE key_chain SET watched = 3 WHERE chain = 0",
      "UPDATE key_chain SET last_used = -1",
      "UPDATE key_chain SET next_unissued = 21",
      "UPDATE script SET script = decode(repeat('00', 10001), 'hex') WHERE index = 2",
      "DELETE FROM script WHERE index = 2",
      "DELETE FROM scan",
      "UPDATE scan SET hash = 'x'",
      "UPDATE scan SET height = -2",
      "UPDATE scan SET backfill_from = -2, backfill_to = 3",
      "UPDATE scan SET anchors = 'x'",
      "UPDATE scan SET attested = 'x'",
      "UPDATE scan SET peers = -1",
      "UPDATE scan SET time = 4294967296",
      "UPDATE tx SET raw = 'x'",
      "UPDATE tx SET raw = set_byte(raw, octet_length(raw) - 1, 7)",
      "UPDATE wallet_tx SET block_hash = 'x'",
      "UPDATE wallet_tx SET block_time = -1",
      "UPDATE wallet_tx SET sequence = -1",
      "UPDATE wallet_tx SET seen_at = -2",
      "UPDATE wallet_tx SET send_state = 6, peers_accepted = 0",
      "UPDATE wallet_tx SET send_state = 1, peers_accepted = -1",
      "UPDATE wallet_tx SET told_state = 'sold'",
      "UPDATE wallet_tx SET told_net = NULL",
      "UPDATE wallet_tx SET told_block = 'x'",
  };
  const auto load = [&] { static_cast<void>(store_->open("alice", Access::Read)->load()); };
  sql("CREATE SCHEMA kept");
  for (const auto& table : kTables) sql("CREATE TABLE kept." + table + " AS TABLE public." + table);
  for (const auto& change : changes) {
    sql(change);
    EXPECT_EQ(kind_of_error(load), Kind::Corrupt) << change;
    // As it was.
    sql("TRUNCATE wallet, tx CASCADE");
    for (const auto& table : kTables) {
      const std::string columns =
          sql("SELECT string_agg(column_name, ', ') FROM information_schema.columns"
              " WHERE table_schema = 'public' AND table_name = '" +
              table + "'");
      sql("INSERT INTO " + table + " (" + columns + ") OVERRIDING SYSTEM VALUE SELECT " + columns + " FROM kept." +
          table);
    }
    ASSERT_NO_THROW(load()) << change;
  }
}

TEST_F(DatabaseDamageTest, OfAnEventIsNoticed) {
  sql("UPDATE event SET data = substr(data, 2)");
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(store_->events(0, 10, std::nullopt)); }), Kind::Corrupt);
}

TEST_F(DatabaseDamageTest, OfALabelIsNoticed) {
  sql("INSERT INTO label VALUES (1, 'coin', 'x', 'y', '', NULL)");
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(store_->open("alice", Access::Read)->labels()); }), Kind::Corrupt);
}

}  // namespace
}  // namespace spv::store::postgres
