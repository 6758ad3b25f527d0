// The outbox of a wallet file and the log of a data directory: nothing lost, nothing twice, one order.
#include "store/event_log.h"

#include <gtest/gtest.h>

#include "store/event_codec.h"
#include "tests/store/wallet_repository_samples.h"

namespace spv::store {
namespace {

using wallet::TxEvent;
using wallet::TxStanding;

TxEvent sample_event(int number) {
  TxEvent event;
  event.txid.bytes[0] = static_cast<std::uint8_t>(number);
  event.state = TxStanding::Confirmed;
  event.net = -number;
  event.confirmation = test::confirmed_at(100 + number);
  event.outputs = {{.vout = 7, .value = 99, .script = test::receive_script(3), .chain = 1, .index = 3}};
  return event;
}

std::vector<StoredEvent> numbered(int from, int to) {
  std::vector<StoredEvent> out;
  for (int number = from; number <= to; ++number) out.push_back({number, 1'000 + number, sample_event(number)});
  return out;
}

class EventLogTest : public ::testing::Test {
 protected:
  std::vector<std::int64_t> nets(Seq after, std::size_t limit, const std::optional<std::string>& wallet = {}) {
    std::vector<std::int64_t> out;
    for (const auto& each : log_.read(after, limit, wallet)) out.push_back(std::get<wallet::TxEvent>(each.data).net);
    return out;
  }
  using Nets = std::vector<std::int64_t>;

  test::TempDir folder_;
  const std::string path_ = folder_.file("data/events.sqlite");
  EventLog log_{path_};
  const EventSource alice_{"alice", 1};
  const EventSource bob_{"bob", 0xFFFF'FFFF'FFFF'FFFF};
};

TEST(EventCodec, GivesBackWhatItGot) {
  TxEvent event = sample_event(1);
  EXPECT_EQ(decode_event(encode_event(event)), EventData(event));
  event = {};
  event.state = TxStanding::Conflicted;
  event.replaced_by = sample_event(9).txid;
  const auto bytes = encode_event(event);
  EXPECT_EQ(decode_event(bytes), EventData(event));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_event(util::ByteView(bytes).first(size)), StoreError) << size;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(decode_event(longer), StoreError);
  auto other = bytes;
  other[0] = 5;
  EXPECT_THROW(decode_event(other), StoreError) << "another format";
  other = bytes;
  other[33] = 6;
  EXPECT_THROW(decode_event(other), StoreError) << "no such state";
}

TEST(EventCodec, GivesBackWhatIsNotATransaction) {
  const chain::BlockRef block = test::confirmed_at(7).block;
  const std::vector<EventData> events{TipEvent{block}, ReorgEvent{test::confirmed_at(5).block.hash, block.hash, 4},
                                      WalletEvent{WalletState::Synced}, WalletEvent{WalletState::Removed}};
  for (const auto& event : events) {
    const auto bytes = encode_event(event);
    EXPECT_EQ(decode_event(bytes), event);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(decode_event(util::ByteView(bytes).first(size)), StoreError) << event.index() << ' ' << size;
    }
    auto longer = bytes;
    longer.push_back(0);
    EXPECT_THROW(decode_event(longer), StoreError);
  }
  EXPECT_THROW(decode_event(util::Bytes{4, 3}), StoreError) << "no such state";
}

TEST_F(EventLogTest, TakesEachEventOnceWhateverIsOffered) {
  log_.append({{alice_, numbered(1, 3)}, {bob_, numbered(1, 1)}});
  log_.append({{alice_, numbered(1, 3)}});
  log_.append({{alice_, numbered(2, 4)}, {bob_, {}}});
  EXPECT_EQ(nets(0, 100), (Nets{-1, -2, -3, -1, -4}));
  EXPECT_EQ(log_.last_of(alice_), 4);
  EXPECT_EQ(log_.last_of(bob_), 1);
  EXPECT_EQ(log_.last_of({"carol", 1}), 0);
  EXPECT_EQ(log_.newest(), 5);
}

TEST_F(EventLogTest, AnotherWalletOfTheSameNameStartsAnew) {
  log_.append({{alice_, numbered(1, 3)}});
  log_.append({{{"alice", 2}, numbered(1, 1)}});
  EXPECT_EQ(nets(0, 100, "alice"), (Nets{-1, -2, -3, -1}));
}

TEST_F(EventLogTest, IsReadByNumberWalletAndLimit) {
  log_.append({{alice_, numbered(1, 3)}, {bob_, numbered(1, 2)}});
  EXPECT_EQ(nets(1, 2), (Nets{-2, -3}));
  EXPECT_EQ(nets(3, 100, "bob"), (Nets{-1, -2}));
  EXPECT_EQ(nets(5, 100), Nets{});
  const auto first = log_.read(0, 1, std::nullopt).at(0);
  EXPECT_EQ(first.seq, 1);
  EXPECT_EQ(first.wallet, "alice");
  EXPECT_EQ(first.time, 1'001);
  EXPECT_EQ(std::get<wallet::TxEvent>(first.data), sample_event(1));
}

TEST_F(EventLogTest, ConsumersKeepTheirPositionsAndNeverGoBack) {
  EXPECT_EQ(log_.position("billing"), 0);
  log_.acknowledge("billing", 7);
  log_.acknowledge("mail", 2);
  log_.acknowledge("billing", 5);
  EventLog again(path_);
  EXPECT_EQ(again.position("billing"), 7);
  EXPECT_EQ(again.position("mail"), 2);
}

TEST_F(EventLogTest, WhatIsPrunedIsNotTakenOverAgainAndItsNumbersAreNotUsedAgain) {
  log_.append({{alice_, numbered(1, 3)}});
  EXPECT_EQ(log_.oldest(), 1);
  EXPECT_EQ(EventLog(folder_.file("other.sqlite")).oldest(), std::nullopt);
  log_.prune(1'003);
  EXPECT_EQ(log_.oldest(), 3);
  log_.prune(9'999);
  EXPECT_EQ(log_.oldest(), 4) << "the next one";
  EXPECT_EQ(log_.newest(), 3);
  log_.append({{alice_, numbered(1, 4)}});
  EXPECT_EQ(log_.read(0, 9, std::nullopt).at(0).seq, 4);
  EXPECT_EQ(nets(0, 9), Nets{-4});
}

// A log that an earlier version has left: its wallets are told as added when they are opened.
TEST_F(EventLogTest, AnOlderOneIsBroughtUpToDate) {
  const std::string path = folder_.file("old.sqlite");
  {
    EventLog log(path);
    log.append({{alice_, numbered(1, 2)}});
    log.acknowledge("billing", 1);
  }
  {
    Database db(path, Database::Mode::ReadWrite);
    db.execute(
        "DROP INDEX source_identity; ALTER TABLE source DROP COLUMN present; DROP TABLE told_tip; DROP TABLE "
        "told_block;"
        " PRAGMA user_version = 1");
  }
  EventLog log(path);
  EXPECT_EQ(log.position("billing"), 1);
  EXPECT_EQ(log.last_of(alice_), 2);
  EXPECT_EQ(log.names_of(alice_.identity), std::vector{alice_.wallet});
  EXPECT_TRUE(log.wallets().empty());
  log.add_wallet(alice_, 5);
  log.append({{alice_, numbered(1, 3)}});
  EXPECT_EQ(log.newest(), 4);
  EXPECT_TRUE(log.has(alice_));
}

TEST_F(EventLogTest, IsPrivateAndRefusesAnotherFile) {
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  WalletRepository::create(folder_.file("w.sqlite"), test::sample_contents(), test::kWatchOnly, std::nullopt);
  EXPECT_THROW(EventLog(folder_.file("w.sqlite")), StoreError);
}

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() { WalletRepository::create(path_, test::sample_contents(), test::kWatchOnly, std::nullopt); }
  WalletRepository open() { return WalletRepository::open(path_, WalletRepository::Mode::ReadWrite); }
  static wallet::Changes telling(std::vector<TxEvent> events) {
    wallet::Changes changes;
    changes.events = std::move(events);
    return changes;
  }

  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
};

TEST_F(OutboxTest, EventsAreNumberedAndWhatWasToldComesBack) {
  {
    auto file = open();
    file.commit(telling({sample_event(1), sample_event(2)}), 5);
    auto again = sample_event(1);
    again.state = TxStanding::Unconfirmed;
    again.confirmation.reset();
    file.commit(telling({again}), 6);
  }
  auto file = open();
  const auto events = file.events(1, 10);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].number, 2);
  EXPECT_EQ(events[0].time, 5);
  EXPECT_EQ(events[0].event, EventData(sample_event(2)));
  EXPECT_EQ(events[1].number, 3);
  auto told = file.load().state.told;
  ASSERT_EQ(told.size(), 2U);
  if (told[0].txid != sample_event(1).txid) std::swap(told[0], told[1]);
  EXPECT_EQ(told[0].state, TxStanding::Unconfirmed);
  EXPECT_EQ(told[1], told_by(sample_event(2)));
}

TEST_F(OutboxTest, AnOlderCopyOfTheFileGoesOnAboveWhatTheLogHas) {
  auto file = open();
  file.commit(telling({sample_event(1)}), 5);
  file.continue_events(1);
  file.commit(telling({sample_event(2)}), 5);
  EXPECT_EQ(file.events(0, 10).back().number, 2);
  file.continue_events(40);
  file.commit(telling({sample_event(3)}), 5);
  EXPECT_EQ(file.events(0, 10).back().number, 41);
}

TEST_F(OutboxTest, ADamagedEventIsNoticed) {
  {
    auto file = open();
    file.commit(telling({sample_event(1)}), 5);
  }
  for (const char* damage : {"UPDATE event SET time = 6", "UPDATE told SET net = 1"}) {
    std::filesystem::copy_file(path_, folder_.file("copy"), std::filesystem::copy_options::overwrite_existing);
    {
      Database db(folder_.file("copy"), Database::Mode::ReadWrite);
      db.execute(damage);
    }
    auto file = WalletRepository::open(folder_.file("copy"), WalletRepository::Mode::ReadOnly);
    EXPECT_THROW(
        {
          static_cast<void>(file.events(0, 1));
          static_cast<void>(file.load());
        },
        StoreError)
        << damage;
  }
}

}  // namespace
}  // namespace spv::store
