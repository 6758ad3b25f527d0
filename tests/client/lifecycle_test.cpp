// The library's life: pause and resume, threads and callbacks, and every kind of event.
#include <atomic>
#include <filesystem>
#include <limits>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/event_queue.h"
#include "tests/client/client_fixture.h"
#include "tests/support/tx_builder.h"
#include "util/hex.h"

namespace spv::test {
namespace {

using Lifecycle = ClientTest;
using testing::HasSubstr;

std::chrono::microseconds monotonic() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

template <typename Call>
std::chrono::steady_clock::duration time_of(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::steady_clock::now() - begin;
}

// A second is promised; a busy machine may hold the test up, and whatever waits for a peer takes ten.
constexpr auto kSoon = 5s;

TEST_F(Lifecycle, PausesAndResumesWithinASecond) {
  Client client = following();
  EXPECT_LT(time_of([&] { ASSERT_TRUE(client.pause()); }), kSoon);
  EXPECT_FALSE(client.running());
  EXPECT_LT(time_of([&] { ASSERT_TRUE(client.resume()); }), kSoon);
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  ASSERT_TRUE(client.network_changed());
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(sessions(), 3);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
}

TEST_F(Lifecycle, HasAllOnDiskWhenPauseReturns) {
  Client client = following();
  ASSERT_TRUE(client.pause());
  // As a process would find it that came after a kill at this very moment.
  std::filesystem::copy(folder_.file("data"), folder_.file("copy"), std::filesystem::copy_options::recursive);
  auto given = options();
  given.data_dir = folder_.file("copy");
  Client after = std::move(*Client::open(given));
  ASSERT_TRUE(after.open_wallet("one"));
  EXPECT_EQ(after.balance("one")->confirmed, 5'000);
  EXPECT_EQ(after.status("one")->scanned_to, 22);
  const auto proof = after.proof("one", after.history("one")->front().txid);
  ASSERT_TRUE(proof) << proof.error().message;
  EXPECT_TRUE(after.verify_proof(*proof)) << "the headers are there too";
}

TEST_F(Lifecycle, T8_PausesWithinASecondWhileAConnectorIsStuck) {
  const auto stuck = std::make_shared<Stuck>();
  auto given = options();
  given.connector = [stuck](const std::string&, std::uint16_t) { return stuck->wait(); };
  {
    Client client = std::move(*Client::open(given));
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    ASSERT_TRUE(client.start());
    ASSERT_TRUE(stuck->has_someone());
    EXPECT_LT(time_of([&] { ASSERT_TRUE(client.pause()); }), kSoon);
  }
  stuck->let_go();  // its answer finds nobody, and harms nobody
}

TEST_F(Lifecycle, StartsNothingWhenTheNetworkChangesDuringAPause) {
  Client client = following();
  ASSERT_TRUE(client.pause());
  ASSERT_TRUE(client.network_changed());
  EXPECT_FALSE(client.running());
  EXPECT_EQ(sessions(), 1);
}

TEST_F(Lifecycle, T2_StopEndsAReaderThatWaits) {
  Client client = following();
  std::optional<StoppedEvent> last;
  std::thread reader([&] { last = wait_for<StoppedEvent>(client); });
  ASSERT_TRUE(client.stop());
  reader.join();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->code, 0);
  while (client.next_event()) {
  }
  ASSERT_TRUE(client.stop()) << "twice is no error, and tells nothing";
  EXPECT_FALSE(client.next_event());
}

// The change comes while the pause waits for a callback, and finds the sync still there.
TEST_F(Lifecycle, StaysPausedWhenTheNetworkChangesInTheMidstOfIt) {
  Client client = following();
  std::atomic<bool> stopping = false;
  std::atomic<bool> changing = false;
  client.subscribe([&](const Event& event) {
    if (!std::holds_alternative<StoppedEvent>(event)) return;
    stopping = true;
    while (!changing) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(50ms);  // for the other thread to get as far as it can
  });
  std::thread other([&] {
    while (!stopping) std::this_thread::sleep_for(1ms);
    changing = true;
    EXPECT_TRUE(client.network_changed());
  });
  ASSERT_TRUE(client.pause());
  other.join();
  EXPECT_FALSE(client.running());
}

TEST_F(Lifecycle, T2_StopEndsAReaderThoughNothingRuns) {
  Client client = open();
  ASSERT_TRUE(client.stop());
  const auto last = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(last) << "whoever reads may have begun before the start";
  EXPECT_EQ(last->code, 0);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  sync(client);
  EXPECT_FALSE(wait_for<StoppedEvent>(client, 200ms)) << "its end was told already";
  std::atomic<bool> ended = false;
  std::thread reader([&] { ended = wait_for<StoppedEvent>(client).has_value(); });
  for (int i = 0; i < 2'000 && !ended; ++i) {
    EXPECT_TRUE(client.stop());
    std::this_thread::sleep_for(10ms);
  }
  reader.join();
  EXPECT_TRUE(ended) << "who waits again is told again";
}

TEST_F(Lifecycle, ForgetsTheEndThatNobodyTookWhenItStartsAgain) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.stop());
  sync(client);
  EXPECT_FALSE(seen<SyncedEvent>().empty()) << "the first end that came was that of the sync";
}

TEST_F(Lifecycle, StartsAgainAfterASyncThatEndedByItself) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  for (const bool resumes : {true, false}) {
    ASSERT_TRUE(wait_for<StoppedEvent>(client));
    EXPECT_FALSE(client.running());
    ASSERT_TRUE(client.network_changed());
    EXPECT_FALSE(client.running()) << "to go on is the caller's to say";
    const auto again = resumes ? client.resume() : client.start();
    ASSERT_TRUE(again) << again.error().message;
  }
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  EXPECT_EQ(sessions(), 3);
  boost::asio::io_context io;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.start_on(io));
    while (client.running() && io.run_one_for(20s) > 0) {
    }
  }
  EXPECT_EQ(sessions(), 5) << "on the caller's loop too";
  ASSERT_TRUE(client.stop());  // the loop goes before the client does
}

TEST_F(Lifecycle, T3_RefusesWithinACallbackWhatWouldWaitForIt) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  std::atomic<int> refused = 0;
  std::atomic<bool> stopped = false;
  client.subscribe([&](const Event& event) {
    for (const auto& result : {client.stop(), client.start(), client.resume(), client.network_changed()}) {
      if (!result && result.error().code == ErrorCode::State) ++refused;
    }
    if (std::holds_alternative<StoppedEvent>(event)) stopped = true;
  });
  ASSERT_TRUE(client.start());
  while (!stopped) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(client.stop());
  EXPECT_GT(refused, 0);
  EXPECT_EQ(refused % 4, 0) << "every one of them";
  boost::asio::io_context io;
  stopped = false;
  refused = 0;
  ASSERT_TRUE(client.start_on(io));
  while (!stopped && io.run_one_for(20s) > 0) {
  }
  ASSERT_TRUE(client.stop());
  EXPECT_GT(refused, 0) << "on the caller's loop too";
  EXPECT_EQ(refused % 4, 0);
}

TEST_F(Lifecycle, TellsOfPeersTipsReorganisationsAndConflicts) {
  const auto first = paid_chain();
  const auto& paid = first.block(11).txs.back();
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  EXPECT_EQ(seen<TipEvent>().back().height, 22);
  ASSERT_FALSE(seen<PeerEvent>().empty());
  EXPECT_EQ(seen<PeerEvent>().front().address, options().peers.front());
  EXPECT_TRUE(seen<ReorganisationEvent>().empty());
  ASSERT_EQ(seen<TransactionEvent>().size(), 1);
  seen_.clear();
  // Another chain, in which the payer spent the same coin on a smaller payment.
  const auto rival = TxBuilder().spends(paid.inputs[0].previous).pays(script(1), 4'000).build();
  FakeNode other(first.at_height(10).block({rival}).blocks(20));
  LoopbackServer server(serve_node(other));
  auto given = options();
  given.peers = {"127.0.0.1:" + std::to_string(server.port())};
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.open_wallet("one"));
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 4'000);
  ASSERT_EQ(seen<ReorganisationEvent>().size(), 1);
  const auto reorganisation = seen<ReorganisationEvent>().front();
  EXPECT_EQ(reorganisation.fork_height, 10);
  EXPECT_EQ(reorganisation.from, util::to_string(first.tip().hash));
  EXPECT_EQ(seen<TipEvent>().back().hash, util::to_string(other.chain().tip().hash));
  ASSERT_EQ(seen<TransactionEvent>().size(), 3) << "undone, the other one confirmed, and that this one lost";
  EXPECT_EQ(seen<TransactionEvent>()[0].state, TransactionState::Unconfirmed);
  const auto is_lost = [](const TransactionEvent& event) { return event.state == TransactionState::Conflicted; };
  const auto told = seen<TransactionEvent>();
  ASSERT_EQ(std::ranges::count_if(told, is_lost), 1);
  const auto conflict = *std::ranges::find_if(told, is_lost);
  EXPECT_EQ(conflict.wallet, "one");
  EXPECT_EQ(conflict.txid, util::to_string(paid.txid()));
  EXPECT_EQ(conflict.replaced_by, util::to_string(rival.txid()));
}

TEST_F(Lifecycle, WarnsOfAClockThatIsBehind) {
  auto given = options();
  given.clock = [] { return ClockReading{monotonic(), kGenesisTime}; };
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  const auto warning = wait_for<WarningEvent>(client);
  ASSERT_TRUE(warning);
  EXPECT_THAT(warning->message, HasSubstr("check the clock"));
}

// Only start() refuses a clock that is behind: a wallet is never kept out because of it while a sync runs.
TEST_F(Lifecycle, TakesAWalletInThoughTheClockWasSetBack) {
  auto given = options();
  given.follow = true;
  std::atomic<std::int64_t> wall = std::int64_t{kGenesisTime} + 7'000;
  given.clock = [&] { return ClockReading{monotonic(), wall}; };
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  wall = std::int64_t{kGenesisTime} - 86'400;
  EXPECT_TRUE(client.watch_wallet("two", watching(2)));
}

// By the system's clock a fresh wallet would begin long after the last of these blocks, and ask for none.
TEST_F(Lifecycle, BeginsAFreshWalletByTheCallersClock) {
  auto given = options();
  given.clock = [] { return ClockReading{monotonic(), kGenesisTime + 7'000}; };
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.create_wallet("fresh"));
  sync(client);
  EXPECT_GT(node_.seen.filtered_blocks_asked(), 0);
}

TEST_F(Lifecycle, SaysAtOnceThatTheFolderCannotBeUsed) {
  auto given = options();
  given.data_dir = "/dev/null/data";
  EXPECT_EQ(Client::open(given).error().code, ErrorCode::Storage);
  given = options();
  given.fp_rate = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Client::open(given).error().code, ErrorCode::InvalidArgument);
  given = options();
  given.mempool_wait = std::chrono::milliseconds::max();
  EXPECT_EQ(Client::open(given).error().code, ErrorCode::InvalidArgument);
  given = options();
  given.network = static_cast<NetworkId>(9);
  EXPECT_EQ(Client::open(given).error().code, ErrorCode::InvalidArgument);
}

TEST(EventQueue, T4_SaysThatEventsWereLostAndKeepsTheNewest) {
  client::EventQueue queue;
  for (std::size_t i = 0; i <= client::EventQueue::kMaxWaiting; ++i) queue.push(TipEvent{static_cast<int>(i), ""});
  const auto first = queue.pop(0ms);
  ASSERT_TRUE(first && std::holds_alternative<WarningEvent>(*first));
  EXPECT_THAT(std::get<WarningEvent>(*first).message, HasSubstr("read the history"));
  const auto second = queue.pop(std::chrono::milliseconds::max());
  ASSERT_TRUE(second && std::holds_alternative<TipEvent>(*second));
  EXPECT_EQ(std::get<TipEvent>(*second).height, static_cast<int>(client::EventQueue::kMaxWaiting));
}

TEST(EventQueue, KeepsOnlyTheNewestProgress) {
  client::EventQueue queue;
  for (int i = 1; i <= 3; ++i) queue.push(ProgressEvent{.headers = i});
  EXPECT_EQ(std::get<ProgressEvent>(*queue.pop(0ms)).headers, 3);
  EXPECT_FALSE(queue.pop(0ms));
}

}  // namespace
}  // namespace spv::test
