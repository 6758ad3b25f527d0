// The log of events in the database: its numbers, its readers, and those who wait.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/chain_samples.h"
#include "tests/store/postgres/store_fixture.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

class DatabaseEventsTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    store_ = process();
    store_->create("alice", watch_only(1));
    store_->create("bob", watch_only(1));
  }
  void TearDown() override {
    store_.reset();
    StoreTest::TearDown();
  }
  /// Events that told that alice and bob were added, and a time when that was long ago.
  static constexpr Seq kAdded = 2;
  static constexpr util::UnixTime kLater = 10'000'000'000;
  std::unique_ptr<DatabaseStore> store_;
};

// Changes with one event that need no work: the same payment confirms in another block each time.
wallet::Changes next_event(const wallet::TxEvent& like, int number) {
  wallet::Changes changes;
  changes.events.push_back(like);
  changes.events.back().net = number;
  return changes;
}

// Two processes add events at once. A reader that goes on from the last number it saw misses none: no number becomes
// visible after a higher one.
TEST_F(DatabaseEventsTest, AppearInTheOrderOfTheirNumbers) {
  constexpr int kEach = 150;
  std::atomic<int> running = 2;
  const auto write = [&](const std::string& name) {
    const auto own = process();
    OpenedWallet opened(*own, name);
    const auto first = payment_at(opened.wallet, 10);
    commit(*own, opened, first);
    for (int n = 1; n < kEach; ++n) commit(*own, opened, next_event(first.events.at(0), n));
    --running;
  };
  std::thread alice([&] { write("alice"); });
  std::thread bob([&] { write("bob"); });
  Seq last = kAdded;
  std::map<std::string, int> count;
  for (bool done = false; !done;) {
    done = running == 0;  // before the last look
    for (const auto& event : store_->events(last, 7, std::nullopt)) {
      EXPECT_EQ(event.seq, last + 1);
      last = event.seq;
      ++count[event.wallet];
      done = false;
    }
  }
  alice.join();
  bob.join();
  EXPECT_EQ(last, kAdded + 2 * kEach);
  EXPECT_EQ(count, (std::map<std::string, int>{{"alice", kEach}, {"bob", kEach}}));
  EXPECT_EQ(store_->newest_event(), last);
  EXPECT_THAT(store_->events(kAdded, 1'000, "bob"), SizeIs(kEach));
}

TEST_F(DatabaseEventsTest, SayAllOfTheChange) {
  OpenedWallet alice(*store_, "alice");
  const auto changes = payment_at(alice.wallet, 10);
  commit(*store_, alice, changes);
  const auto events = store_->events(kAdded, 10, std::nullopt);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].seq, kAdded + 1);
  EXPECT_EQ(events[0].wallet, "alice");
  EXPECT_EQ(events[0].time, test::kNow);
  EXPECT_EQ(std::get<wallet::TxEvent>(events[0].data), changes.events.at(0));
  EXPECT_EQ(sql("SELECT concat_ws(' ', state, net, block_height) FROM event WHERE type = 'tx'"), "confirmed 1000 10");
  // What was told is stored with it: nothing is told again.
  alice.stored.reset();
  OpenedWallet again(*store_, "alice");
  EXPECT_THAT(again.wallet.tell().events, IsEmpty());
}

TEST_F(DatabaseEventsTest, WakeThoseWhoWait) {
  std::vector<LoggedEvent> found;
  std::thread reader([&] { found = store_->wait_events(kAdded, 10, "bob", 60s); });
  const auto other = process();
  OpenedWallet bob(*other, "bob");
  commit(*other, bob, payment_at(bob.wallet, 10));
  reader.join();
  EXPECT_THAT(found, SizeIs(1));
  EXPECT_THAT(store_->wait_events(kAdded + 1, 10, std::nullopt, 10ms), IsEmpty());
}

TEST_F(DatabaseEventsTest, SayThatAWalletWasRenamedByAnotherProcess) {
  const auto other = process();
  std::thread writer([&] {
    OpenedWallet bob(*other, "bob");
    commit(*other, bob, payment_at(bob.wallet, 10));
  });
  EXPECT_THAT(store_->wait_events(kAdded, 10, "bob", 60s), SizeIs(1)) << "from now on it hears others";
  writer.join();
  const auto end = std::chrono::steady_clock::now() + 60s;
  // The connection by which it hears them may have come up after that event was read.
  const auto wait_for_change = [&](std::uint64_t seen) {
    while (store_->renames() == seen && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    return store_->renames() != seen;
  };
  ASSERT_TRUE(wait_for_change(0)) << "some may have been missed before it was up";
  const auto seen = store_->renames();
  other->rename("alice", "carol");
  EXPECT_TRUE(wait_for_change(seen));
  EXPECT_EQ(store_->events(0, 1, std::nullopt).at(0).wallet, "carol");
}

TEST_F(DatabaseEventsTest, ArePrunedFromTheOldestOn) {
  OpenedWallet alice(*store_, "alice");
  const auto changes = payment_at(alice.wallet, 10);
  store_->prune_events(kLater);
  for (const int time : {10, 30, 20, 40}) {
    std::vector<WalletChanges> batch{{.wallet = alice.stored.get(), .changes = &changes, .done = false}};
    store_->commit(batch, kLater + time);
  }
  EXPECT_EQ(store_->oldest_event(), kAdded + 1);
  store_->prune_events(kLater + 25);
  EXPECT_EQ(store_->oldest_event(), kAdded + 2);
  store_->prune_events(kLater + 1'000);
  EXPECT_EQ(store_->oldest_event(), kAdded + 5) << "the next one";
  EXPECT_EQ(store_->newest_event(), kAdded + 4);
}

TEST_F(DatabaseEventsTest, OfTheChainAndOfWalletsCanBeQueried) {
  test::SampleChain chain(5);
  store_->tell_tip(chain.view(), 7);
  store_->tell_tip(chain.leave_at(3, 4, 1).view(), 7);
  store_->remove("bob");
  EXPECT_EQ(
      sql("SELECT string_agg(concat_ws(' ', seq, type, coalesce(name, '-'), state, block_height), ', ' ORDER BY seq)"
          " FROM event LEFT JOIN (SELECT id, name FROM wallet UNION ALL SELECT id, name FROM removed_wallet) AS named"
          " ON named.id = event.wallet"),
      "1 wallet alice added, 2 wallet bob added, 3 tip - 5, 4 reorg - 3, 5 tip - 7, 6 wallet bob removed");
  EXPECT_EQ(sql("SELECT count(*) FROM event AS reorg JOIN event AS tip ON tip.block_hash = reorg.old_hash"
                " WHERE reorg.type = 'reorg' AND tip.type = 'tip'"),
            "1");
  EXPECT_EQ(sql("SELECT count(*) || ' ' || max(height) FROM told_block"), "8 7");
}

TEST_F(DatabaseEventsTest, KeepThePlacesOfTheirReaders) {
  EXPECT_EQ(store_->position("billing"), 0);
  store_->acknowledge("billing", 7);
  store_->acknowledge("billing", 5);
  EXPECT_EQ(store_->position("billing"), 7);
  EXPECT_EQ(process()->position("billing"), 7);
}

// A counter that is gone must not pass unnoticed.
TEST_F(DatabaseEventsTest, AreNotLostWithTheCounter) {
  sql("DELETE FROM counter");
  OpenedWallet alice(*store_, "alice");
  EXPECT_EQ(kind_of_error([&] { commit(*store_, alice, payment_at(alice.wallet, 10)); }), StoreError::Kind::Constraint);
  EXPECT_EQ(sql("SELECT count(*) FROM wallet_tx"), "0");
}

}  // namespace
}  // namespace spv::store::postgres
