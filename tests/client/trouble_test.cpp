// The library in trouble: files that cannot be opened, stores that fail, others' code that throws, and wallets that
// come and go at the wrong moment. Nothing may be lost, and nobody may wait for ever.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/backend.h"
#include "client/client_maker.h"
#include "client/proof.h"
#include "store/header_file.h"
#include "tests/client/client_fixture.h"
#include "tests/client/troubled_store.h"
#include "tests/support/faults.h"

namespace spv::test {
namespace {

using testing::HasSubstr;

constexpr const char* kXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

class Trouble : public ClientTest {
 protected:
  [[nodiscard]] std::string headers() const { return folder_.file("data/regtest/headers.dat"); }
  /// Headers of another network, which cannot be used.
  void spoil_headers() const { store::HeaderFile::open(headers(), chain::params(chain::Network::Testnet4)); }

  Client open_with(const std::shared_ptr<store::Store>& store, const Options& given) {
    return std::move(*ClientMaker::open(given, store));
  }
  Client open_with(const std::shared_ptr<store::Store>& store) { return open_with(store, options()); }
  [[nodiscard]] std::shared_ptr<TroubledStore> troubled_store() {
    return std::make_shared<TroubledStore>(client::DataFolder(options().data_dir, chain::Network::Regtest),
                                           chain::Network::Regtest);
  }
  /// Two wallets that no filter has room for together.
  static void add_crowds(Client& client) {
    WatchOptions crowd;
    crowd.gap_limit = 150;
    const std::string xpub = kXpub;
    crowd.descriptors = {"wpkh(" + xpub + "/<0;1>/*)"};
    EXPECT_TRUE(client.watch_wallet("crowd", crowd));
    crowd.descriptors = {"wpkh(" + xpub + "/<2;3>/*)"};
    EXPECT_TRUE(client.watch_wallet("more", crowd));
  }
};

TEST_F(Trouble, ClosesAWalletThatCannotBeReadAgainAndTriesAtEveryStart) {
  const auto store = troubled_store();
  Client client = open_with(store);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  store->full = true;
  ASSERT_TRUE(client.start());
  ASSERT_EQ(wait_for<StoppedEvent>(client)->code, static_cast<int>(ErrorCode::Storage));
  static_cast<void>(client.stop());
  store->lost = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.start().error().code, ErrorCode::NotFound);
    EXPECT_EQ(client.balance("one").error().code, ErrorCode::NotFound) << "and not zero";
    EXPECT_EQ(client.address("one").error().code, ErrorCode::NotFound);
  }
  store->lost = false;
  store->full = false;
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
}

TEST_F(Trouble, AWalletThatIsNotOpenedAgainAfterARescanIsTriedUntilItIs) {
  const auto store = troubled_store();
  std::atomic<int> failures = 0;
  std::atomic<bool> counts = false;
  std::atomic<int> opened = 0;
  store->on_open = [&] {
    // The first time it is opened to note what is owed; then somebody else has it for a moment.
    if (!counts || ++opened == 1 || failures == 2) return;
    ++failures;
    throw store::StoreError(store::StoreError::Kind::Locked, "another process has it open");
  };
  // It is there from the start: nobody finds a new name later.
  ASSERT_TRUE(open_with(store).watch_wallet("one", watching(1)));
  auto given = options();
  given.follow = true;
  given.follow_all = true;
  Client client = open_with(store, given);
  client::Backend backend(client);
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<TransactionEvent>(client));
  counts = true;
  const auto rescanned = backend.rescan("one", 0);
  EXPECT_TRUE(rescanned) << rescanned.error().message;
  EXPECT_TRUE(backend.await_open("one", 30s));
  EXPECT_EQ(failures, 2);
}

TEST_F(Trouble, GivesUpAWalletThatCannotBeReadAgainWhenItIsClosed) {
  const auto store = troubled_store();
  Client client = open_with(store);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  store->full = true;
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  static_cast<void>(client.stop());
  store->lost = true;
  EXPECT_FALSE(client.start());
  EXPECT_TRUE(client.close_wallet("one"));
  EXPECT_TRUE(client.start());
}

// A log that takes no tip is a store that is away: the sync waits for it, and then tells it.
TEST_F(Trouble, WaitsForAStoreThatTakesNoTip) {
  const auto store = troubled_store();
  auto given = options();
  given.follow = true;
  given.follow_all = true;
  Client client = open_with(store, given);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  store->tips_away = true;
  ASSERT_TRUE(client.start());
  const auto warning = wait_for<WarningEvent>(client);
  ASSERT_TRUE(warning);
  EXPECT_THAT(warning->message, HasSubstr("sync resumes when the database can be reached"));
  store->tips_away = false;
  const auto has_tip = [&] {
    for (const auto& each : store->events(0, 100, std::nullopt)) {
      if (std::holds_alternative<store::TipEvent>(each.data)) return true;
    }
    return false;
  };
  for (int tries = 0; tries < 2'000 && !has_tip(); ++tries) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(has_tip());
  EXPECT_TRUE(seen<StoppedEvent>().empty());
}

// The clock stands still, so what was found waits for its commit: for longer than the scan of block 12 takes.
TEST_F(Trouble, LosesNothingOfAWalletWhenTheCommitOfAnotherFails) {
  const auto store = troubled_store();
  auto given = options();
  given.clock = [] { return ClockReading{1h, 1'700'000'000}; };
  std::optional<Client> held = open_with(store, given);
  Client& client = *held;
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.watch_wallet("two", watching(2)));
  const auto stalls = stall_after(15);
  ASSERT_TRUE(client.start());
  while (client.balance("two")->confirmed == 0) std::this_thread::sleep_for(1ms);
  store->full_once = true;
  EXPECT_EQ(client.close_wallet("one").error().code, ErrorCode::Storage);
  *stalls = false;
  ASSERT_TRUE(client.network_changed());
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  ASSERT_TRUE(client.stop());
  ASSERT_EQ(transactions().size(), 1) << "that of the wallet that was closed is not kept, so it is not told";
  EXPECT_EQ(transactions()[0].wallet, "two");
  held.reset();
  Client again = open_with(store);
  ASSERT_TRUE(again.open_wallet("two"));
  EXPECT_EQ(again.status("two")->scanned_to, 22);
  EXPECT_EQ(again.balance("two")->confirmed, 7'000);
  ASSERT_TRUE(again.open_wallet("one"));
  sync(again);
  EXPECT_EQ(again.balance("one")->confirmed, 5'000) << "it is scanned for again";
}

TEST_F(Trouble, TellsThatASyncHasEndedWhichCouldNotBeSaved) {
  const auto store = troubled_store();
  auto given = options();
  given.clock = [] { return ClockReading{1h, 1'700'000'000}; };
  Client client = open_with(store, given);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  node_.add_fault(faults::stall_after(15));
  ASSERT_TRUE(client.start());
  while (client.balance("one")->confirmed == 0) std::this_thread::sleep_for(1ms);
  store->full = true;
  const auto changed = client.network_changed();
  ASSERT_FALSE(changed);
  EXPECT_FALSE(client.running());
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped) << "who reads would wait for ever";
  EXPECT_EQ(stopped->code, static_cast<int>(ErrorCode::Storage));
  EXPECT_EQ(stopped->message, changed.error().message);
}

TEST_F(Trouble, TellsThatASyncHasEndedWhichCouldNotBeStartedAnew) {
  Client client = following();
  std::filesystem::remove(headers());
  spoil_headers();
  const auto changed = client.network_changed();
  ASSERT_FALSE(changed);
  EXPECT_FALSE(client.running());
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, static_cast<int>(changed.error().code));
}

TEST_F(Trouble, EndsAReaderOfASyncThatCouldNotBeStarted) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  sync(client);
  std::filesystem::remove(headers());
  spoil_headers();
  EXPECT_FALSE(client.start());
  ASSERT_TRUE(client.stop());
  EXPECT_TRUE(wait_for<StoppedEvent>(client));
}

// What is found, and not yet committed, holds the state of the addresses as it was before.
TEST_F(Trouble, NeverHandsOutAnAddressTwiceWhenACommitComesBehindIt) {
  constexpr const char* kWords =
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
  Client client = open();
  ASSERT_TRUE(client.restore_wallet("mine", kWords));
  const std::string first = client.address("mine")->address;
  node_.set_chain(ChainBuilder()
                      .blocks(2)
                      .pays(*wallet::script_of_address(first, chain::params(chain::Network::Regtest)), 9)
                      .blocks(9));
  ASSERT_TRUE(client.close_wallet("mine"));
  auto given = options();
  given.clock = [] { return ClockReading{1h, 1'700'000'000}; };
  std::string shown;
  {
    Client still = std::move(*Client::open(given));
    ASSERT_TRUE(still.open_wallet("mine"));
    node_.add_fault(faults::stall_after(5));
    ASSERT_TRUE(still.start());
    while (still.balance("mine")->confirmed == 0) std::this_thread::sleep_for(1ms);
    for (int i = 0; i < 3; ++i) shown = still.address("mine", true)->address;
  }
  ASSERT_TRUE(client.open_wallet("mine"));
  EXPECT_EQ(client.address("mine")->address, shown);
}

TEST_F(Trouble, ClosesAWalletAfterAStartThatFailed) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  spoil_headers();
  EXPECT_FALSE(client.start());
  EXPECT_TRUE(client.close_wallet("one"));
  std::filesystem::remove(headers());
  ASSERT_TRUE(client.open_wallet("one"));
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
}

TEST_F(Trouble, TakesWalletsInOnceTheHeadersCanBeOpened) {
  Client client = open();
  ASSERT_TRUE(client.start()) << "without a wallet no headers are needed";
  spoil_headers();
  EXPECT_FALSE(client.watch_wallet("one", watching(1)));
  EXPECT_FALSE(client.watch_wallet("two", watching(2)));
  EXPECT_EQ(client.balance("one").error().code, ErrorCode::NotFound);
  std::filesystem::remove(headers());
  ASSERT_TRUE(client.open_wallet("two"));
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
}

TEST_F(Trouble, GivesTheWordsOfAWalletThatWasMadeThoughItCannotBeOpened) {
  Client client = open();
  ASSERT_TRUE(client.start());
  spoil_headers();
  const auto words = client.create_wallet("mine");
  ASSERT_TRUE(words) << "they would be lost for ever";
  EXPECT_EQ(std::ranges::count(words->text(), ' '), 11);
  EXPECT_FALSE(client.open_wallet("mine"));
  std::filesystem::remove(headers());
  EXPECT_TRUE(client.open_wallet("mine"));
}

// To begin at older headers everything starts anew, which would wait for the callback.
TEST_F(Trouble, RefusesWithinACallbackAWalletThatNeedsOlderHeaders) {
  const auto stuck = std::make_shared<Stuck>();
  auto given = options();
  given.network = NetworkId::Main;
  given.follow = true;
  given.connector = [stuck](const std::string&, std::uint16_t) { return stuck->wait(); };
  Client client = std::move(*Client::open(given));
  WatchOptions early;
  early.addresses = {*wallet::address_of_script(script(1), chain::params(chain::Network::Main))};
  WatchOptions late = early;
  late.birthday_height = 800'000;
  ASSERT_TRUE(client.watch_wallet("late", late));
  std::atomic<int> answer = 0;
  client.subscribe([&](const Event&) {
    if (answer != 0) return;
    const auto made = client.watch_wallet("early", early);
    answer = made ? 1 : static_cast<int>(made.error().code);
  });
  ASSERT_TRUE(client.start());
  while (answer == 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(answer, static_cast<int>(ErrorCode::State));
  EXPECT_EQ(client.balance("early").error().code, ErrorCode::NotFound) << "it is not open, as nothing scans for it";
  EXPECT_TRUE(client.open_wallet("early")) << "from another thread it can be opened";
  EXPECT_TRUE(client.running());
  ASSERT_TRUE(client.stop());
  stuck->let_go();
}

TEST_F(Trouble, TakesInAWalletThatComesAtOnceAfterTheStart) {
  auto given = options();
  given.follow = true;
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("two", watching(2)));
  ASSERT_TRUE(client.close_wallet("two"));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(client.open_wallet("two"));
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  // The first may have been scanned for by then; that the second is too is told again.
  if (client.balance("two")->confirmed == 0) {
    ASSERT_TRUE(wait_for<SyncedEvent>(client));
  }
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
}

TEST_F(Trouble, GoesOnWithTheOthersWhenTheFilterThatFetchesTheHeadersIsNotNeededAnyMore) {
  const auto stuck = std::make_shared<Stuck>();
  const auto calls = std::make_shared<std::atomic<int>>(0);
  auto given = options();
  given.fp_rate = 1e-9;
  given.connector = [=, port = server_.port()](const std::string&, std::uint16_t) {
    return (*calls)++ == 0 ? stuck->wait() : connect_to(port);
  };
  Client client = std::move(*Client::open(given));
  add_crowds(client);
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(stuck->has_someone());
  ASSERT_TRUE(client.close_wallet("crowd"));
  const auto stopped = wait_for<StoppedEvent>(client);
  stuck->let_go();
  ASSERT_TRUE(stopped) << "the other one still waits for the headers";
  EXPECT_EQ(stopped->code, 0) << stopped->message;
  EXPECT_EQ(client.status("more")->scanned_to, 22);
}

TEST_F(Trouble, ScansForAWalletThatComesToAFilterThatHasEnded) {
  const auto stuck = std::make_shared<Stuck>();
  const auto calls = std::make_shared<std::atomic<int>>(0);
  auto given = options();
  given.fp_rate = 1e-9;
  given.connector = [=, port = server_.port()](const std::string&, std::uint16_t) {
    if ((*calls)++ >= 2) stuck->wait();  // the first filter has its connection, encrypted and then plain
    return connect_to(port);
  };
  Client client = std::move(*Client::open(given));
  add_crowds(client);
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(stuck->has_someone());
  while (client.status("crowd")->scanned_to < 22) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(client.watch_wallet("two", watching(2)));
  stuck->let_go();
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, 0) << stopped->message;
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
  EXPECT_EQ(client.status("more")->scanned_to, 22);
}

TEST_F(Trouble, TellsATipOnceTheWalletsOfAllFiltersAreScannedToIt) {
  FakeNode second(paid_chain());
  LoopbackServer server(serve_node(second));
  const auto stuck = std::make_shared<Stuck>();
  const auto calls = std::make_shared<std::atomic<int>>(0);
  auto given = options();
  given.fp_rate = 1e-9;
  given.follow = true;
  given.connector = [=, ports = std::pair(server_.port(), server.port())](const std::string&, std::uint16_t) {
    if ((*calls)++ < 2) return connect_to(ports.first);
    stuck->wait();
    return connect_to(ports.second);
  };
  Client client = std::move(*Client::open(given));
  add_crowds(client);
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(stuck->has_someone());
  while (client.status("crowd")->scanned_to < 22) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(wait_for<TipEvent>(client, 500ms)) << "the other filter has seen nothing of it";
  stuck->let_go();
  const auto tip = wait_for<TipEvent>(client);
  ASSERT_TRUE(tip);
  EXPECT_EQ(tip->height, 22);
  EXPECT_EQ(client.status("more")->scanned_to, 22);
  ASSERT_TRUE(client.stop());
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  EXPECT_EQ(seen<TipEvent>().size(), 1);
}

TEST_F(Trouble, WarnsOfAWalletThatNoFilterHolds) {
  auto given = options();
  given.fp_rate = 1e-9;
  Client client = std::move(*Client::open(given));
  add_crowds(client);
  WatchOptions masses;
  masses.gap_limit = 400;  // 8,000 scripts
  masses.descriptors = {"wpkh(" + std::string(kXpub) + "/<4;5>/*)"};
  ASSERT_TRUE(client.watch_wallet("masses", masses));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  ASSERT_EQ(seen<WarningEvent>().size(), 1) << "the others have filters that hold them";
  EXPECT_THAT(seen<WarningEvent>().front().message, HasSubstr("'masses' watches 8000 scripts"));
  EXPECT_THAT(seen<WarningEvent>().front().message, HasSubstr("set whole_blocks"));
}

// Each write takes a tenth of a second of a clock that else stands still.
TEST_F(Trouble, PausesWithinASecondHoweverManyPositionsThereAreToSave) {
  constexpr int kWallets = 40;
  const auto store = troubled_store();
  const auto clock = std::make_shared<std::atomic<std::int64_t>>(3'600'000);
  auto given = options();
  given.follow = true;
  given.clock = [clock] { return ClockReading{std::chrono::milliseconds(*clock), 1'700'000'000}; };
  Client client = open_with(store, given);
  for (int i = 1; i <= kWallets; ++i) {
    ASSERT_TRUE(client.watch_wallet("w" + std::to_string(i), watching(static_cast<std::uint8_t>(i))));
  }
  store->on_write = [clock] { *clock += 100; };
  const auto count_saved = [&] {
    int saved = 0;
    for (int i = 1; i <= kWallets; ++i) {
      if (stored_wallet(store, "w" + std::to_string(i)).scan().scanned_to.height >= 12) ++saved;
    }
    EXPECT_EQ(stored_wallet(store, "w1").balance().confirmed, 5'000) << "money is never left for later";
    EXPECT_EQ(stored_wallet(store, "w2").balance().confirmed, 7'000);
    return saved;
  };
  const auto stalls = stall_after(15);
  ASSERT_TRUE(client.start());
  while (client.balance("w2")->confirmed == 0) std::this_thread::sleep_for(1ms);
  const auto before = clock->load();
  ASSERT_TRUE(client.pause());
  EXPECT_LT(*clock - before, 1'000);
  EXPECT_LT(count_saved(), kWallets);
  *stalls = false;
  for (int round = 0; count_saved() < kWallets; ++round) {
    ASSERT_LT(round, kWallets) << "all have their turn";
    ASSERT_TRUE(client.start());
    ASSERT_TRUE(wait_for<SyncedEvent>(client));
    ASSERT_TRUE(client.pause());
  }
}

TEST_F(Trouble, CallsNobodyBackWhoWasReplaced) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  std::atomic<bool> within = false;
  std::atomic<int> calls = 0;
  client.on_wake([&] {
    ++calls;
    within = true;
    std::this_thread::sleep_for(50ms);
    within = false;
  });
  ASSERT_TRUE(client.start());
  while (!within) std::this_thread::sleep_for(1ms);
  client.on_wake(nullptr);
  EXPECT_FALSE(within);
  const int before = calls;
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  EXPECT_EQ(calls, before);
}

TEST_F(Trouble, T3_LetsACallbackReplaceItself) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  std::atomic<int> calls = 0;
  client.subscribe([&](const Event&) {
    ++calls;
    client.subscribe(nullptr);
  });
  ASSERT_TRUE(client.start());
  // Whoever pulls meanwhile may be quicker than the callback.
  for (int i = 0; i < 2'000 && calls == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(wait_for<StoppedEvent>(client)) << "the events after the first are there to be pulled";
  EXPECT_EQ(calls, 1);
}

TEST_F(Trouble, T3_SurvivesCallbacksThatThrow) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  std::atomic<bool> stopped = false;
  std::atomic<bool> woken = false;
  client.subscribe([&](const Event& event) {
    if (const auto* end = std::get_if<StoppedEvent>(&event)) {
      EXPECT_EQ(end->code, 0) << end->message;
      stopped = true;
    }
    throw std::runtime_error("a callback's own trouble");
  });
  client.on_wake([&] {
    woken = true;
    throw 7;  // NOLINT: whatever others throw
  });
  ASSERT_TRUE(client.start());
  for (int i = 0; i < 2'000 && !(stopped && woken); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(stopped && woken);
  ASSERT_TRUE(client.stop());
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
}

TEST_F(Trouble, T1_OpensAWalletOnceForManyThreads) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(client.close_wallet("one"));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const auto opened = client.open_wallet("one");
        EXPECT_TRUE(opened) << opened.error().message;
      });
    }
    for (auto& thread : threads) thread.join();
  }
}

TEST_F(Trouble, T1_LetsOneOfManyThreadsMakeAWallet) {
  const auto store = troubled_store();
  store->on_write = [] { std::this_thread::sleep_for(20ms); };  // long enough for all to be there
  Client client = open_with(store);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (std::uint8_t i = 1; i <= 4; ++i) {
    threads.emplace_back([&, i] {
      const auto done = client.watch_wallet("one", watching(i));
      if (done) ++made;
      if (!done) {
        EXPECT_EQ(done.error().code, ErrorCode::Exists);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST_F(Trouble, SurvivesALookupThatThrows) {
  auto given = options();
  given.peers = {"node.invalid"};
  for (const bool odd : {false, true}) {
    given.lookup = [odd](const std::string&) -> std::vector<std::string> {
      if (odd) throw 7;  // NOLINT: whatever others throw
      throw std::runtime_error("the tunnel is down");
    };
    Client client = std::move(*Client::open(given));
    ASSERT_TRUE(odd ? client.open_wallet("one") : client.watch_wallet("one", watching(1)));
    ASSERT_TRUE(client.start());
    const auto stopped = wait_for<StoppedEvent>(client);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->code, static_cast<int>(ErrorCode::Network));
    EXPECT_THAT(stopped->message, HasSubstr(odd ? "unknown exception" : "the tunnel is down"));
  }
}

// Anybody can make up a few headers of little work for a client that has just begun.
TEST(ProofPlace, BelievesNoHeadersBelowTheNetworksMinimumWork) {
  for (const auto network : {chain::Network::Main, chain::Network::Regtest}) {
    const TempDir folder;
    const auto& params = chain::params(network);
    const auto headers = store::HeaderFile::open(folder.file("headers.dat"), params);
    bip37::TxProof proof;
    proof.network = network;
    proof.header = params.genesis;
    const bool is_enough = network == chain::Network::Regtest;  // which asks for none
    EXPECT_EQ(client::place_of(proof, headers.get()),
              is_enough ? client::ProofPlace::OnChain : client::ProofPlace::TooLittleWork);
  }
}

}  // namespace
}  // namespace spv::test
