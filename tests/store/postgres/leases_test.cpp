#include "store/postgres/leases.h"

#include <memory>
#include <optional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/schema.h"
#include "store/postgres/transaction.h"
#include "tests/store/postgres/database_fixture.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = StoreError::Kind;

constexpr Statement kWriteRow{.name = "write", .sql = "INSERT INTO consumer (name, seq) VALUES ($1, 1)"};

// One worker with its connection.
struct Worker {
  Connection connection;
  Leases leases;
  explicit Worker(const DatabaseUrl& url, std::chrono::milliseconds length = 1h, bool shares = true)
      : connection(url), leases(connection, {.name = "test", .length = length, .shares = shares}) {}
  Leases::Round renew() { return leases.renew(connection); }
  [[nodiscard]] std::size_t held() const { return leases.held().size(); }
  /// A commit of all that it believes to hold.
  void commit(const std::string& name) {
    run_transaction(connection, {leases.fence(leases.held()), {kWriteRow, Params().text(name)}});
  }
};

class LeasesTest : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    if (!IsSkipped()) migrate(url(), chain::Network::Regtest);
  }
  /// The leases of a worker end now, as if it had slept.
  void expire(const Worker& worker) {
    const std::string id = std::to_string(worker.leases.worker());
    sql("UPDATE shard SET lease_until = clock_timestamp() - interval '1 second' WHERE worker = " + id);
    sql("UPDATE worker SET alive_until = clock_timestamp() - interval '1 second' WHERE id = " + id);
  }
  std::string shard_sums() { return sql("SELECT concat_ws(' ', count(worker), count(DISTINCT worker)) FROM shard"); }
};

TEST(ShardTest, IsTheFirstByteOfTheHash) {
  EXPECT_EQ(shard_of(""), 0xe3);
  EXPECT_EQ(shard_of("abc"), 0xba);
}

TEST_F(LeasesTest, GiveOneWorkerAll) {
  Worker worker(url());
  EXPECT_THAT(worker.leases.held(), IsEmpty());
  const auto round = worker.renew();
  EXPECT_THAT(round.taken, SizeIs(kShards));
  EXPECT_THAT(round.gone, IsEmpty());
  EXPECT_EQ(worker.held(), 256U);
  EXPECT_EQ(worker.leases.held().front(), (HeldShard{.id = 0, .epoch = 1}));
  const auto next = worker.renew();
  EXPECT_THAT(next.taken, IsEmpty());
  EXPECT_THAT(next.gone, IsEmpty());
}

TEST_F(LeasesTest, GiveEachAFairShare) {
  Worker first(url());
  Worker second(url());
  EXPECT_THAT(first.renew().taken, SizeIs(128));
  EXPECT_THAT(second.renew().taken, SizeIs(128));
  Worker third(url());
  EXPECT_THAT(third.renew().taken, IsEmpty());  // nothing is free yet
  EXPECT_THAT(first.renew().gone, SizeIs(42));  // 86 each is enough
  EXPECT_THAT(second.renew().gone, SizeIs(42));
  EXPECT_THAT(third.renew().taken, SizeIs(84));
  for (Worker* each : {&first, &second, &third}) {
    EXPECT_THAT(each->renew().taken, IsEmpty());
    each->commit(std::to_string(each->leases.worker()));
  }
  EXPECT_EQ(shard_sums(), "256 3");
  std::set<std::int16_t> all;
  for (const Worker* each : {&first, &second, &third}) {
    for (const auto& shard : each->leases.held()) EXPECT_TRUE(all.insert(shard.id).second);
  }
  EXPECT_THAT(all, SizeIs(256));
}

TEST_F(LeasesTest, AreTakenOverWhenTheyEnd) {
  Worker sleeper(url());
  Worker other(url());
  sleeper.renew();
  other.renew();
  EXPECT_EQ(other.held(), 128U);
  EXPECT_THAT(other.renew().taken, IsEmpty());
  expire(sleeper);
  const auto round = other.renew();
  EXPECT_THAT(round.taken, SizeIs(128));
  EXPECT_EQ(round.taken.front().epoch, sleeper.leases.held().front().epoch + 1);
  EXPECT_EQ(other.held(), 256U);
  // It wakes up, learns that it lost all, and gets its share in the next rounds.
  const auto late = sleeper.renew();
  EXPECT_THAT(late.gone, SizeIs(128));
  EXPECT_EQ(sleeper.held(), 0U);
  EXPECT_THAT(other.renew().gone, SizeIs(128));
  EXPECT_THAT(sleeper.renew().taken, SizeIs(128));
}

TEST_F(LeasesTest, EndByTheClockOfTheDatabase) {
  Worker brief(url(), 1ms);
  brief.renew();
  Worker other(url());
  std::size_t held = 0;
  for (int tries = 0; tries < 10'000 && held < 256; ++tries) {
    other.renew();
    held = other.held();
  }
  EXPECT_EQ(held, 256U);
}

TEST_F(LeasesTest, T7_RefuseTheCommitOfAZombie) {
  Worker zombie(url());
  zombie.renew();
  zombie.commit("before");
  expire(zombie);
  Worker heir(url());
  heir.renew();
  const DatabaseError error = error_of([&] { zombie.commit("after"); });
  EXPECT_EQ(error.kind(), Kind::Fenced);
  EXPECT_EQ(error.sqlstate(), kFencedState);
  EXPECT_FALSE(zombie.connection.in_transaction());
  heir.commit("heir");
  EXPECT_EQ(sql("SELECT string_agg(name, ' ' ORDER BY name) FROM consumer"), "before heir");
}

// The fence goes by the epoch: that the same worker holds the shard again is not enough.
TEST_F(LeasesTest, RefuseWhatWasBegunInAnEarlierEpoch) {
  Worker worker(url());
  worker.renew();
  const Command old_fence = worker.leases.fence({worker.leases.held().front()});
  expire(worker);
  Worker other(url());
  other.renew();
  other.leases.release(other.connection);
  worker.renew();
  EXPECT_EQ(worker.held(), 256U);
  EXPECT_EQ(error_of([&] { run_transaction(worker.connection, {old_fence}); }).kind(), Kind::Fenced);
  worker.commit("now");
}

TEST_F(LeasesTest, LetASleeperGoOnIfNobodyTookOver) {
  Worker sleeper(url());
  sleeper.renew();
  expire(sleeper);
  sleeper.commit("late");
  EXPECT_THAT(sleeper.renew().gone, IsEmpty());
}

// While a commit runs its shards stay, though the lease has ended; a renewal does not wait for it.
TEST_F(LeasesTest, StayWhileACommitRuns) {
  Worker worker(url());
  worker.renew();
  Connection writer = connect();
  const HeldShard busy = worker.leases.held().at(7);
  std::optional<Transaction> commit(writer);
  writer.run_all({worker.leases.fence({busy})});

  EXPECT_THAT(worker.renew().gone, IsEmpty());  // on its other connection, at once
  expire(worker);
  Worker other(url());
  EXPECT_THAT(other.renew().taken, SizeIs(255));
  EXPECT_EQ(sql("SELECT worker FROM shard WHERE id = 7"), std::to_string(worker.leases.worker()));
  commit->commit({{kWriteRow, Params().text("in time")}});
  commit.reset();
  EXPECT_THAT(other.renew().taken, testing::ElementsAre(HeldShard{.id = 7, .epoch = busy.epoch + 1}));
  EXPECT_EQ(sql("SELECT name FROM consumer"), "in time");
}

// One that is about to take over must not pass a commit that has read the old epoch, nor the other way round.
TEST_F(LeasesTest, T7_MakeACommitWaitForATakeover) {
  Worker worker(url());
  worker.renew();
  Connection taker = connect();
  taker.execute(
      "BEGIN; SELECT FROM shard WHERE id = 7 FOR UPDATE;"
      "UPDATE shard SET worker = NULL, lease_until = NULL, epoch = epoch + 1 WHERE id = 7");
  std::optional<Kind> refused;
  std::thread commit([&] { refused = error_of([&] { worker.commit("late"); }).kind(); });
  EXPECT_TRUE(somebody_waits());
  taker.execute("COMMIT");
  commit.join();
  EXPECT_EQ(refused, Kind::Fenced);
}

TEST_F(LeasesTest, OfCertainShardsAreTakenIfTheyAreFree) {
  Worker first(url(), 1h, false);
  Worker second(url(), 1h, false);
  first.leases.take(first.connection, {7, 9});
  EXPECT_THAT(first.leases.held(), testing::ElementsAre(HeldShard{7, 1}, HeldShard{9, 1}));
  second.leases.take(second.connection, {8, 9});
  EXPECT_THAT(second.leases.held(), testing::ElementsAre(HeldShard{8, 1}));
  first.commit("first");
  first.leases.give_up(first.connection, {9});
  EXPECT_THAT(first.leases.held(), testing::ElementsAre(HeldShard{7, 1}));
  second.leases.take(second.connection, {9});
  EXPECT_THAT(second.leases.held(), testing::ElementsAre(HeldShard{8, 1}, HeldShard{9, 3}));
  expire(first);
  second.leases.take(second.connection, {7});
  EXPECT_THAT(second.leases.held(), SizeIs(3));
  EXPECT_THAT(first.renew().gone, SizeIs(1));
  EXPECT_THAT(first.leases.held(), IsEmpty());
}

// One that opens a few wallets must not make the others give up half of theirs.
TEST_F(LeasesTest, OfCertainShardsCountForNoShare) {
  Worker guest(url(), 1h, false);
  guest.leases.take(guest.connection, {7});
  Worker worker(url());
  EXPECT_THAT(worker.renew().taken, SizeIs(255));
  EXPECT_THAT(guest.renew().taken, IsEmpty());
  EXPECT_EQ(guest.held(), 1U);
  guest.leases.share();
  EXPECT_THAT(guest.renew().taken, IsEmpty());  // nothing is free yet
  EXPECT_THAT(worker.renew().gone, SizeIs(127));
  EXPECT_THAT(guest.renew().taken, SizeIs(127));
}

TEST_F(LeasesTest, AreReleasedAtOnceOnStop) {
  Worker first(url());
  first.renew();
  first.leases.release(first.connection);
  EXPECT_EQ(shard_sums(), "0 0");
  EXPECT_EQ(sql("SELECT count(*) FROM worker"), "0");
  EXPECT_THAT(first.leases.held(), IsEmpty());
  Worker second(url());
  EXPECT_THAT(second.renew().taken, SizeIs(256));
}

TEST_F(LeasesTest, ForgetTheLongDead) {
  Worker dead(url());
  sql("UPDATE worker SET alive_until = clock_timestamp() - interval '2 hours'");
  Worker other(url());
  other.renew();
  EXPECT_EQ(sql("SELECT count(*) FROM worker"), "1");
  dead.renew();  // signs on again
  EXPECT_EQ(sql("SELECT count(*) FROM worker"), "2");
  other.renew();
  EXPECT_THAT(dead.renew().taken, SizeIs(128));
}

// Many at once: no shard twice, none lost, and all commits of those who hold.
TEST_F(LeasesTest, T7_AreSharedByManyAtOnce) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int n = 0; n < 5; ++n) workers.push_back(std::make_unique<Worker>(url()));
  for (int round = 0; round < 4; ++round) {
    std::vector<std::thread> threads;
    for (auto& worker : workers) threads.emplace_back([&worker] { EXPECT_NO_THROW(worker->renew()); });
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(shard_sums(), "256 5");
  for (auto& worker : workers) {
    EXPECT_LE(worker->held(), 52U);
    EXPECT_NO_THROW(worker->commit(std::to_string(worker->leases.worker())));
  }
}

}  // namespace
}  // namespace spv::store::postgres
