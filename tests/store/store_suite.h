// What every store must do, whatever it keeps wallets in: one suite, run over files and over a database.
//
// A program that includes this gives its stores with INSTANTIATE_TEST_SUITE_P(Name, StoreSuite, values).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "tests/store/chain_samples.h"
#include "tests/store/wallet_repository_samples.h"
#include "util/overloaded.h"

namespace spv::test {

/// Where wallets are: one place, which several stores open as several processes would.
class StorePlace {
 public:
  StorePlace() = default;
  StorePlace(const StorePlace&) = delete;
  StorePlace& operator=(const StorePlace&) = delete;
  virtual ~StorePlace() = default;
  virtual std::shared_ptr<store::Store> open(chain::Network network) = 0;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StorePlace>()> make;
};
inline void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }

class StoreSuite : public testing::TestWithParam<StoreKind> {
 protected:
  using Kind = store::StoreError::Kind;
  using Access = store::Access;

  StoreSuite() : place_(GetParam().make()), store_(another()) {}

  /// The same wallets, as another process has them.
  std::shared_ptr<store::Store> another() { return place_->open(chain::Network::Main); }

  static store::NewStoredWallet sample(int transactions = 3) {
    return {.contents = sample_contents(transactions), .info = kWatchOnly, .secret = {}};
  }
  static store::NewStoredWallet sample_with_seed() {
    auto wallet = sample();
    wallet.info = {.kind = store::WalletKind::Mnemonic,
                   .created = 12,
                   .fingerprint = std::array<std::uint8_t, 4>{1, 2, 3, 4},
                   .encrypted = false};
    wallet.secret = store::StoredSecret{.format = store::StoredSecret::Format::Plain, .data = {7, 8, 9}};
    return wallet;
  }
  static wallet::TxEvent event(std::uint64_t number, wallet::TxStanding state = wallet::TxStanding::Unconfirmed) {
    wallet::TxEvent out;
    out.txid = TxBuilder(number).build().txid();
    out.state = state;
    out.net = static_cast<chain::Amount>(number);
    out.outputs.push_back({.vout = 1, .value = 5, .script = receive_script(1), .chain = 0, .index = 1});
    return out;
  }
  /// A transaction with its event, as a scan finds it.
  static wallet::Changes found(store::WalletContents contents, std::uint64_t number, chain::Height height) {
    wallet::Wallet wallet(std::move(contents.config), std::move(contents.state));
    const auto tx = TxBuilder(number).pays(receive_script(1), 1'000).build();
    auto changes = confirm(wallet, tx, height);
    changes.events.push_back(event(number, wallet::TxStanding::Confirmed));
    changes.events.back().txid = tx.txid();
    return changes;
  }
  static void commit(store::Store& store, store::StoredWallet& wallet, const wallet::Changes& changes,
                     util::UnixTime now = 1'700'000'000) {
    store::WalletChanges batch{.wallet = &wallet, .changes = &changes};
    store.commit({&batch, 1}, now);
    EXPECT_TRUE(batch.done);
  }
  static wallet::Changes told(std::uint64_t number) {
    wallet::Changes changes;
    changes.events.push_back(event(number));
    return changes;
  }
  std::vector<store::Seq> numbers(store::Seq after = 0) {
    std::vector<store::Seq> out;
    for (const auto& each : store_->events(after, 1'000, std::nullopt)) out.push_back(each.seq);
    return out;
  }

  /// All of the log, as "added a", "tip 5", "reorg 4", "tx a".
  std::vector<std::string> story(store::Seq after = 0, const std::optional<std::string>& wallet = std::nullopt) {
    std::vector<std::string> out;
    for (const auto& each : store_->events(after, 1'000, wallet)) {
      out.push_back(std::visit(
          util::Overloaded{
              [&](const wallet::TxEvent&) { return "tx " + each.wallet; },
              [](const store::TipEvent& tip) { return "tip " + std::to_string(tip.block.height); },
              [](const store::ReorgEvent& reorg) { return "reorg " + std::to_string(reorg.fork_height); },
              [&](const store::WalletEvent& told) { return std::string(to_string(told.state)) + ' ' + each.wallet; }},
          each.data));
    }
    return out;
  }
  static wallet::Changes synced(bool value = true) {
    wallet::Changes changes;
    changes.synced = value;
    return changes;
  }

  std::unique_ptr<StorePlace> place_;
  std::shared_ptr<store::Store> store_;
};

// --- wallets --------------------------------------------------------------------------------------------------------

TEST_P(StoreSuite, HasNothingAtFirst) {
  EXPECT_TRUE(store_->names().empty());
  EXPECT_FALSE(store_->contains("a"));
  EXPECT_EQ(kind_thrown_by([&] { static_cast<void>(store_->open("a", Access::Read)); }), Kind::Missing);
  EXPECT_TRUE(store_->events(0, 10, std::nullopt).empty());
  EXPECT_EQ(store_->newest_event(), 0);
  EXPECT_FALSE(store_->oldest_event());
}

TEST_P(StoreSuite, GivesBackAllOfAWallet) {
  const auto given = sample_with_seed();
  store_->create("mine", given);
  EXPECT_THAT(store_->names(), testing::ElementsAre("mine"));
  EXPECT_TRUE(another()->contains("mine"));
  for (const Access access : {Access::Read, Access::Shared, Access::Write}) {
    const auto wallet = store_->open("mine", access);
    EXPECT_EQ(describe(wallet->load()), describe(given.contents));
    EXPECT_EQ(wallet->network(), chain::Network::Main);
    EXPECT_EQ(wallet->info().kind, store::WalletKind::Mnemonic);
    EXPECT_EQ(wallet->info().created, 12);
    EXPECT_EQ(wallet->info().fingerprint, given.info.fingerprint);
    EXPECT_FALSE(wallet->info().encrypted);
    EXPECT_EQ(wallet->secret()->data, given.secret->data);
  }
}

TEST_P(StoreSuite, NeverOverwrites) {
  store_->create("mine", sample(2));
  EXPECT_EQ(kind_thrown_by([&] { store_->create("mine", sample(3)); }), Kind::Exists);
  EXPECT_EQ(store_->open("mine", Access::Read)->load().state.transactions.size(), 3U);
}

TEST_P(StoreSuite, OfTwoWhoMakeTheSameNameOneMakesIt) {
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto mine = another();
      try {
        mine->create("same", sample());
        ++made;
      } catch (const store::StoreError& error) {
        EXPECT_TRUE(error.kind() == Kind::Exists || error.kind() == Kind::Locked) << error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST_P(StoreSuite, AWalletWhoseWordsNobodyCouldSeeIsNotMade) {
  EXPECT_THROW(store_->create("mine", sample(), [] { throw std::runtime_error("no terminal"); }), std::runtime_error);
  EXPECT_FALSE(store_->contains("mine"));
  bool seen = true;
  store_->create("mine", sample(), [&] { seen = another()->contains("mine"); });
  EXPECT_FALSE(seen) << "it is shown before it is there";
}

TEST_P(StoreSuite, OneAtATimeWrites) {
  store_->create("mine", sample());
  const auto other = another();
  auto writer = store_->open("mine", Access::Write);
  EXPECT_EQ(kind_thrown_by([&] { static_cast<void>(other->open("mine", Access::Write)); }), Kind::Locked);
  EXPECT_EQ(describe(other->open("mine", Access::Read)->load()), describe(writer->load()));
  writer.reset();
  store_.reset();
  EXPECT_TRUE(other->open("mine", Access::Write));
}

TEST_P(StoreSuite, AWalletOfAnotherNetworkIsRefused) {
  store_->create("mine", sample());
  EXPECT_EQ(
      kind_thrown_by([&] { static_cast<void>(place_->open(chain::Network::Regtest)->open("mine", Access::Read)); }),
      Kind::WrongNetwork);
}

TEST_P(StoreSuite, OpensManyInTheOrderOfTheirNames) {
  for (const char* name : {"a", "b", "c"}) store_->create(name, sample(name[0] - 'a'));
  const auto all = store_->open_all({"c", "a", "b"}, Access::Write);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].contents.state.transactions.size(), 3U);
  EXPECT_EQ(all[1].contents.state.transactions.size(), 1U);
  EXPECT_EQ(all[2].contents.state.transactions.size(), 2U);
  EXPECT_EQ(kind_thrown_by([&] { static_cast<void>(store_->open_all({"a", "x"}, Access::Read)); }), Kind::Missing);
}

TEST_P(StoreSuite, RenamesAndRemoves) {
  store_->create("mine", sample());
  store_->create("yours", sample());
  EXPECT_EQ(kind_thrown_by([&] { store_->rename("mine", "yours"); }), Kind::Exists);
  {
    const auto writer = store_->open("mine", Access::Write);
    const auto other = another();
    EXPECT_EQ(kind_thrown_by([&] { other->rename("mine", "ours"); }), Kind::Locked);
    EXPECT_EQ(kind_thrown_by([&] { other->remove("mine"); }), Kind::Locked);
  }
  store_->rename("mine", "ours");
  EXPECT_THAT(store_->names(), testing::ElementsAre("ours", "yours"));
  EXPECT_EQ(describe(store_->open("ours", Access::Read)->load()), describe(sample().contents));
  store_->remove("ours");
  EXPECT_THAT(store_->names(), testing::ElementsAre("yours"));
  EXPECT_EQ(kind_thrown_by([&] { store_->remove("ours"); }), Kind::Missing);
  EXPECT_EQ(kind_thrown_by([&] { store_->rename("ours", "x"); }), Kind::Missing);
}

TEST_P(StoreSuite, ABackupIsAWalletFileWithEverything) {
  const TempDir folder;
  auto given = sample_with_seed();
  given.labels = {{.kind = wallet::LabelKind::Tx, .ref = "t", .text = "rent", .origin = "o", .spendable = {}}};
  store_->create("mine", given);
  store_->backup("mine", folder.file("copy.sqlite"));
  auto copy = store::WalletRepository::open(folder.file("copy.sqlite"), store::WalletRepository::Mode::ReadOnly);
  EXPECT_EQ(describe(copy.load()), describe(given.contents));
  EXPECT_EQ(copy.labels(), given.labels);
  EXPECT_EQ(copy.secret()->data, given.secret->data);
  EXPECT_EQ(kind_thrown_by([&] { store_->backup("mine", folder.file("copy.sqlite")); }), Kind::Exists);
  store_->create("again", store::copy_of(copy));
  EXPECT_EQ(describe(store_->open("again", Access::Read)->load()), describe(given.contents));
  EXPECT_EQ(store_->open("again", Access::Read)->labels(), given.labels);
}

// --- commits --------------------------------------------------------------------------------------------------------

TEST_P(StoreSuite, WhatIsCommittedIsThere) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  auto contents = wallet->load();
  wallet::Wallet memory(contents.config, contents.state);
  auto changes = confirm(memory, TxBuilder(5).pays(receive_script(4), 1'000).build(), 210);
  changes.merge(see(memory, TxBuilder(6).pays(change_script(2), 2'000).build()));
  wallet::ScanState scan = scanned_to(300);
  scan.peers = 2;
  scan.time = 5;
  changes.merge(memory.set_scan(scan));
  commit(*store_, *wallet, changes);
  const auto loaded = another()->open("mine", Access::Read)->load();
  const wallet::Wallet read(loaded.config, loaded.state);
  EXPECT_EQ(read.balance(), memory.balance());
  EXPECT_EQ(read.scan(), memory.scan());
  EXPECT_EQ(loaded.state.key_chains[0].last_used, 4U);
  ASSERT_EQ(loaded.state.transactions.size(), memory.transactions().size());
  for (std::size_t i = 0; i < loaded.state.transactions.size(); ++i) {
    EXPECT_EQ(loaded.state.transactions[i], memory.transactions()[i]) << "in the order of arrival";
  }
}

TEST_P(StoreSuite, AReorganisationAndABirthdayAreCommittedToo) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  auto contents = wallet->load();
  wallet::Wallet memory(contents.config, contents.state);
  auto changes = memory.disconnect_above({.height = 10, .hash = {}});
  changes.birthday = 3;
  commit(*store_, *wallet, changes);
  const auto loaded = wallet->load();
  EXPECT_EQ(wallet::Wallet(loaded.config, loaded.state).balance(), memory.balance());
  EXPECT_EQ(loaded.config.birthday, 3);
  EXPECT_EQ(loaded.state.scan.scanned_to.height, 10);
}

TEST_P(StoreSuite, KeepsDerivedScripts) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  wallet::Changes changes;
  wallet::ChainScripts first{.chain = 0, .first = 0, .scripts = {}};
  for (std::uint32_t i = 0; i < 12; ++i) first.scripts.push_back(receive_script(i));
  wallet::ChainScripts change{.chain = 1, .first = 0, .scripts = {}};
  change.scripts.push_back(change_script(0));
  changes.scripts = {first, change};
  commit(*store_, *wallet, changes);
  wallet::Changes more;
  more.scripts = {{.chain = 0, .first = 12, .scripts = {}}};
  more.scripts[0].scripts.push_back(receive_script(12));
  commit(*store_, *wallet, more);
  first.scripts.append(more.scripts[0].scripts);
  const auto loaded = another()->open("mine", Access::Read)->load();
  ASSERT_EQ(loaded.state.scripts.size(), 2U);
  // A store may derive the others itself.
  const auto begins_with = [](wallet::ScriptList all, const wallet::ScriptList& wanted) {
    all.truncate(wanted.size());
    return all == wanted;
  };
  EXPECT_TRUE(begins_with(loaded.state.scripts[0], first.scripts));
  EXPECT_TRUE(begins_with(loaded.state.scripts[1], change.scripts));
}

TEST_P(StoreSuite, KeepsHowFarAPaymentHasGotAndWhatWasTold) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  auto changes = found(wallet->load(), 5, 210);
  ASSERT_EQ(changes.transactions.size(), 1U);
  changes.transactions[0].sending = wallet::Sending{.state = wallet::SendState::Fetched, .peers_accepted = 2};
  changes.events[0].confirmation = changes.transactions[0].confirmation;
  commit(*store_, *wallet, changes);
  const auto loaded = wallet->load();
  EXPECT_EQ(loaded.state.transactions.back(), changes.transactions[0]);
  EXPECT_THAT(loaded.state.told, testing::ElementsAre(told_by(changes.events[0])));
}

TEST_P(StoreSuite, ABatchOfSeveralWallets) {
  store_->create("a", sample());
  store_->create("b", sample());
  auto a = store_->open("a", Access::Write);
  auto b = store_->open("b", Access::Write);
  const auto first = found(a->load(), 1, 201);
  const auto second = found(b->load(), 2, 202);
  std::vector<store::WalletChanges> batch{{.wallet = a.get(), .changes = &first},
                                          {.wallet = b.get(), .changes = &second}};
  store_->commit(batch, 77);
  EXPECT_TRUE(batch[0].done && batch[1].done);
  EXPECT_EQ(a->load().state.transactions.size(), 5U);
  EXPECT_EQ(b->load().state.transactions.size(), 5U);
  const auto events = store_->events(2, 10, std::nullopt);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].wallet, "a");
  EXPECT_EQ(events[1].wallet, "b");
  EXPECT_EQ(std::get<wallet::TxEvent>(events[1].data), second.events[0]);
  EXPECT_EQ(events[1].time, 77);
}

TEST_P(StoreSuite, AWalletThatRestsGoesOn) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  wallet->rest();
  EXPECT_EQ(kind_thrown_by([&] { static_cast<void>(another()->open("mine", Access::Write)); }), Kind::Locked);
  commit(*store_, *wallet, found(wallet->load(), 5, 210));
  wallet->rest();
  EXPECT_EQ(wallet->load().state.told.size(), 1U);
}

TEST_P(StoreSuite, GrowsAWallet) {
  store_->create("mine", sample());
  auto wallet = store_->open("mine", Access::Write);
  auto contents = wallet->load();
  contents.config.gap_limit = 30;
  contents.config.birthday = 2;
  contents.state.key_chains[0].watched = 300;
  contents.config.key_chains.push_back(
      {.descriptor = parse_descriptors("wpkh(" + std::string(kXpub) + "/5/*)")[0], .change = false});
  contents.state.key_chains.push_back({.watched = 300, .last_used = {}, .next_unissued = 0});
  contents.state.scan.backfill = wallet::HeightRange{.from = 2, .to = 200};
  wallet->reconfigure(contents);
  EXPECT_EQ(describe(wallet->load()), describe(contents));
  EXPECT_EQ(describe(another()->open("mine", Access::Read)->load()), describe(contents));
}

// --- what belongs to the user ---------------------------------------------------------------------------------------

TEST_P(StoreSuite, AnAddressIsHandedOutOnce) {
  store_->create("mine", sample());
  auto writer = store_->open("mine", Access::Write);
  auto contents = writer->load();
  auto beside = another();
  auto shared = beside->open("mine", Access::Shared);
  const auto before = shared->issued();
  EXPECT_TRUE(shared->issue(0, before[0]));
  EXPECT_FALSE(shared->issue(0, before[0]));
  EXPECT_FALSE(writer->issue(0, before[0]));
  EXPECT_EQ(writer->issued()[0], before[0] + 1);
  wallet::Changes changes;
  changes.key_chains = {{.chain = 0, .state = contents.state.key_chains[0]}};
  commit(*store_, *writer, changes);
  EXPECT_EQ(writer->issued()[0], before[0] + 1) << "the higher number counts";
}

TEST_P(StoreSuite, LabelsAreChangedBesideAWriter) {
  store_->create("mine", sample());
  auto writer = store_->open("mine", Access::Write);
  const auto coin = writer->load().state.transactions[0].txid;
  const std::string ref = util::to_string(coin) + ":0";
  auto beside = another();
  auto shared = beside->open("mine", Access::Shared);
  shared->change_labels({{.kind = wallet::LabelKind::Tx, .ref = "t", .text = "rent"},
                         {.kind = wallet::LabelKind::Output, .ref = ref, .spendable = false}});
  EXPECT_EQ(writer->labels().size(), 2U);
  EXPECT_THAT(writer->frozen(), testing::ElementsAre(chain::OutPoint{coin, 0}));
  EXPECT_EQ(writer->load().state.frozen, writer->frozen());
  shared->change_labels({{.kind = wallet::LabelKind::Tx, .ref = "t", .text = ""}});
  ASSERT_EQ(writer->labels().size(), 1U);
  EXPECT_EQ(writer->labels()[0].ref, ref);
}

TEST_P(StoreSuite, ASecretIsReplaced) {
  store_->create("mine", sample_with_seed());
  auto wallet = store_->open("mine", Access::Write);
  const store::StoredSecret sealed{.format = store::StoredSecret::Format::Encrypted, .data = {1}};
  EXPECT_TRUE(wallet->replace_secret(sealed));
  EXPECT_TRUE(wallet->info().encrypted);
  const auto read = another()->open("mine", Access::Read);
  EXPECT_TRUE(read->info().encrypted);
  EXPECT_EQ(read->secret()->data, sealed.data);
  EXPECT_EQ(read->secret()->format, store::StoredSecret::Format::Encrypted);
  store_->create("watched", sample());
  EXPECT_FALSE(store_->open("watched", Access::Read)->secret());
}

// --- which wallets to follow ----------------------------------------------------------------------------------------

TEST_P(StoreSuite, AloneItFollowsAllWallets) {
  store_->create("a", sample());
  store_->share_wallets();
  const auto wait_for = [&](std::vector<std::string> gone, std::vector<std::string> taken) {
    store::LeasedWallets seen;
    while (seen.gone.size() < gone.size() || seen.taken.size() < taken.size()) {
      const auto found = store_->wait_leased(std::chrono::seconds(60));
      if (found.empty()) break;
      seen.gone.insert(seen.gone.end(), found.gone.begin(), found.gone.end());
      seen.taken.insert(seen.taken.end(), found.taken.begin(), found.taken.end());
    }
    EXPECT_EQ(seen.gone, gone);
    EXPECT_EQ(seen.taken, taken);
  };
  wait_for({}, {"a"});
  EXPECT_TRUE(store_->wait_leased(std::chrono::milliseconds(1)).empty());
  another()->create("b", sample());
  wait_for({}, {"b"});
  store_->rename("a", "c");
  wait_for({"a"}, {"c"});
  store_->remove("b");
  wait_for({"b"}, {});
}

// --- other processes
// --------------------------------------------------------------------------------------------------

TEST_P(StoreSuite, AloneItLeadsAndHasNoErrands) {
  store_->share_wallets();
  EXPECT_TRUE(store_->leads());
  EXPECT_TRUE(store_->take_errands().empty());
  EXPECT_TRUE(store_->take_errands(std::chrono::milliseconds(1)).empty());
  store_->answer_errand(7, "nobody asked");
}

TEST_P(StoreSuite, AnErrandThatNobodyTakesInTimeIsNotCarriedOutLater) {
  store_->create("a", sample());
  const auto reply = store_->ask_holder("a", "rescan", "{}", std::chrono::milliseconds(1));
  EXPECT_FALSE(reply.answer);
  EXPECT_FALSE(reply.taken);
  const auto other = another();
  other->share_wallets();
  EXPECT_TRUE(other->take_errands().empty());
}

// --- the log of events ----------------------------------------------------------------------------------------------

TEST_P(StoreSuite, EventsHaveOneOrderAndAreReadByNumber) {
  store_->create("a", sample());
  store_->create("b", sample());
  auto a = store_->open("a", Access::Write);
  auto b = store_->open("b", Access::Write);
  for (std::uint64_t i = 0; i < 3; ++i) {
    commit(*store_, *a, told(10 + i));
    commit(*store_, *b, told(20 + i));
  }
  EXPECT_THAT(numbers(), testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8)) << "two were added";
  EXPECT_THAT(numbers(6), testing::ElementsAre(7, 8));
  EXPECT_EQ(store_->events(0, 2, std::nullopt).size(), 2U);
  const auto of_b = another()->events(4, 10, "b");
  ASSERT_EQ(of_b.size(), 2U);
  EXPECT_EQ(of_b[0].seq, 6);
  EXPECT_EQ(std::get<wallet::TxEvent>(of_b[0].data), event(21));
  EXPECT_EQ(store_->newest_event(), 8);
  EXPECT_EQ(store_->oldest_event(), 1);
}

TEST_P(StoreSuite, EventsAreForgottenByTimeAndNumbersGoOn) {
  store_->create("a", sample());
  auto a = store_->open("a", Access::Write);
  constexpr util::UnixTime kLater = 10'000'000'000;  // than that it was added
  commit(*store_, *a, told(1), kLater + 100);
  commit(*store_, *a, told(2), kLater + 200);
  store_->prune_events(kLater + 150);
  EXPECT_EQ(store_->oldest_event(), 3);
  store_->prune_events(kLater + 1'000);
  EXPECT_EQ(store_->oldest_event(), 4) << "the next one: who has seen 3 has missed nothing";
  EXPECT_EQ(store_->newest_event(), 3);
  commit(*store_, *a, told(3), kLater + 300);
  EXPECT_THAT(numbers(), testing::ElementsAre(4));
  EXPECT_EQ(store_->oldest_event(), 4);
}

TEST_P(StoreSuite, WhoWaitsIsWokenByAnotherProcess) {
  store_->create("a", sample());
  auto a = store_->open("a", Access::Write);
  EXPECT_TRUE(store_->wait_events(1, 10, std::nullopt, std::chrono::milliseconds(1)).empty());
  const auto reader = another();
  std::vector<store::LoggedEvent> read;
  std::thread waits([&] { read = reader->wait_events(1, 10, std::nullopt, std::chrono::seconds(60)); });
  commit(*store_, *a, told(1));
  waits.join();
  EXPECT_EQ(read.size(), 1U);
}

TEST_P(StoreSuite, WhoWaitsForEventsIsWokenToStop) {
  std::stop_source stop;
  std::vector<store::LoggedEvent> read(1);
  std::thread waits([&] { read = store_->wait_events(0, 10, std::nullopt, std::chrono::hours(24), stop.get_token()); });
  stop.request_stop();
  waits.join();
  EXPECT_TRUE(read.empty());
  store_->create("a", sample());
  EXPECT_EQ(store_->wait_events(0, 10, std::nullopt, std::chrono::hours(24), stop.get_token()).size(), 1U)
      << "what is there is given all the same";
}

TEST_P(StoreSuite, APositionNeverGoesBack) {
  EXPECT_EQ(store_->position("billing"), 0);
  store_->acknowledge("billing", 5);
  store_->acknowledge("billing", 3);
  store_->acknowledge("mail", 1);
  EXPECT_EQ(another()->position("billing"), 5);
  EXPECT_EQ(store_->position("mail"), 1);
}

// Two writers and a reader that never looks back: it must see every number, in order.
TEST_P(StoreSuite, AReaderMissesNothingThatCommitsLate) {
  constexpr int kEach = 20;
  store_->create("a", sample());
  store_->create("b", sample());
  std::vector<std::thread> writers;
  for (const char* name : {"a", "b"}) {
    writers.emplace_back([this, name] {
      const auto store = another();
      const auto wallet = store->open(name, Access::Write);
      for (int i = 0; i < kEach; ++i) commit(*store, *wallet, told(static_cast<std::uint64_t>(i)));
    });
  }
  store::Seq last = 2;  // they were added
  while (last < 2 + 2 * kEach) {
    const auto read = store_->wait_events(last, 7, std::nullopt, std::chrono::seconds(60));
    ASSERT_FALSE(read.empty());
    for (const auto& each : read) ASSERT_EQ(each.seq, ++last);
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(store_->newest_event(), last);
}

// --- what the log tells of wallets ----------------------------------------------------------------------------------

TEST_P(StoreSuite, AWalletIsToldAsAddedSyncedAndRemovedOnce) {
  store_->create("a", sample());
  for (int i = 0; i < 2; ++i) static_cast<void>(another()->open("a", Access::Write));
  {
    const auto a = store_->open("a", Access::Write);
    EXPECT_FALSE(a->load().state.synced);
    auto changes = told(1);
    changes.merge(synced());
    commit(*store_, *a, changes);
    EXPECT_TRUE(a->load().state.synced);
  }
  EXPECT_THAT(story(), testing::ElementsAre("added a", "tx a", "synced a"));
  EXPECT_THAT(story(1, "a"), testing::ElementsAre("tx a", "synced a"));
  EXPECT_TRUE(another()->open("a", Access::Read)->load().state.synced);
  store_->remove("a");
  EXPECT_THAT(story(3), testing::ElementsAre("removed a"));
  store_->create("a", sample());
  EXPECT_THAT(story(4), testing::ElementsAre("added a"));
  EXPECT_EQ(story(0, "a").size(), 5U) << "both of that name";
}

TEST_P(StoreSuite, AWalletThatIsRenamedIsNeitherAddedNorRemoved) {
  store_->create("a", sample());
  store_->rename("a", "b");
  static_cast<void>(store_->open("b", Access::Write));
  EXPECT_EQ(store_->newest_event(), 1);
  store_->remove("b");
  EXPECT_THAT(story(1), testing::ElementsAre("removed b"));
}

TEST_P(StoreSuite, ThatAWalletIsSyncedIsToldAgainAfterARescan) {
  store_->create("a", sample());
  const auto a = store_->open("a", Access::Write);
  commit(*store_, *a, synced());
  commit(*store_, *a, synced(false));
  EXPECT_FALSE(a->load().state.synced);
  EXPECT_THAT(story(), testing::ElementsAre("added a", "synced a"));
  commit(*store_, *a, synced());
  auto contents = a->load();
  EXPECT_TRUE(contents.state.synced);
  a->reconfigure(contents);
  EXPECT_TRUE(a->load().state.synced);
  contents.state.synced = false;
  a->reconfigure(contents);
  EXPECT_FALSE(a->load().state.synced);
  EXPECT_THAT(story(1), testing::ElementsAre("synced a", "synced a"));
}

TEST_P(StoreSuite, ACopyOfASyncedWalletIsToldAsANewOne) {
  store_->create("a", sample());
  {
    const auto a = store_->open("a", Access::Write);
    commit(*store_, *a, synced());
    store_->create("b", copy_of(*a));
  }
  EXPECT_THAT(story(2), testing::ElementsAre("added b"));
  EXPECT_FALSE(store_->open("b", Access::Write)->load().state.synced);
}

// --- what the log tells of the chain --------------------------------------------------------------------------------

TEST_P(StoreSuite, ATipIsToldOnceForAllProcesses) {
  SampleChain chain(5);
  store_->tell_tip(chain.view(), 7);
  store_->tell_tip(chain.view(), 8);
  another()->tell_tip(chain.view(), 8);
  const SampleChain behind = chain;
  another()->tell_tip(chain.grow(1).view(), 9);
  store_->tell_tip(behind.view(), 9);  // it lags
  store_->tell_tip(chain.view(), 9);
  EXPECT_THAT(story(), testing::ElementsAre("tip 5", "tip 6"));
  const auto events = store_->events(0, 10, std::nullopt);
  EXPECT_EQ(std::get<store::TipEvent>(events[1].data).block, chain.tip());
  EXPECT_EQ(events[0].wallet, "");
  EXPECT_EQ(events[0].time, 7);
  store_->create("a", sample());
  EXPECT_THAT(story(0, "a"), testing::ElementsAre("added a")) << "a wallet's events leave the chain's out";
}

TEST_P(StoreSuite, AReorganisationIsToldWithItsForkBeforeTheNewTip) {
  SampleChain chain(3'000);
  store_->tell_tip(chain.view(), 7);
  store_->tell_tip(chain.grow(2).view(), 7);
  const auto from = chain.tip().hash;
  const SampleChain old = chain;
  chain.leave_at(2'990, 13, 1);
  another()->tell_tip(chain.view(), 7);
  store_->tell_tip(old.view(), 7);
  EXPECT_THAT(story(), testing::ElementsAre("tip 3000", "tip 3002", "reorg 2990", "tip 3003"));
  const auto reorg = std::get<store::ReorgEvent>(store_->events(2, 1, std::nullopt).at(0).data);
  EXPECT_EQ(reorg, (store::ReorgEvent{from, chain.tip().hash, 2'990}));
  // One of as much work is none; back again with more is one.
  store_->tell_tip(SampleChain(old).grow(1).view(), 7);
  store_->tell_tip(SampleChain(old).grow(2).view(), 7);
  EXPECT_THAT(story(4), testing::ElementsAre("reorg 2990", "tip 3004"));
  // What is below the blocks that are kept is known as far as those reach.
  store_->tell_tip(SampleChain(100).leave_at(100, 3'000, 2).view(), 7);
  EXPECT_THAT(story(6), testing::ElementsAre("reorg 988", "tip 3100"));
}

TEST_P(StoreSuite, AProcessWhoseHeadersBeginAboveTheLastTipTellsNoReorganisation) {
  SampleChain chain(50);
  store_->tell_tip(chain.view(), 7);
  store_->tell_tip(chain.grow(100).begin_at(100).view(), 7);
  EXPECT_THAT(story(), testing::ElementsAre("tip 50", "tip 150"));
  store_->tell_tip(chain.leave_at(120, 40, 1).view(), 7);
  EXPECT_THAT(story(2), testing::ElementsAre("reorg 120", "tip 160"));
}

// Each of several processes tells every block that it comes to, also those of a branch that only it has for a while.
TEST_P(StoreSuite, ProcessesThatTellAtOnceTellOneStory) {
  constexpr int kBlocks = 30;
  std::vector<std::thread> processes;
  for (std::uint8_t branch = 0; branch < 3; ++branch) {
    processes.emplace_back([this, branch] {
      const auto store = another();
      SampleChain chain(10);
      for (int i = 0; i < kBlocks; ++i) store->tell_tip(chain.grow(1, branch).view(), 7);
    });
  }
  for (auto& process : processes) process.join();
  std::optional<store::TipEvent> tip;
  std::optional<store::ReorgEvent> reorg;
  for (const auto& each : store_->events(0, 1'000, std::nullopt)) {
    if (const auto* fork = std::get_if<store::ReorgEvent>(&each.data)) {
      ASSERT_TRUE(tip && !reorg);
      EXPECT_EQ(fork->from, tip->block.hash);
      EXPECT_EQ(fork->fork_height, 10);
      reorg = *fork;
      continue;
    }
    const auto next = std::get<store::TipEvent>(each.data);
    if (tip) {
      EXPECT_GT(next.block.height, tip->block.height);
      EXPECT_EQ(reorg.has_value(), tip->block.hash.bytes[2] != next.block.hash.bytes[2]);
    }
    if (reorg) {
      EXPECT_EQ(reorg->to, next.block.hash);
    }
    tip = next;
    reorg.reset();
  }
  ASSERT_TRUE(tip);
  EXPECT_EQ(tip->block.height, 10 + kBlocks);
}

}  // namespace spv::test
